"""Ranges of budgets: which pairs of a range can be ranked, and what is next to the best of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from megasolve.contracts import BudgetPair, PartitionPair
from megasolve.contracts.limits.partitions import counts_of_pair
from megasolve.simulate.plan.budgets import pairs_of
from megasolve.simulate.plan.cause import NO_ENTRY, NO_KERNELS

from ..search.predicates import Judge
from .result import Excluded, Ranked

_Pair = tuple[int, int]
_Row = TypeVar("_Row", Ranked, Excluded)


def span_notes(judge: Judge, ranking: Sequence[Ranked], excluded: Sequence[Excluded]) -> tuple[str, ...]:
    """Return, for each pair that is stated by ranges, how many of its pairs can be ranked, and which next to the best cannot."""
    spec, study = judge.study.spec.value, judge.study
    spanned: list[tuple[BudgetPair | PartitionPair, list[_Pair]]] = [(one, [*pairs_of(study, one)]) for one in spec.budget_pairs]
    if "partition" in spec.policies:
        spanned += [(one, [*counts_of_pair(one, study.device.value)]) for one in spec.partition_pairs]
    return tuple(_note(one, list(dict.fromkeys(every)), ranking, excluded) for one, every in spanned if not one.is_plain)


def _note(stated: BudgetPair | PartitionPair, every: Sequence[_Pair], ranking: Sequence[Ranked], excluded: Sequence[Excluded]) -> str:
    is_partition = isinstance(stated, PartitionPair)
    ranking, excluded = (_under(is_partition, ranking), _under(is_partition, excluded))
    ranked = dict.fromkeys(pair for row in ranking if (pair := _pair(row)) in every)
    what = "partitions" if is_partition else "budget pairs"
    of = f"of {len(every):,} {what} {stated}"
    if not ranked:
        return f"{of} none can be ranked: {_why(every[:1], excluded) or 'no cover that they apply to'}"
    best = next(iter(ranked))
    can = f"{of} {len(ranked):,} can be ranked, the best is {_text(best)}"
    missing = [pair for pair in _beside(every, best) if pair not in ranked]
    return "; ".join((can, *(f"{_text(pair)} next to it cannot ({_why([pair], excluded)})" for pair in missing)))


def _under(is_partition: bool, rows: Sequence[_Row]) -> list[_Row]:
    return [row for row in rows if row.candidate.policy.is_partition == is_partition]


def _pair(row: Ranked | Excluded) -> _Pair:
    policy = row.candidate.policy
    return policy.producer_ctas, policy.consumer_ctas


def _beside(every: Sequence[_Pair], best: _Pair) -> Iterator[_Pair]:
    """Yield the pairs whose producers have the next fewer and the next more CTAs."""
    fewer = max((x for x, _ in every if x < best[0]), default=None)
    more = min((x for x, _ in every if x > best[0]), default=None)
    yield from (pair for pair in every if pair[0] in (fewer, more))


def _why(pairs: Sequence[_Pair], excluded: Sequence[Excluded]) -> str:
    causes = (cause for row in excluded if _pair(row) in pairs for cause in row.causes)
    return next((str(cause) for cause in causes if cause.rule not in (NO_ENTRY, NO_KERNELS)), "")


def _text(pair: _Pair) -> str:
    return f"{pair[0]}/{pair[1]}"
