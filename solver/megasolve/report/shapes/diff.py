"""The shape of `diff/v1`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .shape import Batch, Candidate, Exact, Number, Shape, Us


class InputChangeShape(Shape):
    """Something that the two plans were made of, and that differs."""

    path: str = Field(description="the file, or megasolve itself, or the option", examples=["specs/nh_tts/records/batch_1.yaml"])
    how: Literal["changed", "new", "gone", "version", "option", "unknown"] = Field(description="what happened to it", examples=["changed"])
    was: str | None = Field(description="its hash, version or value before", examples=["3f0a..."])
    now: str | None = Field(description="its hash, version or value after", examples=["9b1c..."])


class DevicesShape(Shape):
    """The devices that were planned for."""

    before: str = Field(description="the device of the first plan", examples=["h100_nvl"])
    after: str = Field(description="the device of the second plan", examples=["h100_nvl"])


class BestShape(Shape):
    """The best of one plan at one batch."""

    best: list[Candidate] = Field(description="every candidate with the least score")
    score_us: Us
    score_ps: Exact


class ShiftShape(Shape):
    """A candidate that both plans rank, with other scores."""

    id: Candidate
    before_us: Us
    before_ps: Exact
    after_us: Us
    after_ps: Exact
    change: Number | None = Field(description="how much slower it became, as a fraction; null from a score of 0", examples=[0.012])


class DroppedShape(Shape):
    """A candidate that was ranked and is not."""

    id: Candidate
    causes: list[str] = Field(description="what excludes it now; empty where the later plan does not say", examples=[["EVI-01 no record"]])


class BatchDifferenceShape(Shape):
    """What changed at one batch."""

    batch: Batch
    objective: str = Field(description="the time that orders the candidates", examples=["first_publication"])
    ablation: str = Field(description="how scores were made", examples=["full"])
    found_in: Literal["both", "before", "after"] = Field(alias="in", description="which of the plans have this batch", examples=["both"])
    before: BestShape | None = Field(description="the best before; null where nothing was feasible")
    after: BestShape | None = Field(description="the best after; null where nothing is feasible")
    change: Number | None = Field(description="how much slower the best became, as a fraction", examples=[0.012])
    other_best: bool = Field(description="whether no candidate is the best in both", examples=[False])
    worse: bool | None = Field(description="whether it became worse than --fail-if-worse allows; null without it", examples=[False])
    shifted: list[ShiftShape] = Field(description="candidates with other scores, the one that lost most first")
    dropped: list[DroppedShape] = Field(description="candidates that were ranked and are not")
    added: list[Candidate] = Field(description="candidates that were not ranked and are", examples=[[]])


class DiffShape(Shape):
    """What changed from one plan to another."""

    megasolve: Literal["diff/v1"] = Field(description="the kind of result", examples=["diff/v1"])
    version: str = Field(description="the version of megasolve", examples=["0.1.0"])
    spec: str = Field(description="the name of the spec", examples=["nh_tts"])
    device: DevicesShape = Field(description="the devices that were planned for")
    changes: list[InputChangeShape] = Field(description="what the plans were made of and differs")
    fail_if_worse: Number | None = Field(description="what --fail-if-worse allows; null without it", examples=[0.02])
    batches: list[BatchDifferenceShape] = Field(description="every batch of either plan")
