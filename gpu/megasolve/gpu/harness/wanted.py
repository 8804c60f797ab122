"""What a child is to try of the times that are wanted."""

from __future__ import annotations

from collections.abc import Sequence

from megasolve.simulate.plan.wanted import WantedTime

from .request import Experiment


def experiment_of(wanted: WantedTime) -> Experiment:
    """Return what is asked of a child; the rest is the same for its whole block."""
    return Experiment(wanted.key.group, wanted.key.entry, wanted.key.budget_ctas)


def smallest_budgets(wanted: Sequence[WantedTime]) -> tuple[WantedTime, ...]:
    """Return those of *wanted* that have the smallest budget of their entry."""
    budgets: dict[str, int] = {}
    # All of them first, as a later time may have a smaller budget.
    for key in (one.key for one in wanted):
        budgets[key.entry] = min(key.budget_ctas, budgets.get(key.entry, key.budget_ctas))
    return tuple(one for one in wanted if one.key.budget_ctas == budgets[one.key.entry])
