"""The frontier: the plans of a search that no other plan beats in one time without losing in another, each proven before the next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..select.result import ParetoPoint
from .hits import Hit, Order, in_variant_order


@dataclass
class Frontier:
    """All *plans* that were simulated, and the *proven* times of the front, in order.

    The next point is the first plan, by the times in their order, that no proven one is at most as long as in every time: whatever would
    beat it is no such plan either, or would come before it.
    """

    plans: list[Hit] = field(default_factory=list)
    proven: list[Order] = field(default_factory=list)

    def best(self) -> Hit | None:
        """Return the first plan that could be the next point."""
        return next(self._open(), None)

    def _open(self) -> Iterator[Hit]:
        for plan in sorted(self.plans, key=lambda hit: (hit.order, hit.key, in_variant_order(hit))):
            if not any(_beats(order, plan.order) for order in self.proven):
                yield plan

    def points(self) -> tuple[ParetoPoint, ...]:
        """Return the front: what is proven, and what else no known plan beats."""
        orders = list(self.proven)
        while (plan := next((one for one in self._open() if not any(_beats(order, one.order) for order in orders)), None)) is not None:
            orders.append(plan.order)
        return tuple(map(self._point, orders))

    def _point(self, order: Order) -> ParetoPoint:
        same = sorted((plan for plan in self.plans if plan.order == order), key=lambda hit: (hit.key, in_variant_order(hit)))
        entries = tuple(str(choice) for choice in same[0].variant)
        return ParetoPoint(str(same[0].candidate), entries, order, sum(plan.candidates for plan in same) - 1, is_least=True)


def _beats(one: Order, other: Order) -> bool:
    return all(mine <= theirs for mine, theirs in zip(one, other, strict=True))
