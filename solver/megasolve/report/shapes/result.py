"""The shape of `result/v1`: what `megasolve solve --format json` prints, and with that a frozen plan."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from .shape import Batch, Candidate, CauseShape, Exact, InputShape, Ratio6, Shape, StepsShape, UsText

CountOrText = int | str


class SlowerVariantShape(Shape):
    """A choice of entries in which a candidate is slower than at its best."""

    entries: list[str] = Field(description="the entries of each region", examples=[["P", "B_L_512", "C"]])
    score_us: UsText
    score_ps: Exact
    difference: Ratio6 = Field(description="how much slower than its candidate, a fraction as text", examples=["0.012000"])
    accuracy: Ratio6 | None = Field(description="the accuracy that its evidence states; null where none does", examples=[None])
    too_close: bool = Field(description="whether the evidence cannot tell it from its candidate", examples=[False])


class DroppedVariantShape(Shape):
    """A choice of entries that cannot be scored."""

    entries: list[str] = Field(description="the entries of each region", examples=[["P", "B_L_512", "C"]])
    causes: list[CauseShape] = Field(description="every cause of it")


class MeasuredSideShape(Shape):
    """One side of a measured co-run, beside what the model says of it: a round alone, and beside the other side."""

    groups: list[str] = Field(description="its groups", examples=[["B", "L"]])
    backend: Literal["conventional", "megakernel"] = Field(description="its backend")
    entries: list[str] = Field(description="its entries", examples=[["B_L"]])
    ctas: int | None = Field(description="its CTAs, or its SMs on a partition; null for kernels that take what is free", examples=[88])
    alone_us: UsText = Field(description="measured alone, in microseconds: the lower median", examples=["1290.000000"])
    beside_us: UsText = Field(description="measured beside the other side", examples=["9760.000000"])
    slowdown: Ratio6 | None = Field(description="the one over the other, as text", examples=["7.565891"])
    predicted_alone_us: UsText | None = Field(
        description="predicted alone; null where the model has no such time", examples=["1290.000000"]
    )
    predicted_beside_us: UsText | None = Field(description="predicted beside the other side", examples=["3870.000000"])
    predicted_slowdown: Ratio6 | None = Field(description="the one over the other, as text", examples=["3.000000"])


class MeasuredBesideShape(Shape):
    """A measured run of the same, which enters no score: a co-run of two sides that run beside each other, or the whole candidate."""

    kind: Literal["co_run", "composition"] = Field(description="what was measured")
    place: str = Field(description="where it stands", examples=["measured.yaml:3:5"])
    device: str = Field(description="the device that it ran on", examples=["h100_nvl"])
    provenance: dict[str, Any] = Field(description="where it comes from, as a record writes it")
    notes: list[str] = Field(description="what to know before trusting its times", examples=[[]])
    producer: MeasuredSideShape | None = Field(None, description="of a co-run: the side of the producers")
    consumer: MeasuredSideShape | None = Field(None, description="of a co-run: the side of the consumers")
    time_us: UsText | None = Field(None, description="of a whole candidate: its time to the first publication, the lower median")
    predicted_us: UsText | None = Field(None, description="of a whole candidate: the predicted time; null where there is none")


class RowShape(Shape):
    """What is known of a ranked candidate beside its score."""

    cover: str = Field(description="its regions, in order", examples=["m:P/m:B+L/m:C"])
    policy: str = Field(description="how they share the GPU", examples=["dynamic:88/44"])
    entries: list[str] = Field(description="the entries of each region, in its best variant", examples=[["P", "B+L", "C"]])
    evidence: list[str] = Field(description="the kinds of evidence that the score rests on", examples=[["measured"]])
    accuracy: Ratio6 | None = Field(description="the accuracy that the evidence states; null where none does", examples=["0.020000"])
    accuracy_is_partial: bool = Field(description="whether only some of the evidence states one", examples=[False])
    same_as: Candidate | None = Field(description="the first candidate that is the same design", examples=[None])
    variants: list[list[str]] = Field(description="the choices of entries with the same score", examples=[[["P", "B+L", "C"]]])
    notes: list[str] = Field(description="what the score assumes", examples=[[]])
    measured: list[MeasuredBesideShape] | None = Field(None, description="what was measured of the same; it enters no score")
    slower_variants: list[SlowerVariantShape] = Field(description="choices of entries that are slower")
    dropped_variants: list[DroppedVariantShape] = Field(description="choices of entries that cannot be scored")


class RankedShape(RowShape):
    """A candidate with its score; a row stands for one, and in a space that was searched for a design."""

    id: Candidate
    place: int = Field(description="its place; candidates of equal score share that of the first", examples=[1])
    score_us: UsText
    score_ps: Exact
    difference: Ratio6 = Field(description="over the best score, a fraction as text", examples=["0.000000"])
    scores: dict[str, UsText] | None = Field(None, description="where several times are named: each, by objective")
    real_time_factor: Ratio6 | None = Field(
        None, description="where playback is known: the time that a later chunk takes over the time that it plays", examples=["0.482000"]
    )
    keeps_up: bool | None = Field(None, description="where playback is known: whether the sound goes on to the end", examples=[True])
    same_as_count: int | None = Field(None, description="in a space that was searched: how many other candidates it is", examples=[3])
    records: list[str] = Field(description="the places of the records that it rests on", examples=[["records.yaml:12:3"]])


class ExcludedShape(Shape):
    """A candidate without a score."""

    id: Candidate
    causes: list[CauseShape] = Field(description="every cause of it, never only the first")


class SpaceShape(Shape):
    """How large the space is; text, as counts may pass what readers of JSON hold."""

    candidates: str = Field(description="how many candidates there are", examples=["81"])
    variants: str = Field(description="how many choices of entries they have in all", examples=["81"])


class TiesShape(Shape):
    """What has exactly the best score."""

    designs: CountOrText = Field(description="how many designs", examples=[1])
    candidates: CountOrText = Field(description="how many candidates they are", examples=[2])
    at_least: bool | None = Field(None, description="whether there may be more", examples=[True])


class ExcludedByShape(Shape):
    """How many candidates one rule excludes."""

    rule: str = Field(description="the code of the rule", examples=["MEM-01"])
    candidates: CountOrText = Field(description="how many candidates", examples=[12])
    example: Candidate = Field(description="one of them")
    because: str = Field(description="the fact that excludes that one", examples=["no megakernel entry has exactly the groups B, L"])
    so_far: bool | None = Field(None, description="whether a search may still find more", examples=[True])


class LeftOutShape(CauseShape):
    """Why candidates are left without an entry."""

    ranked: int = Field(description="candidates that are ranked in another entry", examples=[2])
    excluded: int = Field(description="candidates that are excluded", examples=[1])


class EntryShape(Shape):
    """Where one entry stands in the ranking."""

    entry: str = Field(description="its name", examples=["B+L"])
    backend: Literal["conventional", "megakernel"] = Field(description="its backend")
    members: list[str] = Field(description="the groups that it runs", examples=[["B", "L"]])
    best_in: list[Candidate] = Field(description="candidates whose best variant uses it")
    slower_in: int = Field(description="candidates that are slower with it", examples=[0])
    left_out_of: int = Field(description="candidates that it is left out of", examples=[0])
    left_out: list[LeftOutShape] = Field(description="why")


class ConflictShape(Shape):
    """One of the constraints that no plan keeps together."""

    path: str = Field(description="its key in the spec, or the words of --where", examples=["constraints.megakernels"])
    rule: str = Field(description="the code of its rule", examples=["REQ-01"])
    needs: int | str | None = Field(description="the least that it would have to allow; null where it is no number", examples=[3])


class FrontPointShape(Shape):
    """A plan of the Pareto front."""

    id: Candidate
    entries: list[str] = Field(description="the entries of each region", examples=[["P", "B+L", "C"]])
    scores: dict[str, UsText] = Field(description="its times, by objective")
    scores_ps: dict[str, Exact] = Field(description="the same, exact")
    same: int = Field(description="how many further plans have the same times", examples=[0])
    at_least: bool | None = Field(None, description="whether a search may still find more", examples=[True])


class IntervalShape(Shape):
    """A simulated mean."""

    mean: float = Field(description="the mean", examples=[0.306])
    within_99: float = Field(description="99 % of such runs lie within this of it", examples=[0.002])


class ArrivalsShape(Shape):
    """A simulated queue in front of the best design, which serves one whole request at a time."""

    requests_per_s: float = Field(description="requests per second, on average", examples=[2])
    service_us: UsText = Field(description="how long a whole request takes the GPU")
    utilization: float = Field(description="requests in the time of one; from 1 on the queue grows without end", examples=[0.306])
    busy: IntervalShape | None = Field(description="the share of requests that find the GPU busy; null where the queue has no end")
    added_us: IntervalShape | None = Field(description="what that adds to first audio, in microseconds; null where the queue has no end")


class BatchShape(Shape):
    """The ranking at one batch."""

    batch: Batch
    objective: str = Field(description="the time that orders the rows", examples=["first_publication"])
    ablation: Literal["full", "additive", "no_overlap"] = Field(description="how the scores were made")
    covers: int | str = Field(description="how many covers there are", examples=[54])
    candidates: int | str = Field(description="how many candidates there are", examples=[81])
    space: SpaceShape = Field(description="the same with the choices of entries")
    simulated: int = Field(description="how many designs were simulated", examples=[81])
    bounded: str | None = Field(None, description="of a searched space: candidates that a bound leaves out, as text", examples=["4000"])
    proven: bool = Field(description="whether nothing better is left", examples=[True])
    gap: float | None = Field(description="by how much something better could be; null where nothing was found", examples=[0])
    ties: TiesShape = Field(description="what has exactly the best score")
    excluded_by: list[ExcludedByShape] = Field(description="what each rule excludes")
    best: list[Candidate] = Field(description="every candidate of least score")
    ranking: list[RankedShape] = Field(description="the candidates with a score, best first")
    excluded: list[ExcludedShape] = Field(description="the candidates without one; empty where a space was searched")
    too_close: list[Candidate] = Field(description="other designs whose margin is below the stated accuracy", examples=[[]])
    notes: list[str] = Field(description="what to know before trusting the ranking", examples=[[]])
    findings: list[CauseShape] | None = Field(None, description="those of the notes that say what is wrong with the best plan")
    unshown: list[str] | None = Field(None, description="measured runs of this batch that stand beside no row, and why")
    arrivals: ArrivalsShape | None = Field(None, description="where the spec states arrivals: what a queue of them adds")
    steps: StepsShape = Field(description="the steps r and h")
    entries: list[EntryShape] = Field(description="where each entry stands")
    objectives: list[str] | None = Field(None, description="where several times are named: all, in order", examples=[["chunk_interval"]])
    conflict: list[ConflictShape] | None = Field(None, description="where constraints leave no plan: an irreducible set of them")
    pareto: list[FrontPointShape] | None = Field(None, description="with --pareto: the front")


class OutsideShape(Shape):
    """Time of a profile that no candidate has."""

    what: str = Field(description="what takes the time", examples=["sampling"])
    time_us: UsText
    time_ps: int = Field(description="picoseconds", examples=[12500000])
    because: str = Field(description="why it is in no record", examples=["on the host"])


class SetFieldShape(Shape):
    """A field that --set replaced."""

    file: str = Field(description="the file that has it", examples=["specs/nh_tts/records/batch_32.yaml"])
    path: str = Field(description="where in that file", examples=["$.records[3].duration_us"])
    before: str | None = Field(description="what stands there; null where nothing does", examples=["120"])


class SettingShape(Shape):
    """One --set."""

    path: str = Field(description="the path that was set", examples=["device.launch.graph.gap_us"])
    value: str = Field(description="the value, as a file would have it", examples=["0.5"])
    fields: list[SetFieldShape] = Field(description="the fields that it matched")


class CapacityShape(Shape):
    """How many streams are served at once, all limits kept."""

    batch: Batch | None = Field(description="the largest batch at which some design keeps up; null where none does", examples=[64])
    streams: int = Field(description="the streams that are served at once", examples=[64])
    id: Candidate | None = Field(description="the best design that does; null where none does")
    at_least: bool | None = Field(None, description="whether a search of a larger batch may have missed one that does", examples=[True])


class ServedShape(Shape):
    """A design with the largest batch at which it keeps up."""

    id: Candidate
    batch: Batch
    streams: int = Field(description="the streams that it serves at once", examples=[64])
    real_time_factor: Ratio6 = Field(description="what a later chunk takes there over what it plays", examples=["0.937500"])


class ResultShape(Shape):
    """What `megasolve solve --format json` prints. With its inputs it is a frozen plan."""

    megasolve: Literal["result/v1"] = Field(description="the kind of this result")
    spec: str = Field(description="the name of the spec", examples=["nh_tts"])
    device: str = Field(description="the name of the device that was planned for", examples=["h100_nvl"])
    without: list[str] = Field(description="mechanisms that were off", examples=[[]])
    set: list[SettingShape] | None = Field(None, description="with --set: what was put in the place of what files have")
    outside: list[OutsideShape] | None = Field(None, description="time of a profile that no candidate has")
    version: str | None = Field(None, description="the version of megasolve", examples=["0.1.0"])
    options: dict[str, Any] | None = Field(None, description="the options that were asked for, by name")
    inputs: list[InputShape] | None = Field(None, description="every file that was read, the spec first")
    capacity: CapacityShape | None = Field(None, description="where playback is known: the largest batch that is served")
    by_capacity: list[ServedShape] | None = Field(None, description="with --objective capacity: designs, the one that serves most first")
    results: list[BatchShape] = Field(description="one ranking per batch")
