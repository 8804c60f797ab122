"""Results: plain values that say what was ranked, why, and from which evidence."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from megasolve.contracts import PS_PER_SECOND, OutsideTime
from megasolve.contracts.files.settings import Setting
from megasolve.simulate import Ablation, Objective
from megasolve.simulate.plan.candidate import Candidate
from megasolve.simulate.plan.cause import Cause

from ..search.predicates import Variant
from .compose import Composed
from .rivals import DroppedVariant, ScoredVariant
from .searched import Searched
from .steps import Steps
from .stream.findings import PlanFinding
from .stream.playback import Playback
from .times import Ps

if TYPE_CHECKING:
    from .entry_standing import EntryStanding
    from .goals.conflict import Conflicting
    from .told.shown import RunBeside


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score: that of its best variant.

    *order* are all times by which it is ranked, the score first, and *times* those and all that have a limit.
    *entries* names the entries of that variant per region, *variants* those of all variants with the same score (*tied*).
    *slower* are the other variants that can be scored, best first, *dropped* those that cannot.
    *same_as* is the id of the first candidate that lowers to the same event graph: both are one design. *accuracy* is the
    relative accuracy that the evidence states, each record weighted by its share of the score; None where none states any,
    and *accuracy_is_partial* where only some do. In a space that was searched every row is a design, and *same_as_count* says how many
    other candidates it is. *playback* is when its chunks arrive and are played; None where nothing is known of it. *measured* are runs of
    the same, which never enter the score.
    """

    candidate: Candidate
    score_ps: Ps
    order: tuple[Ps, ...]
    times: tuple[tuple[Objective, Ps], ...]
    entries: tuple[str, ...]
    variants: tuple[tuple[str, ...], ...]
    evidence: tuple[str, ...]
    composed: Composed
    accuracy: Fraction | None = None
    accuracy_is_partial: bool = False
    same_as: str | None = None
    notes: tuple[str, ...] = ()
    tied: tuple[Variant, ...] = ()
    slower: tuple[ScoredVariant, ...] = ()
    dropped: tuple[DroppedVariant, ...] = ()
    same_as_count: int = 0
    playback: Playback | None = None
    measured: tuple[RunBeside, ...] = ()

    @property
    def id(self) -> str:
        """The candidate's canonical id."""
        return str(self.candidate)

    @property
    def keeps_up(self) -> bool:
        """Whether the sound of a stream goes on to its end; a row without evidence of later chunks is not counted on."""
        return self.playback is not None and self.playback.stop is None

    @property
    def too_close(self) -> tuple[ScoredVariant, ...]:
        """The slower variants whose margin is smaller than what the evidence states."""
        return tuple(one for one in self.slower if one.is_too_close(self.score_ps, self.accuracy))


@dataclass(frozen=True, slots=True)
class ParetoPoint:
    """A plan of the front: its candidate and entries, and its *times* in the order in which they are asked for.

    *same* is how many further plans have the same times; where *is_least* there may be more.
    """

    id: str
    entries: tuple[str, ...]
    times: tuple[Ps, ...]
    same: int = 0
    is_least: bool = False


@dataclass(frozen=True, slots=True)
class Excluded:
    """A candidate that cannot be scored, with every cause."""

    candidate: Candidate
    causes: tuple[Cause, ...]

    @property
    def id(self) -> str:
        """The candidate's canonical id."""
        return str(self.candidate)


@dataclass(frozen=True, slots=True)
class Interval99:
    """A simulated *mean* with what 99 % of such runs lie within of it."""

    mean: float
    half_width: float

    def holds(self, value: float) -> bool:
        """Whether *value* lies in the interval."""
        return abs(value - self.mean) <= self.half_width


