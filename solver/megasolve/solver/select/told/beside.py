"""Which measured runs stand beside which candidates. Nothing here changes a score: rows are scored and ranked before it looks at them.

A co-run stands beside a candidate that has the same two sides beside each other: the same groups in the same entries, as one or more of its
regions, on the same budgets. Kernels on a stream have no budget of their own, those on a partition its SMs. A run of a whole candidate
stands beside the one with its id and entries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from megasolve.contracts import Document
from megasolve.contracts.model.measured import CoRunSide, Measured, MeasuredCoRun, MeasuredRun, blocks_of, lower_median
from megasolve.simulate import Composition, Deadlock, Objective, Phase, score
from megasolve.simulate.plan.candidate import Candidate, Choice
from megasolve.simulate.plan.need import Question
from megasolve.simulate.plan.sharing import Sharing
from megasolve.simulate.predict.rounds import rounds_beside

from ...search.predicates import Judge, Variant
from ..compose import compose
from ..result import Ranked
from ..times import Ps
from .shown import PairBeside, RunBeside, ShownRun, SideBeside, WholeBeside

_PHASES = {Sharing.PARTITION: Phase.PARTITION, Sharing.STREAMS: Phase.STREAM, Sharing.FIXED: Phase.SPLIT, Sharing.DYNAMIC: Phase.SPLIT}


@dataclass(frozen=True, slots=True)
class _Listed:
    """A run of this batch with its place; *because* says why it is shown nowhere, whatever the candidates are."""

    run: MeasuredRun
    shown: ShownRun
    because: str = ""


def with_measured(judge: Judge, ranking: Sequence[Ranked]) -> tuple[Ranked, ...]:
    """Return *ranking* with the measured runs that stand beside each row."""
    listed = [one for one in _listed(judge) if not one.because]
    return tuple(replace(row, measured=tuple(_beside(judge, row, listed))) for row in ranking) if listed else tuple(ranking)


def unshown_runs(judge: Judge, ranking: Sequence[Ranked]) -> tuple[str, ...]:
    """Return a line for each measured run of this batch that stands beside no row of *ranking*, and why."""
    shown = {found.run.place for row in ranking for found in row.measured}
    lines = ((one, one.because or _unmatched(one.run)) for one in _listed(judge) if one.shown.place not in shown)
    return tuple(f"measured, but beside no score: {_what(one.run)} ({one.shown.place}): {because}" for one, because in lines)


def _listed(judge: Judge) -> Iterator[_Listed]:
    """Yield the runs of the batch in question, in the order of their files."""
    for document in judge.study.measured:
        for index, run in enumerate(document.value.runs):
            if run.batch == judge.question.batch:
                shown = ShownRun(_place(document, index), run.device, run.provenance, run.notes)
                yield _Listed(run, shown, _why_nowhere(judge, run))


def _place(document: Document[Measured], index: int) -> str:
    return str(document.place(("runs", index)))


def _why_nowhere(judge: Judge, run: MeasuredRun) -> str:
    here, precision = judge.study.device.value.name, judge.question.spec.precision
    if not run.qualified:
        return f"it did not qualify: {run.because}"
    if run.device != here:
        return f"it ran on {run.device}, the plan is for {here}"
    if run.precision != precision:
        return f"it ran in {run.precision}, the plan is for {precision}"
    if run.provenance.fake and not judge.study.allows_simulated_hardware:
        return "it ran on a stand-in for the hardware, whose clock is virtual; --allow-simulated-hardware shows it all the same"
    return ""


def _unmatched(run: MeasuredRun) -> str:
    if run.composition is not None:
        return "no row here is that candidate in these entries"
    return "no row here has the two beside each other, in these entries and on these budgets"


def _what(run: MeasuredRun) -> str:
    if run.composition is not None:
        return run.composition.candidate
    return f"{run.co_run.producer.words} beside {run.co_run.consumer.words}" if run.co_run else "a run of nothing"


def _beside(judge: Judge, row: Ranked, listed: Sequence[_Listed]) -> Iterator[RunBeside]:
    for one in listed:
        ran = one.run.composition
        if one.run.co_run is not None and _overlaps(judge, row.candidate, row.tied[0], one.run.co_run):
            yield _pair(judge, row, one.run.co_run, one.shown)
        elif ran is not None and ran.candidate == row.id and ran.entries == tuple(choice.entries for choice in row.tied[0]):
            times = tuple(time for block in blocks_of(ran) for time in block)
            yield WholeBeside(one.shown, lower_median(times), _first_publication_ps(judge, row))


def _overlaps(judge: Judge, candidate: Candidate, variant: Variant, ran: MeasuredCoRun) -> bool:
    """Whether *candidate* in *variant* has the two sides of a co-run beside each other."""
    makes, takes = (_choices_of(variant, side) for side in (ran.producer, ran.consumer))
    if candidate.policy.sharing not in _PHASES or {*makes} & {*takes}:
        return False
    return all(_is_side(judge, candidate, choices, side) for choices, side in ((makes, ran.producer), (takes, ran.consumer)))


def _choices_of(variant: Variant, side: CoRunSide) -> tuple[Choice, ...]:
    return tuple(choice for choice in variant if {*side.groups} & {*choice.region.groups})


def _is_side(judge: Judge, candidate: Candidate, choices: Sequence[Choice], side: CoRunSide) -> bool:
    """Whether *choices* are what a side of a co-run ran, on the same budget and beside the other side."""
    roles = {group.name: group.role for group in judge.question.spec.groups}
    held = {name for choice in choices for name in choice.region.groups if roles[name] == roles.get(side.groups[0])}
    entries = {entry for choice in choices for entry in choice.entries}
    if held != {*side.groups} or entries != {*side.entries}:
        return False
    phase = _PHASES[candidate.policy.sharing]
    needed = [need for choice in choices for need in judge.needs(choice, candidate.policy)]
    here = [need for need in needed if need.group.name in held and need.phase is phase and judge.question.has_company(need)]
    is_free = side.backend == "conventional" and phase is Phase.STREAM
    budgets = {None if is_free else need.budget_ctas for need in here}
    return {need.group.name for need in here} == held and budgets == {side.ctas}


def _pair(judge: Judge, row: Ranked, ran: MeasuredCoRun, shown: ShownRun) -> PairBeside:
    composition = _first_composition(judge, row)
    said = None if composition is None else rounds_beside(composition, ran.producer.groups, ran.consumer.groups)
    if said is None:
        return PairBeside(shown, SideBeside(ran.producer), SideBeside(ran.consumer))
    sides = (
        SideBeside(side, said.alone[n], said.beside[n] if said.beside else None) for n, side in enumerate((ran.producer, ran.consumer))
    )
    return PairBeside(shown, *sides)


def _first_publication_ps(judge: Judge, row: Ranked) -> Ps | None:
    if judge.question.objective is Objective.FIRST_PUBLICATION:
        return row.score_ps
    composition = _first_composition(judge, row)
    found = None if composition is None else score(composition)
    return None if found is None or isinstance(found, Deadlock) else found.value_ps


def _first_composition(judge: Judge, row: Ranked) -> Composition | None:
    """Return what a co-run has rounds of, steps and first chunks, as the row runs them; None where there are not all records for it."""
    if judge.question.objective is Objective.FIRST_PUBLICATION:
        return row.composed.composition
    question = Question(judge.question.spec, judge.question.batch, Objective.FIRST_PUBLICATION)
    first = Judge(judge.study, question, judge.evidence, judge.effects)
    if not first.is_feasible(row.tied[0], row.candidate.policy):
        return None
    return compose(first, row.candidate, row.tied[0]).composition
