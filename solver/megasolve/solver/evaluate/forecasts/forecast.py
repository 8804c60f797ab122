"""Forecasts: what one planner says of the candidates of one batch, before anybody measured them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from ...select.times import Ps

PLANNERS = ("full", "additive", "no_overlap")


@dataclass(frozen=True, slots=True)
class Predicted:
    """A candidate with its score, that of its best *variants*; *slower* are those of its other choices of entries.

    *design* is the same for all candidates that are one design. *groups* is what the calls of each group take in all, by their records;
    None where that is not known.
    """

    id: str
    score_ps: Ps
    design: str
    variants: tuple[tuple[str, ...], ...] = ()
    slower: Mapping[tuple[str, ...], Ps] = field(default_factory=dict)
    evidence: tuple[str, ...] = ()
    accuracy: Fraction | None = None
    groups: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Forecast:
    """The *predicted* candidates of a batch by id, those that are *excluded* with why, and the *best* of the whole space."""

    planner: str
    batch: int
    objective: str
    best: tuple[str, ...]
    predicted: Mapping[str, Predicted]
    excluded: Mapping[str, str]
    notes: tuple[str, ...] = ()

    def with_groups(self, other: Forecast) -> Forecast:
        """Return this forecast with the times of groups that *other*, of the same inputs, has."""
        rows = {name: replace(row, groups=other.predicted[name].groups) for name, row in self.predicted.items() if name in other.predicted}
        return replace(self, predicted={**self.predicted, **rows})

    def design_of(self, candidate: str) -> str:
        """Return what is the same for all candidates that are one design."""
        row = self.predicted.get(candidate)
        return candidate if row is None else row.design

    def is_best_variant(self, candidate: str, entries: tuple[str, ...] | None) -> bool:
        """Whether *entries*, as far as they are said, are those of the candidate's score."""
        row = self.predicted.get(candidate)
        return entries is None or row is None or not row.variants or entries in row.variants

    def score_of(self, candidate: str, entries: tuple[str, ...] | None) -> Ps | None:
        """Return the score of a candidate, in *entries* where they are not those of its best variant; None where there is none."""
        row = self.predicted.get(candidate)
        if row is None or self.is_best_variant(candidate, entries):
            return None if row is None else row.score_ps
        return row.slower.get(entries or ())

    def why_no_score(self, candidate: str, entries: tuple[str, ...] | None) -> str:
        """Return why a candidate has no score."""
        if candidate in self.excluded:
            return self.excluded[candidate]
        if candidate in self.predicted:
            return f"the plan has no score for the entries {', '.join(entries or ())}"
        return "the plan does not rank it"
