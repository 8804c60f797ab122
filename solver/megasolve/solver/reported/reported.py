"""What a report shows of a study: its result, and of each batch the winner explained and the schedules that are compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from megasolve.contracts import Study
from megasolve.simulate import Objective

from ..evidence.derivation import Derivation
from ..explain.explanation import Explanation, UnknownCandidate, WhyNot, explained, judge_of, standing
from ..optimize.solving import Effort, solve
from ..select.result import BatchResult, Ranked, Result
from ..timeline.drawn import timeline_of
from ..timeline.timeline import DrawnTimeline

COMPARED = 5


@dataclass(frozen=True, slots=True)
class ReportedBatch:
    """The *result* of one batch, its best candidate *explained*, and the *timelines*, that of the best first.

    Where nothing is feasible there is nothing to explain. *missing* says of candidates that were asked for why they have no timeline.
    """

    result: BatchResult
    explained: Explanation | None
    timelines: tuple[DrawnTimeline, ...]
    missing: tuple[WhyNot | UnknownCandidate, ...] = ()


@dataclass(frozen=True, slots=True)
class Reported:
    """A study with all that a report shows of it."""

    study: Study
    result: Result
    batches: tuple[ReportedBatch, ...]


def reported(
    study: Study,
    *,
    batches: Sequence[int] | None = None,
    objective: Objective | str | None = None,
    candidates: Sequence[str] = (),
    derivation: Derivation | None = None,
    effort: Effort | None = None,
) -> Reported:
    """Return what a report shows of *study*: the best designs of each batch side by side, and *candidates* beside them."""
    result = solve(study, batches=batches, objective=objective, derivation=derivation, effort=effort)
    return Reported(study, result, tuple(_batch(study, one, candidates, derivation) for one in result.results))


def _batch(study: Study, result: BatchResult, candidates: Sequence[str], derivation: Derivation | None) -> ReportedBatch:
    if not result.ranking:
        return ReportedBatch(result, None, ())
    judge = judge_of(study, batch=result.batch, objective=result.objective, derivation=derivation)
    best = result.ranking[0]
    rows, missing = {row.id: row for row in _compared(result)}, []
    for name in candidates:
        row = rows.get(name) or standing(judge, name)
        if isinstance(row, Ranked):
            rows[name] = row
        else:
            missing.append(row)
    timelines = tuple(timeline_of(row, batch=result.batch, objective=result.objective) for row in rows.values())
    return ReportedBatch(result, explained(judge, best, 1, len(result.ranking), best.score_ps), timelines, tuple(missing))


def _compared(result: BatchResult) -> Iterator[Ranked]:
    """Yield the best designs, each by its first candidate, and the best with nothing side by side and with no megakernel."""
    designs = [row for row in result.ranking if row.same_as is None]
    yield from designs[:COMPARED]
    yield from [row for row in designs if not row.candidate.policy.is_split][:1]
    yield from [row for row in designs if not any(region.is_megakernel for region in row.candidate.cover.regions)][:1]
