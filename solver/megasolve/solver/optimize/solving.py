"""Solving: a small space is ranked whole, of a large one the best designs are searched and proven."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from megasolve.contracts import Study, asked_batches
from megasolve.simulate import Ablation, Effects, Objective
from megasolve.simulate.plan.budgets import planned_spec
from megasolve.simulate.plan.counting import count_covers
from megasolve.simulate.plan.need import Question

from ..assuming.expanded import with_assumptions
from ..evidence.asking import asked_objectives, named
from ..evidence.derivation import Derivation
from ..evidence.lookup import Evidence
from ..goals.stated import Where, stated_constraints
from ..pool.executor import in_order
from ..pool.shared import Shared
from ..search.predicates import Judge
from ..search.size import Size, planned_size, refuse_whole
from ..search.wanted import wanted_times
from ..select.goals.times import goals_of
from ..select.result import BatchResult, Ranked, Result
from ..select.rivals import ScoredVariant
from ..select.searched import ExcludedBy, Searched
from ..select.selection import ranked_row, too_close
from ..select.steps import steps_of
from ..select.stream.arrivals import arrival_remarks, queue_of
from ..select.stream.continuity import continuity_remarks, with_playback
from ..select.stream.findings import findings_in
from ..select.told.beside import unshown_runs, with_measured
from ..select.told.notes import device_notes, evidence_notes
from .studies.batches import Ranking, ranked, ranked_side_by_side

if TYPE_CHECKING:
    from .counting import SpaceCounts
    from .hits import Found, Hit, Watch

Progress = Callable[[str], None]
TOP = 10
CAPACITY = "capacity"


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Effort:
    """How a large space is searched: for the *top* best designs, for at most *seconds*, until *is_stopped*; *watch* sees how far it is.

    *whole* ranks the whole space, where it is not far too large. *held* is entered while a search runs: only *is_stopped* ends it then.
    Who stops and who watches stay behind where an effort goes to another process: that one is ended with its task.
    """

    top: int = TOP
    seconds: float | None = None
    whole: bool = False
    is_stopped: Callable[[], bool] = _never
    watch: Watch | None = None
    held: Callable[[], AbstractContextManager[None]] = nullcontext

    @property
    def is_left_alone(self) -> bool:
        """Whether nobody stops a search or watches it, so that another process may do it."""
        return self.is_stopped is _never and self.watch is None

    def __reduce__(self) -> tuple[type[Effort], tuple[int, float | None, bool]]:
        return Effort, (self.top, self.seconds, self.whole)


def solve(
    study: Study,
    *,
    batches: Sequence[int] | None = None,
    objective: Objective | str | Sequence[Objective | str] | None = None,
    where: Sequence[Where] = (),
    pareto: Sequence[Objective | str] = (),
    ablation: Ablation | str = Ablation.FULL,
    progress: Progress | None = None,
    derivation: Derivation | None = None,
    effects: Effects | None = None,
    effort: Effort | None = None,
) -> Result:
    """Rank every candidate of *study* at each batch; where there are too many, find the best designs and prove them.

    Parameters
    ----------
    batches
        The batches to plan for; by default all that the spec lists, in its order.
    objective
        What to minimise, as a value or by name; of several the first decides, and each further one among equals. By default what
        the spec says. With `capacity`, here or there, designs are told, too, by the largest batch that they serve; where no time is named
        beside it, rows have their chunk interval.
    where
        Constraints beside those of the spec.
    pareto
        Times whose exact front is wanted: they are then the objectives.
    ablation
        Score by one of the paper's ablations instead of the full planner, as a value or by name.
    progress
        Called with one line before each batch that is planned by this process alone.
    derivation
        How times that nobody recorded are derived from the contracts' programs; by default with every mechanism on. Its pool plans the
        batches side by side, too, those of a search where the *effort* is left alone.
    effects
        Which mechanisms of the event graph are on; by default all.
    effort
        How a large space is searched; by default for ten designs, until they are proven. A limit of time holds for each batch.

    Raises
    ------
    UnknownBatch, UnknownName, ImpossibleObjective, SpaceTooLarge
        The spec does not list a batch, no objective or ablation has that name, the spec has no such time, or the space cannot be
        ranked whole though it was asked for.
    """
    study = with_assumptions(study, derivation)
    spec, tried, simulated = planned_spec(study), effort or Effort(), effects or Effects()
    size = planned_size(study, spec)
    times, is_by_capacity = _asked_times(objective)
    is_by_capacity |= spec.is_by_capacity and not (times or pareto)
    asked = asked_objectives(spec, pareto or times)
    constraints = stated_constraints(study, where)
    is_ranked = _is_ranked(size, tried)
    scored_by, evidence = named(Ablation, ablation), Evidence(study, derivation)
    judges = [Judge(study, Question(spec, batch, asked[0]), evidence, simulated, constraints) for batch in asked_batches(spec, batches)]
    timed = [one for judge in judges for one in goals_of(judge, asked, scored_by).judges.values()]
    evidence.prepare(wanted for judge in timed for wanted in wanted_times(judge))
    turns = _in_turn(judges, tried, progress)

    def answered(one: Judge) -> BatchResult:
        if is_ranked:
            return ranked(one, scored_by, asked, pareto)
        return searched(one, scored_by, size, tried, asked=asked, pareto=pareto)

    # A search is ended by whoever watches it: then its batches follow each other.
    if (is_ranked or tried.is_left_alone) and len(judges) > 1 and evidence.derivation.pool is not None:
        ranking = Ranking(study, spec, evidence, simulated, tuple(constraints), scored_by, asked, tuple(pareto))
        numbers = [judge.question.batch for judge in judges]
        results = ranked_side_by_side(ranking, numbers) if is_ranked else _searched_side_by_side(ranking, size, tried, numbers)
    else:
        results = list(map(answered, turns))
    off = (*evidence.derivation.off, *simulated.off)
    return Result(spec.name, study.device.value.name, tuple(results), off, spec.outside, study.settings, is_by_capacity)


def _asked_times(objective: Objective | str | Sequence[Objective | str] | None) -> tuple[tuple[Objective | str, ...], bool]:
    """Return the times among what is to be minimised, and whether designs are told by their capacity, too."""
    words = (objective,) if isinstance(objective, str | Objective) else tuple(objective or ())
    times = tuple(one for one in words if one != CAPACITY)
    is_by_capacity = CAPACITY in words
    return times or ((Objective.CHUNK_INTERVAL,) if is_by_capacity else ()), is_by_capacity


def _is_ranked(size: Size, effort: Effort) -> bool:
    """Whether a space is ranked whole; one that is to be, and is far too large for it, is refused."""
    if effort.whole and not size.is_small:
        refuse_whole(size)
    return effort.whole or size.is_small


def _in_turn(judges: Sequence[Judge], effort: Effort, progress: Progress | None) -> Iterator[Judge]:
    """Yield the first of *judges* and, unless the search was stopped before them, the others."""
    for place, judge in enumerate(judges):
        if place and effort.is_stopped():
            return
        if progress:
            progress(f"batch {judge.question.batch}")
        yield judge


def searched(
    judge: Judge,
    ablation: Ablation,
    size: Size,
    effort: Effort,
    *,
    asked: Sequence[Objective] = (),
    pareto: Sequence[Objective | str] = (),
) -> BatchResult:
    """Return the best designs of one question by the times that are *asked* for, proven unless the search was stopped.

    By default that is the time of the question. With their front where it is wanted.
    """
    # A small space is ranked without the models of a search.
    from .conflicts import searched_conflict
    from .counting import counted, uncounted_notes
    from .hunt import Hunt

    hunt = Hunt(judge, effort.top, ablation, effort.seconds, effort.is_stopped, effort.watch, asked, bool(pareto))
    counts = counted(hunt.goals.together)
    with effort.held():
        found = hunt.run()
    ranking = with_measured(judge, with_playback(judge, [_row(judge, hit) for hit in found.hits]))
    queue = queue_of(judge, ranking)
    remarks = (*continuity_remarks(judge, ranking), *arrival_remarks(judge, ranking, queue))
    return BatchResult(
        queue=queue,
        findings=findings_in(remarks),
        batch=judge.question.batch,
        objective=judge.question.objective,
        ablation=ablation,
        covers=count_covers(judge.graph),
        candidates=size.candidates,
        best=tuple(row.id for row in ranking if row.order == ranking[0].order),
        ranking=ranking,
        excluded=(),
        steps=steps_of(judge.question),
        too_close=too_close(ranking),
        notes=(
            *device_notes(judge),
            *evidence_notes(ranking),
            *map(str, remarks),
            *uncounted_notes(judge, counts),
        ),
        objectives=hunt.goals.objectives,
        conflict=() if ranking or not found.is_proven or not judge.constraints else searched_conflict(judge, ablation, asked),
        pareto=found.front,
        variants=size.variants,
        searched=_known(counts, found),
        unshown=unshown_runs(judge, ranking),
    )


@dataclass(frozen=True, slots=True)
class Searching:
    """What all batches of one study are searched by: the space of *size* that *ranking* judges, with so much *effort*."""

    ranking: Ranking
    size: Size
    effort: Effort


@dataclass(frozen=True, slots=True)
class SearchTask:
    """One *batch* of a study whose best designs are searched."""

    searching: Shared[Searching]
    batch: int


def searched_batch(task: SearchTask) -> BatchResult:
    """Search the batch of a task, in whichever process."""
    by = task.searching.value
    ranking = by.ranking
    return searched(ranking.judge(task.batch), ranking.ablation, by.size, by.effort, asked=ranking.asked, pareto=ranking.pareto)


def _searched_side_by_side(ranking: Ranking, size: Size, effort: Effort, batches: Sequence[int]) -> list[BatchResult]:
    derivation, shared = ranking.evidence.derivation, Shared(Searching(ranking, size, effort))
    return in_order(derivation.pool, searched_batch, [SearchTask(shared, batch) for batch in batches], derivation.planned)


def _known(counts: SpaceCounts, found: Found) -> Searched:
    """Return what became of all candidates; those that pass a limit are excluded as far as they were looked at."""
    over = sum(one.candidates for one in found.over)
    simulated = min(found.state.simulated - len(found.over), counts.feasible - over)
    return Searched(
        simulated,
        counts.feasible - over - simulated,
        counts.candidates - counts.feasible + over,
        found.is_proven,
        Fraction(0) if found.is_proven else found.state.gap,
        found.ties,
        (*counts.excluded_by, *_over_limits(found, over)),
    )


def _over_limits(found: Found, over: int) -> Iterator[ExcludedBy]:
    if found.over:
        first = found.over[0]
        yield ExcludedBy(first.rule, over, first.id, first.because, so_far=True)


def _row(judge: Judge, hit: Hit) -> Ranked:
    row = ranked_row(judge, hit.candidate, hit.times, [ScoredVariant(hit.variant, hit.score_ps, None, hit.order)])
    return replace(row, same_as_count=hit.candidates - 1)
