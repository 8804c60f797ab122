"""What measuring times came to, or would do: the values of `measurement/v1`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..model.contract import Backend


@dataclass(frozen=True, slots=True)
class TimedKey:
    """What tells one time from the others of a spec."""

    group: str
    backend: Backend
    entry: str
    budget_ctas: int
    batch: int


@dataclass(frozen=True, slots=True)
class BlockPlan:
    """What one session would launch, how many launches that are and how many seconds they take."""

    what: str
    batch: int
    times: tuple[TimedKey, ...]
    launches: int
    seconds: float


@dataclass(frozen=True, slots=True)
class AcceptedTime(TimedKey):
    """A time that has a record now. *overhead_us* is what its launch takes with nothing to do, *derived_us* the time by its program."""

    time_us: float
    interval_us: tuple[float, float] | None
    accuracy: float | None
    derived_us: float | None
    overhead_us: float
    hbm_bytes: int | None


@dataclass(frozen=True, slots=True)
class BrokenRule:
    """A rule of acceptance that samples break, with the figures."""

    rule: str
    figures: str


@dataclass(frozen=True, slots=True)
class UnacceptedTime(TimedKey):
    """A time whose *samples*, kept in that file, break *rules*; None where they could not be kept."""

    rules: tuple[BrokenRule, ...]
    samples: str | None


@dataclass(frozen=True, slots=True)
class UntakenTime(TimedKey):
    """A time that could not be taken, and why in one line; *detail* is more to read."""

    because: str
    detail: str


@dataclass(frozen=True, slots=True)
class WholeCallTime:
    """All conventional kernels of a call in one graph, and one by one; *empty_launch_us* is what each takes with nothing to do."""

    what: str
    batch: int
    launches: int
    together_us: float
    one_by_one_us: float
    empty_launch_us: float


@dataclass(frozen=True, slots=True)
class SeenLaunchCost:
    """What one launch costs, in microseconds: the host is busy, the device waits, and, in a graph, the gap before each kernel."""

    host_us: float
    exposed_us: float
    gap_us: float | None = None


@dataclass(frozen=True, slots=True)
class SeenCosts:
    """Costs by kind of launch, and what passes from the signal of one CTA until the next one goes on (*wait_us*)."""

    device: str
    fake: bool
    launches: Mapping[str, SeenLaunchCost]
    wait_us: float


@dataclass(frozen=True, slots=True)
class UnseenCosts:
    """Why costs were not measured."""

    because: str


@dataclass(frozen=True, slots=True)
class AskedMeasurement:
    """Where times are taken and where their records go; *tried* are those that the file lacks."""

    spec: str
    device: str
    backend: str
    fake: bool
    cache: str
    records: str
    tried: int


@dataclass(frozen=True, slots=True)
class PlannedTimes(AskedMeasurement):
    """What a measurement would run, *workers* blocks at a time; *estimated* says where the seconds come from."""

    blocks: tuple[BlockPlan, ...]
    workers: int
    estimated: str

    @property
    def complete(self) -> bool:
        """Whether nothing is left out: a plan leaves nothing out."""
        return True


@dataclass(frozen=True, slots=True)
class MeasuredTimes(AskedMeasurement):
    """What became of every time, and what launches and waits cost; *stopped* says why the rest was not tried."""

    written: tuple[AcceptedTime, ...]
    not_accepted: tuple[UnacceptedTime, ...]
    failed: tuple[UntakenTime, ...]
    whole_calls: tuple[WholeCallTime, ...]
    costs: SeenCosts | UnseenCosts | None
    stopped: str | None
    complete: bool
