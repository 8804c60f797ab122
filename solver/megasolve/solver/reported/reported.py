"""What a report shows of a study: its plan, its schedules side by side, and what would change the answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from megasolve.contracts import Study
from megasolve.simulate import Objective

from ..evidence.derivation import Derivation
from ..explain.explanation import Explanation, UnknownCandidate, WhyNot, explained, judge_of, standing
from ..optimize.solving import Effort, Progress, solve
from ..select.result import BatchResult, Ranked, Result
from ..sweep.result import BatchSweep
from ..timeline.drawn import timeline_of
from ..timeline.tiles import shown_tiles
from ..timeline.timeline import Chart, DrawnTimeline
from .beyond import Beyond, beyond, swept

COMPARED = 5
MOST_TILES, MOST_TOGETHER = 12_000, 60_000
"""So many tiles of one schedule, and of all of a study, a page shows at most: `trace --tiles` shows those that are larger."""


@dataclass(frozen=True, slots=True)
class ReportedBatch:
    """The *result* of one batch, its best candidate *explained*, and the *timelines*, that of the best first.

    Where nothing is feasible there is nothing to explain. *missing* says of candidates that were asked for why they have no timeline.
    *tiles* are the schedules behind the derived times of the best, *hidden_tiles* the titles of those that are too large; what is *beyond*
    the plan is None where it was not asked for.
    """

    result: BatchResult
    explained: Explanation | None
    timelines: tuple[DrawnTimeline, ...]
    missing: tuple[WhyNot | UnknownCandidate, ...] = ()
    tiles: tuple[Chart, ...] = ()
    hidden_tiles: tuple[str, ...] = ()
    beyond: Beyond | None = None


@dataclass(frozen=True, slots=True)
class Reported:
    """A study with all that a report shows of it; a *sweep* where several batches have a plan, and it was asked for."""

    study: Study
    result: Result
    batches: tuple[ReportedBatch, ...]
    sweep: BatchSweep | None = None


@dataclass(frozen=True, slots=True)
class ReportWishes:
    """What a report is asked for: *candidates* to draw beside the best, how a large space is searched, and whether it is to be *quick*.

    A quick one leaves out what asks the plan again and again: how far times may be off, and what else could be built.
    """

    candidates: Sequence[str] = ()
    effort: Effort | None = None
    is_quick: bool = False
    progress: Progress | None = None

    def say(self, line: str) -> None:
        """Tell whoever watches what is looked at now."""
        if self.progress:
            self.progress(line)


def reported(
    study: Study,
    *,
    batches: Sequence[int] | None = None,
    objective: Objective | str | None = None,
    derivation: Derivation | None = None,
    wishes: ReportWishes | None = None,
) -> Reported:
    """Return what a report shows of *study*: the best designs of each batch side by side, and what would change the answer.

    Raises
    ------
    UnknownBatch, UnknownName, ImpossibleObjective, SpaceTooLarge
        As for `solve`.
    """
    asked = wishes or ReportWishes()
    result = solve(study, batches=batches, objective=objective, derivation=derivation, effort=asked.effort, progress=asked.progress)
    drawn = tuple(_batch(study, one, derivation, asked, len(result.results)) for one in result.results)
    if asked.is_quick:
        return Reported(study, result, drawn)
    further = tuple(replace(one, beyond=beyond(study, one.result, derivation, asked.progress)) for one in drawn)
    if len(drawn) > 1:
        asked.say("how the plan changes from batch to batch")
    return Reported(study, result, further, swept(study, result.results, derivation, asked.effort))


def _batch(study: Study, result: BatchResult, derivation: Derivation | None, asked: ReportWishes, batches: int) -> ReportedBatch:
    if not result.ranking:
        return ReportedBatch(result, None, ())
    judge = judge_of(study, batch=result.batch, objective=result.objective, derivation=derivation)
    best = result.ranking[0]
    rows, missing = {row.id: row for row in _compared(result)}, []
    for name in asked.candidates:
        row = rows.get(name) or standing(judge, name)
        if isinstance(row, Ranked):
            rows[name] = row
        else:
            missing.append(row)
    timelines = tuple(timeline_of(row, batch=result.batch, objective=result.objective) for row in rows.values())
    shown, hidden = shown_tiles(judge.evidence, best, most=MOST_TILES, together=MOST_TOGETHER // batches)
    why = explained(judge, best, 1, len(result.ranking), best.score_ps)
    return ReportedBatch(result, why, timelines, tuple(missing), shown, hidden)


def _compared(result: BatchResult) -> Iterator[Ranked]:
    """Yield the best designs, each by its first candidate, and the best with nothing side by side and with no megakernel."""
    designs = [row for row in result.ranking if row.same_as is None]
    yield from designs[:COMPARED]
    yield from [row for row in designs if not row.candidate.policy.is_shared][:1]
    yield from [row for row in designs if not any(region.is_megakernel for region in row.candidate.cover.regions)][:1]
