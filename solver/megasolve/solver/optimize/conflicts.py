"""Conflicts in a space that is too large to rank: which constraints leave no design, asked of the search instead of every plan."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import replace
from functools import cache

from megasolve.simulate import Ablation

from ..goals.constraint import Constraint, Total
from ..search.predicates import Judge
from ..select.goals.conflict import Conflicting, irreducible
from .hunt import Hunt

_Keeps = Callable[[tuple[Constraint, ...]], bool]


def searched_conflict(judge: Judge, ablation: Ablation) -> tuple[Conflicting, ...]:
    """Return an irreducible set of the judge's constraints that no design keeps, and the least that each would have to allow."""
    every = judge.constraints

    # What is left of a conflict is asked for again where it is asked how far each constraint would have to give.
    @cache
    def keeps(some: tuple[Constraint, ...]) -> bool:
        asked = Judge(judge.study, judge.question, judge.evidence, judge.effects, some)
        return bool(Hunt(asked, 1, ablation).run().hits)

    def chosen(positions: Set[int]) -> tuple[Constraint, ...]:
        return tuple(every[position] for position in sorted(positions))

    kept = irreducible(len(every), lambda positions: keeps(chosen(positions)))
    return tuple(Conflicting(every[one], _least(every, one, chosen(kept - {one}), keeps)) for one in sorted(kept))


def _least(every: tuple[Constraint, ...], position: int, rest: tuple[Constraint, ...], keeps: _Keeps) -> int | None:
    """Return the least sum that the constraint at *position* would have to allow under all others, or where that fails under the *rest*."""
    asked = every[position]
    if not isinstance(asked, Total):
        return None
    others = (*every[:position], *every[position + 1 :])
    others = others if keeps(others) else rest
    refused, allowed = asked.at_most, asked.at_most + 1
    # More than any plan has is reached in a few steps, and there is one that keeps the others.
    while not keeps((*others, replace(asked, at_most=allowed))):
        refused, allowed = allowed, 2 * allowed
    while allowed - refused > 1:
        between = (refused + allowed) // 2
        if keeps((*others, replace(asked, at_most=between))):
            allowed = between
        else:
            refused = between
    return allowed
