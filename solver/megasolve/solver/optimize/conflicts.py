"""Conflicts in a space that is too large to rank: which constraints leave no design, asked of the search instead of every plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property

from megasolve.simulate import Ablation, Objective
from megasolve.simulate.plan.need import Question

from ..goals.constraint import Constraint, Limit, Total
from ..search.predicates import Judge
from ..select.goals.conflict import Conflicting, irreducible
from ..select.times import Ps
from .hunt import Hunt

_Constraints = tuple[Constraint, ...]


def searched_conflict(judge: Judge, ablation: Ablation, objectives: Sequence[Objective] = ()) -> tuple[Conflicting, ...]:
    """Return an irreducible set of the judge's constraints that no design keeps, and the least that each would have to allow.

    A design has every time of *objectives*, and every one that has a limit.
    """
    asked, every = _Asked(judge, ablation, tuple(objectives)), judge.constraints

    def chosen(positions: Set[int]) -> _Constraints:
        return tuple(every[position] for position in sorted(positions))

    kept = irreducible(len(every), lambda positions: asked.keeps(chosen(positions)))
    return tuple(Conflicting(every[one], _least(every, one, chosen(kept - {one}), asked)) for one in sorted(kept))


@dataclass
class _Asked:
    """What was asked of the search, each set of constraints once: what is left of a conflict is asked for again further on."""

    judge: Judge
    ablation: Ablation
    objectives: tuple[Objective, ...]

    @cached_property
    def _known(self) -> dict[_Constraints, bool]:
        return {}

    @cached_property
    def _times(self) -> tuple[Objective, ...]:
        limited = (one.objective for one in self.judge.constraints if isinstance(one, Limit))
        return tuple(dict.fromkeys((self.judge.question.objective, *self.objectives, *limited)))

    def keeps(self, some: _Constraints) -> bool:
        """Whether a design keeps *some* constraints."""
        if some not in self._known:
            self._known[some] = bool(self._hunt(some, self._times[0]).run().hits)
        return self._known[some]

    def least_ps(self, some: _Constraints, objective: Objective) -> Ps:
        """Return the least that one time has where a design keeps *some* constraints."""
        return self._hunt(some, objective).run().hits[0].score_ps

    def _hunt(self, some: _Constraints, objective: Objective) -> Hunt:
        judge, question = self.judge, self.judge.question
        question = question if question.objective is objective else Question(question.spec, question.batch, objective)
        return Hunt(Judge(judge.study, question, judge.evidence, judge.effects, some), 1, self.ablation, objectives=self._times)


def _least(every: _Constraints, position: int, rest: _Constraints, asked: _Asked) -> Ps | None:
    """Return the least that the constraint at *position* would have to allow under all others, or where that fails under the *rest*."""
    one = every[position]
    if not isinstance(one, Total | Limit):
        return None
    others = (*every[:position], *every[position + 1 :])
    others = others if asked.keeps(others) else rest
    return asked.least_ps(others, one.objective) if isinstance(one, Limit) else _least_sum(one, others, asked.keeps)


def _least_sum(one: Total, others: _Constraints, keeps: Callable[[_Constraints], bool]) -> int:
    refused, allowed = one.at_most, one.at_most + 1
    # More than any plan has is reached in a few steps, and there is one that keeps the others.
    while not keeps((*others, replace(one, at_most=allowed))):
        refused, allowed = allowed, 2 * allowed
    while allowed - refused > 1:
        between = (refused + allowed) // 2
        if keeps((*others, replace(one, at_most=between))):
            allowed = between
        else:
            refused = between
    return allowed
