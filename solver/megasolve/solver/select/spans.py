"""Ranges of budgets: which pairs of a range can be ranked, and what is next to the best of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from megasolve.contracts import BudgetPair
from megasolve.simulate.plan.budgets import pairs_of
from megasolve.simulate.plan.cause import NO_ENTRY, NO_KERNELS

from ..search.predicates import Judge
from .result import Excluded, Ranked

_Pair = tuple[int, int]


def span_notes(judge: Judge, ranking: Sequence[Ranked], excluded: Sequence[Excluded]) -> tuple[str, ...]:
    """Return, for each budget pair that is stated by ranges, how many of its pairs can be ranked, and which next to the best cannot."""
    stated = [pair for pair in judge.study.spec.value.budget_pairs if not pair.is_plain]
    return tuple(_note(judge, pair, ranking, excluded) for pair in stated)


def _note(judge: Judge, stated: BudgetPair, ranking: Sequence[Ranked], excluded: Sequence[Excluded]) -> str:
    every = list(dict.fromkeys(pairs_of(judge.study, stated)))
    ranked = dict.fromkeys(pair for row in ranking if (pair := _pair(row)) in every)
    of = f"of {len(every):,} budget pairs {stated}"
    if not ranked:
        return f"{of} none can be ranked: {_why(every[:1], excluded) or 'no cover that they apply to'}"
    best = next(iter(ranked))
    can = f"{of} {len(ranked):,} can be ranked, the best is {_text(best)}"
    missing = [pair for pair in _beside(every, best) if pair not in ranked]
    return "; ".join((can, *(f"{_text(pair)} next to it cannot ({_why([pair], excluded)})" for pair in missing)))


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
