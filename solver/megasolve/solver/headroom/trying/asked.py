"""Trials in which every design with a region is scored anew.

So it is where groups form no chain, where a constraint bears on several choices, and where an assumed entry may share the device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from megasolve.contracts import Contract, Document, Key, Record
from megasolve.simulate import Deadlock, score
from megasolve.simulate.plan.candidate import Candidate, candidates
from megasolve.simulate.plan.launches import Persistent

from ...assuming.contracts import assumed_contract, looped
from ...assuming.supposing import Supposing, supposed
from ...evidence.lookup import RecordUse
from ...optimize.space.arcs import Ps
from ...search.predicates import Judge, Variant
from ...search.size import planned_size, refuse_whole
from ...select.compose import compose
from ..facts.today import Today
from ..supposition import Assumed
from .break_even import Score
from .trial import calls_of

Calls = dict[str, int]


@dataclass(frozen=True)
class AskedTrial:
    """Tries regions in the designs of one question: serial ones, or all of them."""

    judge: Judge
    is_for_all: bool = False

    def score(self, today: Today, launching: Persistent) -> Score:
        """Return the function that says what the best design scores with the region of *today* launched so."""
        study, groups = self.judge.study, today.choice.region.groups
        document = assumed_contract(study, groups, launching.cost, loops_over=looped(study, launching))
        return self._score(document, today, lambda key, calls: supposed(key, calls[key.group]))

    def score_like(self, full: Judge, one: Assumed, today: Today) -> Score:
        """Return the same for an assumed entry: on fewer CTAs its calls are longer as its records say, and move the same bytes."""
        (document,) = one.choice.contracts
        whole = document.value.budgets[0]

        def scaled(key: Key, calls: Calls) -> Record:
            here, there = (full.evidence.find(asked, document) for asked in (key, replace(key, budget_ctas=whole)))
            if not isinstance(here, RecordUse) or not isinstance(there, RecordUse):
                return supposed(key, calls[key.group])
            time_ps = calls[key.group] * here.record.time_ps // there.record.time_ps
            # What takes no time has no demand: it would be without bound.
            return supposed(key, time_ps, here.record.hbm_bytes if time_ps else None)

        return self._score(document, today, scaled)

    def _score(self, document: Document[Contract], today: Today, record_of: Callable[[Key, Calls], Record]) -> Score:
        groups, entry = today.choice.region.groups, document.value.entry
        study = replace(self.judge.study, contracts=(*self.judge.study.contracts, document))
        supposing = Supposing(study, self.judge.evidence, entry)
        # What is feasible does not depend on the time, as long as there is some.
        least = dict.fromkeys(groups, 10**6)
        supposing.record_of = lambda key: record_of(key, least)
        tried = Judge(study, self.judge.question, supposing, self.judge.effects, self.judge.constraints)
        pairs = tuple(self._with(tried, entry))

        def best(b_ps: int) -> Ps | None:
            calls = dict(zip(groups, calls_of(b_ps, today), strict=True))
            supposing.record_of = lambda key: record_of(key, calls)
            return min((found for pair in pairs if (found := _scored(tried, *pair)) is not None), default=None)

        return best

    def assumed(self, full: Judge, one: Assumed) -> Ps | None:
        """Return what the best design scores with an assumed entry of *full*."""
        entry = one.choice.contracts[0].value.entry
        pairs = (pair for pair in self._with(full, entry) if self._is_known_beside(entry, *pair))
        return min((found for pair in pairs if (found := _scored(full, *pair)) is not None), default=None)

    def _is_known_beside(self, entry: str, candidate: Candidate, variant: Variant) -> bool:
        """Whether everything beside *entry* has evidence today."""
        return all(entry in choice.entries or not self.judge.causes_alone(choice, candidate.policy) for choice in variant)

    def _with(self, judge: Judge, entry: str) -> Iterator[tuple[Candidate, Variant]]:
        """Yield every feasible variant that has *entry*."""
        refuse_whole(planned_size(judge.study, judge.question.spec))
        for candidate in candidates(judge.question.spec, judge.graph):
            if self.is_for_all or not candidate.policy.is_shared:
                for variant in judge.variants(candidate):
                    if any(entry in choice.entries for choice in variant) and judge.is_feasible(variant, candidate.policy):
                        yield candidate, variant


def _scored(judge: Judge, candidate: Candidate, variant: Variant) -> Ps | None:
    found = score(compose(judge, candidate, variant).composition, judge.question.objective)
    return None if isinstance(found, Deadlock) else found.value_ps
