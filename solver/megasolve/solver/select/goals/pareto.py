"""The Pareto front of several times: the plans that no other plan beats in one of them without losing in another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..result import ParetoPoint, Ranked
from ..times import Ps

_Point = tuple[Ps, ...]


def pareto_front(ranking: Sequence[Ranked]) -> tuple[ParetoPoint, ...]:
    """Return the front over all variants of *ranking*, by the first of its times; of equal plans the one that is ranked first."""
    plans = [plan for row in ranking for plan in _plans(row)]
    kept = _undominated({plan.times for plan in plans})
    same: dict[_Point, int] = {}
    first: dict[_Point, ParetoPoint] = {}
    for plan in plans:
        first.setdefault(plan.times, plan)
        same[plan.times] = same.get(plan.times, -1) + 1
    return tuple(ParetoPoint(first[times].id, first[times].entries, times, same[times]) for times in kept)


def _plans(row: Ranked) -> Iterator[ParetoPoint]:
    yield from (ParetoPoint(row.id, entries, row.order) for entries in row.variants)
    yield from (ParetoPoint(row.id, one.entries, one.order) for one in row.slower)


def _undominated(points: Iterable[_Point]) -> list[_Point]:
    """Return the points that no other is at most equal to in every time."""
    kept: list[_Point] = []
    # In this order whatever dominates a point stands before it.
    for point in sorted(points):
        if not any(all(mine >= theirs for mine, theirs in zip(point, other, strict=True)) for other in kept):
            kept.append(point)
    return kept
