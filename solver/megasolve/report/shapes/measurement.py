"""The shapes of `measurement/v1` and `runs/v1`: what `megasolve measure --format json` prints."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .shape import Batch, Candidate, Shape, Us

_BACKEND = Literal["conventional", "megakernel"]
Interval = tuple[float, float]


class TimedKeyShape(Shape):
    """What tells one time from the others of a spec."""

    group: str = Field(description="the group", examples=["B"])
    backend: _BACKEND = Field(description="its backend")
    entry: str = Field(description="its entry", examples=["B_L"])
    budget_ctas: int = Field(description="its budget", examples=[88])
    batch: Batch


class BlockPlanShape(Shape):
    """What one session would launch."""

    what: str = Field(description="what is timed in it", examples=["B on 88 CTAs"])
    batch: Batch
    times: list[TimedKeyShape] = Field(description="the times that it takes")
    launches: int = Field(description="how many launches it has", examples=[640])
    seconds: float = Field(description="how long it takes", examples=[0.4])


class AcceptedTimeShape(TimedKeyShape):
    """A time that has a record now."""

    time_us: Us
    interval_us: Interval | None = Field(description="where its median lies with 95 % confidence", examples=[[410.0, 412.5]])
    accuracy: float | None = Field(description="the relative accuracy of the record", examples=[0.004])
    derived_us: float | None = Field(description="what the program of the contract says", examples=[405.0])
    overhead_us: float = Field(description="what its launch takes with nothing to do", examples=[4.2])
    hbm_bytes: int | None = Field(description="its memory traffic", examples=[33554432])


class BrokenRuleShape(Shape):
    """A rule of acceptance that samples break."""

    rule: str = Field(description="the rule", examples=["spread"])
    figures: str = Field(description="the figures", examples=["4.1 % > 2 %"])


class UnacceptedTimeShape(TimedKeyShape):
    """A time whose samples are not steady enough."""

    rules: list[BrokenRuleShape] = Field(description="the rules that they break")
    samples: str | None = Field(description="the file with the samples", examples=["refused.jsonl"])


class UntakenTimeShape(TimedKeyShape):
    """A time that could not be taken."""

    because: str = Field(description="why", examples=["the kernel does not compile"])
    detail: str = Field(description="more to read", examples=[""])


class WholeCallShape(Shape):
    """All conventional kernels of a call in one graph, and one by one."""

    what: str = Field(description="the call", examples=["c:B"])
    batch: Batch
    launches: int = Field(description="how many kernels", examples=[12])
    together_us: float = Field(description="in one graph", examples=[120.5])
    one_by_one_us: float = Field(description="the sum of their own times", examples=[118.0])
    empty_launch_us: float = Field(description="what a launch with nothing to do takes", examples=[2.1])


class SeenLaunchShape(Shape):
    """What one launch costs."""

    host_us: float = Field(description="how long the host is busy", examples=[4.5])
    exposed_us: float = Field(description="how long the device waits", examples=[2.0])
    gap_us: float | None = Field(description="in a graph, the time before each kernel", examples=[1.3])


class SeenCostsShape(Shape):
    """Launch and wait costs that were measured."""

    device: str = Field(description="the device", examples=["h200"])
    fake: bool = Field(description="whether it is a stand-in", examples=[False])
    launches: dict[str, SeenLaunchShape] = Field(description="launch costs by kind")
    wait_us: float = Field(description="from the signal of one block until the next one goes on", examples=[1.1])


class UnseenCostsShape(Shape):
    """Why costs were not measured."""

    because: str = Field(description="why", examples=["no kernel of the spec is launched cooperatively"])


class _AskedShape(Shape):
    megasolve: Literal["measurement/v1"] = Field(description="the kind of this result")
    spec: str = Field(description="the spec", examples=["streamlet"])
    device: str = Field(description="the device", examples=["h200"])
    backend: str = Field(description="gpu, or cpu for the stand-in", examples=["gpu"])
    fake: bool = Field(description="whether it is the stand-in", examples=[False])
    cache: str = Field(description="whether caches are warm or cold", examples=["warm"])
    records: str = Field(description="the file that records are added to", examples=["specs/streamlet/records/measured.jsonl"])
    tried: int = Field(description="how many times it lacked", examples=[48])
    notes: list[str] = Field(description="what else to know", examples=[[]])


class PlannedMeasurementShape(_AskedShape):
    """What a measurement would run."""

    dry_run: Literal[True] = Field(description="whether nothing was launched")
    blocks: list[BlockPlanShape] = Field(description="the sessions")
    workers: int = Field(description="how many run at a time", examples=[1])
    estimated: str = Field(description="how the seconds are known", examples=["from the derived times"])


class MeasurementShape(_AskedShape):
    """What became of every time."""

    dry_run: Literal[False] = Field(description="whether nothing was launched")
    written: list[AcceptedTimeShape] = Field(description="times that have a record now")
    not_accepted: list[UnacceptedTimeShape] = Field(description="times that are not steady enough")
    failed: list[UntakenTimeShape] = Field(description="times that could not be taken")
    whole_calls: list[WholeCallShape] = Field(description="conventional calls in one graph and one by one")
    costs: SeenCostsShape | UnseenCostsShape | None = Field(description="launch and wait costs")
    stopped: str | None = Field(description="why the rest was not tried", examples=[None])
    complete: bool = Field(description="whether all that was tried has a record", examples=[True])


class PlannedCompositionShape(Shape):
    """The launches of a candidate."""

    candidate: Candidate
    batch: Batch
    launches: list[str] = Field(description="in the order in which the host issues them", examples=[["m:P (P1) on 132 CTAs"]])


class PlannedPairShape(Shape):
    """What would run beside each other."""

    what: str = Field(description="both sides", examples=["m:B+L on 88 CTAs beside m:C on 44"])
    batch: Batch


class TimedCompositionShape(Shape):
    """A candidate that ran as a whole."""

    candidate: Candidate
    entries: list[str] = Field(description="the entries of each region", examples=[["P", "B_L", "C"]])
    batch: Batch
    because: str | None = Field(description="why it did not qualify", examples=[None])
    relative_l2: float | None = Field(description="how far what was computed is from the reference", examples=[0.002])
    notes: list[str] = Field(description="what to know before trusting it", examples=[[]])
    time_us: float | None = Field(description="the lower median of its times", examples=[412.5])
    interval_us: Interval | None = Field(description="where that lies with 95 % confidence", examples=[[410.0, 415.0]])
    samples: int = Field(description="how many times", examples=[50])


class PairSideShape(Shape):
    """One side of a co-run."""

    groups: list[str] = Field(description="its groups", examples=[["B", "L"]])
    backend: _BACKEND = Field(description="its backend")
    entries: str = Field(description="its entries", examples=["B_L"])
    ctas: int | None = Field(description="its CTAs; kernels have none of their own", examples=[88])
    solo_us: float | None = Field(description="a round alone", examples=[30.0])
    pair_us: float | None = Field(description="a round beside the other side", examples=[36.5])
    slowdown: float | None = Field(description="the one over the other", examples=[1.22])


class TimedPairShape(Shape):
    """A producer and a consumer that ran beside each other."""

    producer: PairSideShape = Field(description="the side of the producers")
    consumer: PairSideShape = Field(description="the side of the consumers")
    batch: Batch
    because: str | None = Field(description="why it did not qualify", examples=[None])
    relative_l2: float | None = Field(description="how far what was computed is from the reference", examples=[0.002])
    notes: list[str] = Field(description="what to know before trusting it", examples=[[]])
    cooperative: bool = Field(description="how persistent sides were launched", examples=[True])
    wanted_ctas: int = Field(description="blocks that should have met", examples=[132])
    met_ctas: int = Field(description="blocks that did", examples=[132])


class ExcludedRunShape(Shape):
    """A candidate that the planner excludes."""

    candidate: Candidate
    batch: Batch
    because: str = Field(description="all causes", examples=["LIM-12 7 CTAs > 6 SMs"])


class _RunsShape(Shape):
    megasolve: Literal["runs/v1"] = Field(description="the kind of this result")
    spec: str = Field(description="the spec", examples=["streamlet"])
    device: str = Field(description="the device", examples=["h200"])
    backend: str = Field(description="gpu, or cpu for the stand-in", examples=["gpu"])
    fake: bool = Field(description="whether it is the stand-in", examples=[False])
    measured: str = Field(description="the file that runs are added to", examples=["specs/streamlet/measured/gpu.jsonl"])
    excluded: list[ExcludedRunShape] = Field(description="candidates that cannot be planned")
    complete: bool = Field(description="whether everything ran and qualified", examples=[True])
    notes: list[str] = Field(description="what else to know", examples=[[]])


class PlannedRunsShape(_RunsShape):
    """What would be launched."""

    dry_run: Literal[True] = Field(description="whether nothing was launched")
    compositions: list[PlannedCompositionShape] = Field(description="candidates")
    co_runs: list[PlannedPairShape] = Field(description="pairs")


class RunsShape(_RunsShape):
    """What became of every run."""

    dry_run: Literal[False] = Field(description="whether nothing was launched")
    compositions: list[TimedCompositionShape] = Field(description="candidates")
    co_runs: list[TimedPairShape] = Field(description="pairs")
