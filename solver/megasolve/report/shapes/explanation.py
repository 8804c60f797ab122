"""The shape of `explanation/v1`: what `megasolve explain --format json` prints of a ranked, an excluded and an unknown candidate."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from .result import RowShape
from .shape import Batch, Candidate, CauseShape, Exact, Ratio6, Shape, StepsShape, UsText


class SegmentShape(Shape):
    """A stretch of the critical path; all of them sum to the score."""

    label: str = Field(description="what happens in it", examples=["dispatch of m:B+L"])
    elapsed_us: UsText
    elapsed_ps: Exact
    share: Ratio6 = Field(description="its share of the score, a fraction as text", examples=["0.178700"])
    is_contention: bool = Field(description="whether it is what memory traffic beside it costs", examples=[False])


class BranchesShape(Shape):
    """Which of the two things that the first publication waits for comes last."""

    bound_by: Literal["producer", "consumer", "both"] = Field(description="the later one")
    in_sequence: bool = Field(description="whether one follows the other, so that both decide", examples=[False])
    chunk_us: UsText = Field(description="when the first chunk is finished", examples=["42520.000000"])
    horizon_us: UsText = Field(description="when step h is finished", examples=["40229.000000"])
    slack_us: UsText = Field(description="by how much the other may be later", examples=["2291.000000"])
    slack_ps: Exact


class GroupPartShape(Shape):
    """What one group costs."""

    group: str = Field(description="the group", examples=["B"])
    given_us: UsText = Field(description="what its calls take in all, as the records state it", examples=["23780.000000"])
    service_share: Ratio6 = Field(description="its share of all service", examples=["0.536000"])
    path_us: UsText = Field(description="what it takes on the critical path", examples=["23780.000000"])
    path_share: Ratio6 = Field(description="its share of the score", examples=["0.559000"])


class UsedRecordShape(Shape):
    """A record that the score rests on."""

    place: str = Field(description="its file and line", examples=["records.yaml:12:3"])
    group: str = Field(description="its group", examples=["B"])
    entry: str = Field(description="the entry that it serves", examples=["B+L"])
    backend: Literal["conventional", "megakernel"] = Field(description="its backend")
    entries: list[str] = Field(description="the entries that it belongs to", examples=[["B+L"]])
    budget_ctas: int = Field(description="its budget", examples=[88])
    time_us: UsText
    hbm_bytes: int | None = Field(description="its memory traffic; null where it is unknown", examples=[7887600000])
    calls: int = Field(description="how often it is spent", examples=[7])
    accuracy: Ratio6 | None = Field(description="its relative accuracy, as text", examples=[None])
    provenance: dict[str, Any] = Field(description="where it comes from, as a record writes it")


class FittingShape(Shape):
    """A choice of entries that fits a region."""

    region: str = Field(description="the region", examples=["m:B+L"])
    entries: str = Field(description="the entries", examples=["B_L_512"])
    is_used: bool = Field(description="whether the best variant uses it", examples=[False])
    is_slower: bool = Field(description="whether a variant with it is slower", examples=[True])
    causes: list[CauseShape] = Field(description="what excludes it")


class KernelPartShape(Shape):
    """Equal kernels of a region."""

    group: str = Field(description="their group", examples=["B"])
    budget_ctas: int = Field(description="their budget", examples=[132])
    entries: list[str] = Field(description="their entries", examples=[["B_graph"]])
    calls: int = Field(description="calls in all", examples=[7])
    launches: int = Field(description="launches in all", examples=[84])
    spent_us: UsText


class RegionPartShape(Shape):
    """What a region spends, by kernel."""

    region: str = Field(description="the region", examples=["c:B"])
    spent_us: UsText
    kernels: list[KernelPartShape] = Field(description="its kernels")


class PicturedGroupShape(Shape):
    """A group in the region graph, as the design runs it."""

    group: str = Field(description="the group", examples=["B"])
    role: Literal["admission", "producer", "consumer"] = Field(description="when it runs")
    region: str = Field(description="its region", examples=["m:B+L"])
    after: list[str] = Field(description="groups that wait for it within a step", examples=[["L"]])
    next: list[str] = Field(description="groups that wait for it in the next step", examples=[[]])
    times: int = Field(description="how often it runs in each of its occurrences", examples=[1])
    awaited: bool = Field(description="whether the first publication waits for its last occurrence", examples=[True])
    stream: int | None = Field(None, description="on two streams inside of a role: the one that it runs on, 1 or 2", examples=[2])


class ExchangeShape(Shape):
    """Two that do not wait for each other, and what the other order would give."""

    first: str = Field(description="the one that runs earlier", examples=["speech"])
    second: str = Field(description="the other one", examples=["text"])
    score_ps: Exact = Field(description="the score the other way round, exact", examples=[20000000])


class SideShape(Shape):
    """What one side takes in a steady cycle."""

    beside_us: UsText
    beside_ps: Exact
    alone_us: UsText | None = Field(description="on the whole device with nothing beside it; null where that is not known")
    alone_ps: Exact | None = Field(description="the same, exact", examples=[200000000])
    paid: Ratio6 | None = Field(description="by which share it takes longer beside the other side", examples=["0.300000"])


class SideBySideShape(Shape):
    """A steady cycle on two streams or partitions."""

    cycle_steps: int = Field(description="how many steps it has, beside one chunk", examples=[2])
    cycle_us: UsText
    serial_us: UsText | None = Field(description="what it takes one after the other; null where that is not known")
    steps: SideShape = Field(description="what its steps pay")
    chunk: SideShape = Field(description="what its chunk pays")


class RankedExplanationShape(RowShape):
    """A candidate that is ranked, explained."""

    megasolve: Literal["explanation/v1"] = Field(description="the kind of this result")
    spec: str = Field(description="the name of the spec", examples=["nh_tts"])
    device: str = Field(description="the name of the device", examples=["h100_nvl"])
    id: Candidate
    status: Literal["ranked"] = Field(description="what became of the candidate")
    batch: Batch
    objective: str = Field(description="the time that is explained", examples=["first_publication"])
    without: list[str] = Field(description="mechanisms that were off", examples=[[]])
    place: int | None = Field(description="its place; null where it is behind what a search found", examples=[1])
    of: int | str = Field(description="of how many", examples=[81])
    score_us: UsText
    score_ps: Exact
    difference: Ratio6 = Field(description="over the best score", examples=["0.000000"])
    warnings: list[str] = Field(description="what to know of its evidence", examples=[[]])
    continuity: list[str] = Field(description="whether playback goes on", examples=[[]])
    findings: list[CauseShape] | None = Field(None, description="what of that is wrong")
    to_measure: list[str] | None = Field(None, description="on two streams, without such a co-run: what would have to be measured")
    side_by_side: SideBySideShape | None = Field(None, description="on two streams or partitions: what each side pays")
    critical_path: list[SegmentShape] = Field(description="what the score is made of, first to last")
    branches: BranchesShape | None = Field(description="which branch decides; null for steady times")
    groups: list[GroupPartShape] = Field(description="what each group costs")
    largest_group: str = Field(description="the group that a first cut should target", examples=["B"])
    records: list[UsedRecordShape] = Field(description="the records that it rests on")
    steps: StepsShape = Field(description="the steps r and h")
    fitting: list[FittingShape] = Field(description="every choice of entries that fits its regions")
    regions: list[RegionPartShape] = Field(description="what its regions spend")
    graph: list[PicturedGroupShape] | None = Field(None, description="the region graph, where it is more than a chain")
    exchanges: list[ExchangeShape] | None = Field(None, description="orders of independent groups that would change the score")


class ExcludedExplanationShape(Shape):
    """A candidate that is excluded, with every cause."""

    megasolve: Literal["explanation/v1"] = Field(description="the kind of this result")
    spec: str = Field(description="the name of the spec", examples=["nh_tts"])
    device: str = Field(description="the name of the device", examples=["h100_nvl"])
    id: Candidate
    status: Literal["excluded"] = Field(description="what became of the candidate")
    batch: Batch
    objective: str = Field(description="the time that was asked for", examples=["first_publication"])
    without: list[str] = Field(description="mechanisms that were off", examples=[[]])
    causes: list[CauseShape] = Field(description="every cause of it")
    steps: StepsShape = Field(description="the steps r and h")


class UnknownExplanationShape(Shape):
    """An id that no candidate has."""

    megasolve: Literal["explanation/v1"] = Field(description="the kind of this result")
    id: Candidate
    status: Literal["unknown"] = Field(description="what became of the candidate")
    nearest: list[Candidate] = Field(description="ids that look like it")
