"""Rival variants: the choices of entries in which a candidate is slower than at its best, or breaks a rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from megasolve.simulate.plan.candidate import Candidate
from megasolve.simulate.plan.cause import Cause

from ..search.predicates import Judge, Variant
from .times import Ps


@dataclass(frozen=True, slots=True)
class ScoredVariant:
    """A variant with its score; *accuracy* is what its evidence states of it, None where that states none.

    *order* are all times by which it is ordered, the score first.
    """

    choices: Variant
    score_ps: Ps
    accuracy: Fraction | None
    order: tuple[Ps, ...]

    @property
    def entries(self) -> tuple[str, ...]:
        """The entries per region."""
        return tuple(map(str, self.choices))

    def difference(self, best_ps: Ps) -> Fraction:
        """How much slower it is than *best_ps*, relative to that."""
        return Fraction(self.score_ps) / Fraction(best_ps) - 1

    def is_too_close(self, best_ps: Ps, accuracy: Fraction | None) -> bool:
        """Whether the evidence cannot tell it from a score of *best_ps* that is known to *accuracy*."""
        return self.difference(best_ps) < max(self.accuracy or Fraction(0), accuracy or Fraction(0))


@dataclass(frozen=True, slots=True)
class DroppedVariant:
    """A variant that cannot be scored, with every cause, of a candidate that others carry."""

    choices: Variant
    causes: tuple[Cause, ...]

    @property
    def entries(self) -> tuple[str, ...]:
        """The entries per region."""
        return tuple(map(str, self.choices))


def dropped_variants(judge: Judge, candidate: Candidate, feasible: int) -> tuple[DroppedVariant, ...]:
    """Return the variants of *candidate* that break a rule; *feasible* is how many break none."""
    if prod(len(judge.choices(region)) for region in candidate.cover.regions) == feasible:
        return ()
    return tuple(_dropped(judge, candidate))


def _dropped(judge: Judge, candidate: Candidate) -> Iterator[DroppedVariant]:
    for variant in judge.variants(candidate):
        if causes := judge.variant_causes(variant, candidate.policy):
            yield DroppedVariant(variant, tuple(dict.fromkeys(causes)))
