"""Conflicts: why the constraints leave no plan, as few of them as say it, and how far each would have to give.

A deletion filter leaves out one constraint after the other, the last first, and keeps those without which a plan would be found: what is
left is irreducible, and of several such sets the one that stands first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass

from megasolve.simulate import Deadlock
from megasolve.simulate.plan.candidate import Candidate

from ...goals.constraint import Constraint, Limit, Total, joint_causes, local_causes
from ...search.predicates import Judge, Variant
from ...search.pruning import prune
from ..times import Ps
from .times import Goals, Times


@dataclass(frozen=True, slots=True)
class Conflicting:
    """One constraint of a conflict; *needs* is the least that it would have to allow under the others, None where it is no number."""

    constraint: Constraint
    needs: Ps | None


@dataclass(frozen=True, slots=True)
class _Plan:
    """What one variant breaks, by position, and what it takes of each quantity."""

    broken: frozenset[int]
    takes: tuple[Ps | None, ...]


def conflict(judge: Judge, goals: Goals) -> tuple[Conflicting, ...]:
    """Return an irreducible set of the judge's constraints that no plan keeps; nothing where not even the rules leave one."""
    every = judge.constraints
    plans = tuple(_plans(judge, goals))
    kept = irreducible(len(every), lambda positions: any(plan.broken.isdisjoint(positions) for plan in plans))
    return tuple(Conflicting(every[position], _needs(plans, position, kept, len(every))) for position in sorted(kept))


def irreducible(count: int, allows: Callable[[Set[int]], bool]) -> Set[int]:
    """Return the positions, of *count*, of constraints that nothing keeps, each of them needed for that: those that stand first.

    *allows* says whether something keeps the constraints at some positions; empty where nothing keeps none, or something keeps all.
    """
    kept = frozenset(range(count))
    if allows(kept) or not allows(frozenset()):
        return frozenset()
    for position in reversed(range(count)):
        if not allows(kept - {position}):
            kept -= {position}
    return kept


def _needs(plans: Sequence[_Plan], position: int, conflicting: Set[int], count: int) -> Ps | None:
    """Return the least of the quantity at *position* under all other constraints or, where these leave no plan, those of the conflict."""
    for others in ({*range(count)} - {position}, conflicting - {position}):
        found = [plan.takes[position] for plan in plans if plan.broken.isdisjoint(others)]
        if found:
            return min((taken for taken in found if taken is not None), default=None)
    return None


def _plans(judge: Judge, goals: Goals) -> Iterator[_Plan]:
    """Yield every plan that the rules alone allow."""
    free = Judge(judge.study, judge.question, judge.evidence, judge.effects, constraints=())
    for candidate, variants in prune(free).items():
        for variant in variants:
            yield from _judged(judge.constraints, candidate, variant, goals)


def _judged(constraints: Sequence[Constraint], candidate: Candidate, variant: Variant, goals: Goals) -> Iterator[_Plan]:
    if goals.missing(variant, candidate.policy):
        return
    times = goals.times(candidate, variant) if goals.limits else {}
    if not isinstance(times, Deadlock):
        takes = tuple(_taken(one, variant, times) for one in constraints)
        broken = (position for position, one in enumerate(constraints) if _breaks(one, variant, takes[position]))
        yield _Plan(frozenset(broken), takes)


def _taken(one: Constraint, variant: Variant, times: Times) -> Ps | None:
    match one:
        case Total():
            return one.total(variant)
        case Limit():
            return times[one.objective].value_ps
    return None


def _breaks(one: Constraint, variant: Variant, taken: Ps | None) -> bool:
    if isinstance(one, Limit):
        return taken is not None and taken > one.at_most_ps
    return bool(joint_causes((one,), variant)) or any(local_causes((one,), choice) for choice in variant)