@dataclass(frozen=True, slots=True)
class QueueInFront:
    """A queue of requests that each take *service_ps*, at *requests_per_s*: the share that finds the GPU *busy*, and how long they wait.

    Both are None where requests come as fast as they are served, or faster: such a queue grows without end.
    """

    requests_per_s: Fraction
    service_ps: Ps
    busy: Interval99 | None
    added_ps: Interval99 | None

    @property
    def utilization(self) -> Fraction:
        """Requests in the time of one: the share of time for which the GPU works, below 1."""
        return self.requests_per_s * Fraction(self.service_ps) / PS_PER_SECOND

    @property
    def exact_added_ps(self) -> float:
        """The mean wait of a queue with one fixed service and random arrivals (M/D/1)."""
        return float(self.utilization * Fraction(self.service_ps) / (2 * (1 - self.utilization)))


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The ranking at one batch: best first, ties in the order of enumeration; *best* holds every minimum-score candidate.

    *too_close* lists the candidates of other designs whose margin over the best is smaller than the stated accuracy. *entries* says
    where each entry stands. *objectives* are all times that order the rows, *objective* first. *conflict* has the constraints that leave
    no candidate, if they are the reason, and *pareto* the front, if it was asked for. *variants*
    counts the choices of entries of all candidates. A space that is too large to rank was *searched*: *ranking* then has the best designs
    alone, *excluded* nothing, and *entries* nothing. *queue* is what stated arrivals do to the best design. *findings* are those of
    *notes* that say what is wrong with it. *unshown* says of measured runs why they stand beside no row.
    """

    batch: int
    objective: Objective
    ablation: Ablation
    covers: int
    candidates: int
    best: tuple[str, ...]
    ranking: tuple[Ranked, ...]
    excluded: tuple[Excluded, ...]
    steps: Steps
    too_close: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    entries: tuple[EntryStanding, ...] = ()
    objectives: tuple[Objective, ...] = ()
    conflict: tuple[Conflicting, ...] = ()
    pareto: tuple[ParetoPoint, ...] = ()
    variants: int = 0
    searched: Searched | None = None
    queue: QueueInFront | None = None
    findings: tuple[PlanFinding, ...] = ()
    unshown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StreamCapacity:
    """The largest *batch* of those asked for that some design serves, and the *streams* that are served at once: as many.

    *id* is the best design that does; both are None where none keeps up at any batch. *at_least*: a larger batch was searched, and others
    than its best designs may keep up.
    """

    batch: int | None
    streams: int
    id: str | None
    at_least: bool = False


@dataclass(frozen=True, slots=True)
class ServedDesign:
    """The design *id* with the largest *batch* of those asked for at which it keeps up, and its real-time factor there."""

    id: str
    batch: int
    real_time_factor: Fraction


@dataclass(frozen=True, slots=True)
class Result:
    """What `solve` returns: one ranking per batch.

    *without* names the mechanisms of derived times that were off, *outside* is the time of a profile that no candidate has, and *settings*
    are the fields that have another value here than in the files. *is_by_capacity*: designs are asked for by how many streams they serve.
    """

    spec: str
    device: str
    results: tuple[BatchResult, ...]
    without: tuple[str, ...] = ()
    outside: tuple[OutsideTime, ...] = ()
    settings: tuple[Setting, ...] = ()
    is_by_capacity: bool = False

    @property
    def served(self) -> tuple[ServedDesign, ...]:
        """Every design that keeps up at some batch, the one that serves most first; of equal ones the one with more time to spare."""
        found: dict[str, ServedDesign] = {}
        for batch in sorted(self.results, key=lambda one: one.batch):
            for row in batch.ranking:
                if row.keeps_up and row.playback is not None and row.same_as is None:
                    found[row.id] = ServedDesign(row.id, batch.batch, row.playback.real_time_factor)
        return tuple(sorted(found.values(), key=lambda one: (-one.batch, one.real_time_factor)))

    @property
    def capacity(self) -> StreamCapacity | None:
        """The largest batch at which some design keeps up, in the best that does; None where nothing is known of playback.

        Candidates that pass a limit of the constraints are in no ranking, so all limits hold.
        """
        if not any(row.playback for batch in self.results for row in batch.ranking):
            return None
        served = [(batch.batch, row.id) for batch in self.results if (row := next((one for one in batch.ranking if one.keeps_up), None))]
        most, name = max(served, key=lambda one: one[0], default=(None, None))
        is_least = any(batch.searched and (most is None or batch.batch > most) for batch in self.results)
        return StreamCapacity(most, most or 0, name, is_least)

    @property
    def is_feasible(self) -> bool:
        """Whether every batch has at least one candidate, or may have one that nobody found in time."""
        return all(result.ranking or (result.searched and not result.searched.is_proven) for result in self.results)

    @property
    def has_findings(self) -> bool:
        """Whether something is wrong with the best design of any batch."""
        return any(result.findings for result in self.results)
