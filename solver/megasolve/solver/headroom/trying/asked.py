"""Trials where groups form no chain, or a constraint bears on several choices: every design with the region is scored anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from megasolve.simulate import Deadlock, score
from megasolve.simulate.plan.candidate import Candidate, candidates
from megasolve.simulate.plan.launches import Persistent

from ...assuming.contracts import assumed_contract, looped
from ...assuming.supposing import Supposing
from ...optimize.space.arcs import Ps
from ...search.predicates import Judge, Variant
from ...search.size import planned_size, refuse_whole
from ...select.compose import compose
from ..facts.today import Today
from ..supposition import Assumed
from .break_even import Score
from .trial import calls_of


@dataclass(frozen=True)
class AskedTrial:
    """Tries regions in the serial designs of one question."""

    judge: Judge

    def score(self, today: Today, launching: Persistent) -> Score:
        """Return the function that says what the best design scores with the region of *today* launched so."""
        groups = today.choice.region.groups
        document = assumed_contract(self.judge.study, groups, launching.cost, loops_over=looped(self.judge.study, launching))
        study = replace(self.judge.study, contracts=(*self.judge.study.contracts, document))
        supposing = Supposing(study, self.judge.evidence, document.value.entry)
        tried = Judge(study, self.judge.question, supposing, self.judge.effects, self.judge.constraints)
        pairs = tuple(_with(tried, document.value.entry))

        def best(b_ps: int) -> Ps | None:
            supposing.call_ps = dict(zip(groups, calls_of(b_ps, today), strict=True))
            return min((found for pair in pairs if (found := _scored(tried, *pair)) is not None), default=None)

        return best

    def assumed(self, full: Judge, one: Assumed) -> Ps | None:
        """Return what the best design scores with an assumed entry of *full*."""
        entry = one.choice.contracts[0].value.entry
        pairs = (pair for pair in _with(full, entry) if self._is_known_beside(entry, *pair))
        return min((found for pair in pairs if (found := _scored(full, *pair)) is not None), default=None)

    def _is_known_beside(self, entry: str, candidate: Candidate, variant: Variant) -> bool:
        """Whether everything beside *entry* has evidence today."""
        return all(entry in choice.entries or not self.judge.causes_alone(choice, candidate.policy) for choice in variant)


def _with(judge: Judge, entry: str) -> Iterator[tuple[Candidate, Variant]]:
    """Yield every feasible variant that has *entry*."""
    size = planned_size(judge.study, judge.question.spec)
    refuse_whole(size)
    for candidate in candidates(judge.question.spec, judge.graph):
        if not candidate.policy.is_split:
            for variant in judge.variants(candidate):
                if any(entry in choice.entries for choice in variant) and judge.is_feasible(variant, candidate.policy):
                    yield candidate, variant


def _scored(judge: Judge, candidate: Candidate, variant: Variant) -> Ps | None:
    found = score(compose(judge, candidate, variant).composition, judge.question.objective)
    return None if isinstance(found, Deadlock) else found.value_ps
