"""The shape of `evaluation/v1`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .shape import Batch, Candidate, Exact, Number, Shape, StampedShape, Us


class RatioShape(Shape):
    """A time over that of the fastest design, over the blocks that both ran in."""

    value: Number
    low: float | None = Field(description="the lower end of the 95 % interval; null where there are too few blocks", examples=[1.004])
    high: float | None = Field(description="the upper end of the 95 % interval; null where there are too few blocks", examples=[1.017])
    blocks: int = Field(description="how many blocks both ran in", examples=[4])


class GroupErrorShape(Shape):
    """What the calls of one group took in a run, beside what their records say."""

    group: str | None = Field(description="the group; null for what is in none: launches, waits, overlap", examples=["B"])
    measured_us: Us
    measured_ps: Exact
    predicted_us: Us
    predicted_ps: Exact
    error: Number | None = Field(description="predicted over measured, less one; null for what is in no group", examples=[-0.12])


class DesignErrorShape(Shape):
    """A design of the pool: what was measured of it, and what was predicted."""

    id: Candidate
    also: list[Candidate] = Field(description="further ids of the same design under which it was measured", examples=[[]])
    entries: list[str] | None = Field(
        description="the entries of each region, where they are not those of the best variant", examples=[None]
    )
    measured_us: Us
    measured_ps: Exact
    predicted_us: Us | None = Field(description="the score; null where there is none", examples=[42520.0])
    predicted_ps: Exact | None = Field(description="the score, exact; null where there is none", examples=[42520000000])
    error: Number | None = Field(description="predicted over measured, less one; null without a prediction", examples=[0.181])
    because: str | None = Field(description="why there is no prediction", examples=[None])
    ratio: RatioShape | None = Field(description="its time over that of the fastest; null where no block has both")
    blocks: int = Field(description="how many blocks it ran in", examples=[4])
    runs: int = Field(description="how many runs it has", examples=[12])
    groups: list[GroupErrorShape] = Field(description="its groups, where they were measured")
    cancelled_ps: Exact = Field(description="how much of the errors of its groups does not show in the whole", examples=[0])


class CaseShape(Shape):
    """One batch, as one planner sees it."""

    batch: Batch
    measured_best: list[Candidate] = Field(description="the fastest design of the pool; several where they are exactly as fast")
    predicted_best: list[Candidate] = Field(description="the design of the pool that the planner names; several where scores are equal")
    match: bool | None = Field(
        description="whether one design alone is the fastest, and it alone is named; null for a pool of one", examples=[True]
    )
    regret: Number | None = Field(
        description="how much slower the named design is, the worst of equal ones; null where none is named", examples=[0.0]
    )
    tau_b: float | None = Field(description="Kendall's tau-b of scores and times; null where one does not order any two", examples=[0.667])
    too_close: bool | None = Field(description="whether the interval of the ratio holds one; null without an interval", examples=[False])
    ratio: RatioShape | None = Field(description="the time of the second design over that of the fastest")
    measured_margin: Number | None = Field(description="by how much the second design is slower, by all of its runs", examples=[0.01])
    predicted_margin: Number | None = Field(
        description="by how much the second score of the pool is larger than the first", examples=[0.002]
    )
    within_accuracy: bool | None = Field(
        description="whether the predicted margin is below the accuracy that the evidence states; null where it states none",
        examples=[None],
    )
    outside: list[Candidate] = Field(description="the best designs of the whole space that nobody measured", examples=[[]])
    errors: list[DesignErrorShape] = Field(description="every design of the pool, fastest first")
    notes: list[str] = Field(description="what to know before believing this case", examples=[["intervals over 3 blocks are coarse"]])


class PlannerShape(Shape):
    """One planner over all cases."""

    matches: int = Field(description="in how many cases it named the one fastest design", examples=[3])
    of: int = Field(description="how many cases there are in which there was something to choose", examples=[3])
    largest_regret: Number | None = Field(description="its largest regret; null where it named nothing", examples=[0.045])
    cases: list[CaseShape] = Field(description="the batches that were measured, in the order of the spec")


class PlannersShape(Shape):
    """The planner and both ablations; one is absent where it was not frozen and can no longer be scored."""

    full: PlannerShape | None = Field(None, description="the planner itself")
    additive: PlannerShape | None = Field(None, description="the ablation that sums service and dispatch")
    no_overlap: PlannerShape | None = Field(None, description="the ablation in which nothing runs beside anything")


class StatisticShape(Shape):
    """What one number stands for all runs of a design."""

    name: Literal["mean", "p50", "p95", "block_p95"] = Field(
        description="the statistic; block_p95 is the mean, over blocks, of the p95 of each", examples=["mean"]
    )
    unit: Literal["run", "block"] = Field(description="what counts once: each run, or each block by its mean", examples=["run"])


class BootstrapShape(Shape):
    """How intervals were made."""

    resamples: int = Field(description="how often the blocks were drawn", examples=[20000])
    coverage: float = Field(description="the share of resamples inside an interval", examples=[0.95])
    seed: int = Field(description="the seed of the draws", examples=[0])


class ChangeShape(Shape):
    """What a frozen plan was made of and is no longer so."""

    path: str = Field(description="the file; megasolve for its version, or an option", examples=["specs/nh_tts/records/batch_32.yaml"])
    how: Literal["changed", "new", "gone", "version", "option", "unknown"] = Field(description="what happened to it", examples=["changed"])
    was: str | None = Field(description="its hash, version or value when the plan was made", examples=["0.1.0"])
    now: str | None = Field(description="the same now", examples=["0.2.0"])


class FrozenPlanShape(Shape):
    """The frozen plan that was judged."""

    changes: list[ChangeShape] = Field(description="what has changed since it was made; empty where nothing has")


class EvaluationShape(StampedShape):
    """What `megasolve evaluate --format json` prints."""

    megasolve: Literal["evaluation/v1"] = Field(description="the kind of this result")
    objective: str = Field(description="the time that was measured and predicted", examples=["first_publication"])
    label: Literal["regression, counts for nothing"] | None = Field(
        description="set where the records are reconstructed from totals, so that a success counts for nothing", examples=[None]
    )
    statistic: StatisticShape = Field(description="what one number stands for all runs of a design")
    bootstrap: BootstrapShape = Field(description="how intervals were made")
    plan: FrozenPlanShape | None = Field(description="the frozen plan; null where the plan of today was judged")
    notes: list[str] = Field(description="what to know before believing any of this", examples=[[]])
    planners: PlannersShape = Field(description="the planner and its ablations")
