"""Known candidates: what a measured file may name, and what it may have meant instead."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from megasolve.contracts import Study
from megasolve.contracts.model.closest import LONGEST_NAME, closest_few
from megasolve.contracts.model.wording import quoted
from megasolve.contracts.runs.timed_run import TimedRun
from megasolve.simulate import Objective
from megasolve.simulate.plan.budgets import planned_spec
from megasolve.simulate.plan.candidate import candidates
from megasolve.simulate.plan.need import Question

from ..evidence.lookup import Evidence
from ..explain.alone import candidate_of, like, said_by
from ..search.predicates import Judge
from ..search.size import planned_size

_NEAREST = 2
# Who names a hundred strangers has taken another column for that of the candidate, and looking for what is nearest takes time.
_MOST_PROPOSED = 20


def unknown_candidates(study: Study, runs: Iterable[TimedRun], planned: Collection[str]) -> Iterator[tuple[TimedRun, str]]:
    """Yield the runs of what is no candidate of *study*, nor one of those that were *planned*, each with why."""
    spec = planned_spec(study)
    judge = Judge(study, Question(spec, spec.batches[0], Objective.FIRST_PUBLICATION), Evidence(study), constraints=())
    every = dict.fromkeys(str(one) for one in candidates(spec, judge.graph)) if planned_size(study, spec).is_small else None
    known = dict.fromkeys(planned, "")
    strangers = 0
    for run in runs:
        if run.candidate not in known:
            known[run.candidate] = _why_unknown(judge, run.candidate, every, proposes=strangers < _MOST_PROPOSED)
            strangers += bool(known[run.candidate])
        if known[run.candidate]:
            yield run, known[run.candidate]


def _why_unknown(judge: Judge, name: str, every: Collection[str] | None, *, proposes: bool) -> str:
    if name in every if every is not None else candidate_of(judge, name) is not None:
        return ""
    if said_by(judge, name) is not None:
        return f"{quoted(name)} is no candidate: its groups cannot be cut, or share the GPU, like that; megasolve explain SPEC ID says why"
    if not proposes or len(name) > LONGEST_NAME:
        return f"no candidate {quoted(name)}"
    nearest = like(judge, name) if every is None else closest_few(name, [*every], _NEAREST)
    return f"no candidate {quoted(name)}; the nearest are {', '.join(nearest)}"
