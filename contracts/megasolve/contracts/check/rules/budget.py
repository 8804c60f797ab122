"""Rules for ranges of budgets, in contracts and in budget pairs."""

from __future__ import annotations

from collections.abc import Iterator

from ...model.base import BudgetRange
from ...model.contract import Contract
from ...model.findings import Fault
from ...model.rules import rule
from ...model.spec import Spec
from ..subjects import CONTRACT, SPEC

MOST_COUNTS = 4_096
MOST_PAIRS = 20_000


@rule("BUD-01", "range-unusable", "A range of budgets has a first count, and not too many.", on=CONTRACT)
def range_unusable(contract: Contract) -> Iterator[Fault]:
    """A range that is empty says nothing, and one that is huge is a slip."""
    for key, budgets in (("budgets_ctas", contract.budgets_ctas), ("budgets_clusters", contract.budgets_clusters)):
        for index, budget in enumerate(budgets or ()):
            if isinstance(budget, BudgetRange):
                yield from (Fault(range_unusable, (key, index), fault) for fault in _faults(budget))


@rule("BUD-02", "pair-range-unusable", "The ranges of a budget pair have a first count, and not too many together.", on=SPEC)
def pair_range_unusable(spec: Spec) -> Iterator[Fault]:
    """What holds for a range of a contract holds for those of a pair, and for the pairs that they make up."""
    for index, pair in enumerate(spec.budget_pairs):
        sides = (("producer_ctas", pair.producer_ctas), ("consumer_ctas", pair.consumer_ctas))
        ranges = [(("budget_pairs", index, key), side) for key, side in sides if isinstance(side, BudgetRange)]
        faults = [Fault(pair_range_unusable, path, fault) for path, side in ranges for fault in _faults(side)]
        yield from faults or _too_many(index, [side for _, side in ranges])


def _faults(budget: BudgetRange) -> Iterator[str]:
    if budget.start > budget.to:
        yield f"from {budget.start:,} to {budget.to:,} is empty; say the smaller count first"
    elif len(budget.counts) > MOST_COUNTS:
        yield f"{len(budget.counts):,} counts > {MOST_COUNTS:,}; say a larger step, or a shorter range"


def _too_many(index: int, ranges: list[BudgetRange]) -> Iterator[Fault]:
    pairs = 1
    for side in ranges:
        pairs *= len(side.counts)
    if pairs > MOST_PAIRS:
        yield Fault(
            pair_range_unusable, ("budget_pairs", index), f"{pairs:,} pairs > {MOST_PAIRS:,}; say larger steps, or consumer_ctas: rest"
        )
