"""What runs of whole candidates and of co-runs came to, or what they would launch: the values of `runs/v1`."""

from __future__ import annotations

from dataclasses import dataclass

from ..model.contract import Backend


@dataclass(frozen=True, slots=True)
class PlannedComposition:
    """The launches of a candidate, in words, in the order in which the host issues them."""

    candidate: str
    batch: int
    launches: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlannedPair:
    """What would run beside each other."""

    what: str
    batch: int


@dataclass(frozen=True, slots=True)
class TimedComposition:
    """A candidate that ran, with its median and the interval of that, or *because* of what there is none."""

    candidate: str
    entries: tuple[str, ...]
    batch: int
    because: str | None
    relative_l2: float | None
    notes: tuple[str, ...]
    time_us: float | None
    interval_us: tuple[float, float] | None
    samples: int


@dataclass(frozen=True, slots=True)
class PairSide:
    """One side of a co-run: the median of a round alone and beside the other side. Kernels have no *ctas* of their own."""

    groups: tuple[str, ...]
    backend: Backend
    entries: str
    ctas: int | None
    solo_us: float | None
    pair_us: float | None
    slowdown: float | None


@dataclass(frozen=True, slots=True)
class TimedPair:
    """A producer and a consumer that ran beside each other, or *because* of what they did not."""

    producer: PairSide
    consumer: PairSide
    batch: int
    because: str | None
    relative_l2: float | None
    notes: tuple[str, ...]
    cooperative: bool
    wanted_ctas: int
    met_ctas: int


@dataclass(frozen=True, slots=True)
class ExcludedRun:
    """A candidate that the planner excludes at a batch, with all causes."""

    candidate: str
    batch: int
    because: str


@dataclass(frozen=True, slots=True)
class RunsOfSpec:
    """Where runs take place, and the file that they are added to (*measured*)."""

    spec: str
    device: str
    backend: str
    fake: bool
    measured: str


@dataclass(frozen=True, slots=True)
class PlannedRuns(RunsOfSpec):
    """What would be launched."""

    compositions: tuple[PlannedComposition, ...]
    co_runs: tuple[PlannedPair, ...]
    excluded: tuple[ExcludedRun, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class MeasuredRuns(RunsOfSpec):
    """What became of every run."""

    compositions: tuple[TimedComposition, ...]
    co_runs: tuple[TimedPair, ...]
    excluded: tuple[ExcludedRun, ...]
    complete: bool
