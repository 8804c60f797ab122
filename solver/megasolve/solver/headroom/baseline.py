"""The baseline: the best design by today's evidence, whatever its policy, without anything that is only assumed."""

from __future__ import annotations

from dataclasses import dataclass

from megasolve.contracts import MegasolveError
from megasolve.simulate import Ablation
from megasolve.simulate.plan.policy import policies

from ..optimize.space.arcs import Ps
from ..optimize.space.costing import SERIAL
from ..optimize.ways.naming import named
from ..optimize.ways.walking import Walker
from ..search.predicates import Judge, Variant
from ..search.size import planned_size
from .trying.sides import Sides


class NothingToday(MegasolveError):
    """No design has evidence today, so that nothing can be compared with one that does not exist."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The *id* of the best design of today, its score, and the *variant* that has it: the kernels of each region."""

    id: str
    score_ps: Ps
    variant: Variant = ()

    @property
    def is_serial(self) -> bool:
        """Whether one kernel runs after the other; else sides, or branches of a step, run beside each other."""
        return self.id.endswith(f"@{SERIAL}")


def baseline(judge: Judge, sides: Sides | None, *, has_assumed: bool) -> Baseline:
    """Return the best design of today; *sides* are those of its serial chain, None where it is none.

    *has_assumed* is whether anything was left out because it is only assumed.

    Raises
    ------
    NothingToday
        There is none.
    """
    if sides is not None and not _may_split(judge):
        return _of_chain(judge, sides, has_assumed=has_assumed)
    from ..optimize.solving import Effort, searched
    from ..optimize.studies.batches import ranked

    size, ablation = planned_size(judge.study, judge.question.spec), Ablation.FULL
    result = ranked(judge, ablation, (judge.question.objective,), ()) if size.is_small else searched(judge, ablation, size, Effort(top=1))
    if not result.ranking:
        raise NothingToday(_without_evidence(judge, has_assumed=has_assumed))
    best = result.ranking[0]
    return Baseline(best.id, best.score_ps, best.tied[0])


def _may_split(judge: Judge) -> bool:
    """Whether anything could share the device: two megakernels, or whatever runs on partitions or streams."""
    if any(policy.is_beside or policy.is_inside for policy in policies(judge.question.spec)):
        return True
    has_megakernels = any(one.value.backend == "megakernel" for one in judge.study.contracts)
    return has_megakernels and any(policy.is_split for policy in policies(judge.question.spec))


def _of_chain(judge: Judge, sides: Sides, *, has_assumed: bool) -> Baseline:
    if (best := sides.without()) is None:
        raise NothingToday(_without_evidence(judge, has_assumed=has_assumed))
    score_ps, arcs = best
    roles = {group.name: group.role for group in judge.question.spec.groups}
    candidate, variant = named(Walker(sides.space, (), roles), arcs)
    return Baseline(str(candidate), score_ps, variant)


def _without_evidence(judge: Judge, *, has_assumed: bool) -> str:
    what = f"{judge.question.spec.name}, batch {judge.question.batch}"
    lacks = f"{what}: no design has evidence today"
    if has_assumed:
        return f"{lacks} without times that are only assumed, so there is nothing to compare with; record what runs today"
    return f"{lacks}, so there is nothing to compare with; megasolve says what is missing"
