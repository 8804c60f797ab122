"""Times of a megakernel with some mechanisms of its tiles off: the steps by which a derived time came about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from megasolve.contracts import Study
from megasolve.simulate import Phase, Work
from megasolve.simulate.plan.cover import Region

from ..evidence.derivation import Derivation
from ..evidence.lookup import Evidence, NoEvidence
from ..search.predicates import Judge
from ..select.result import Ranked
from .between import Works

# What is off at each step, but for the last, where all is as in the plan: forwarding comes first, then the waves, then the waits.
STEPS = (
    ("forwarding", "readiness", "prefetch", "synchronization"),
    ("readiness", "prefetch", "synchronization"),
    ("synchronization",),
)


@dataclass(slots=True)
class TileSteps:
    """Derives the times of *study* with mechanisms off, each once."""

    study: Study
    derivation: Derivation
    _evidence: dict[tuple[str, ...], Evidence] = field(default_factory=dict)

    def works(self, judge: Judge, row: Ranked, region: Region) -> tuple[Works, ...]:
        """Return what the groups of *region* run in *row* at each step; nothing where a time is recorded, or none can be derived."""
        choices = next(one for one in row.tied[0] if one.region == region)
        uses = [usage.use for usage in row.composed.usages if usage.region == region]
        if not uses or any(use.derived is None for use in uses):
            return ()
        asked = [(key, contract) for need in judge.needs(choices, row.candidate.policy) for key, contract in judge.keys(choices, need)]
        found: list[Works] = []
        for off in STEPS:
            evidence = self._without(off)
            evidence.prepare(asked)
            works = dict(_works(judge, row, region, evidence))
            if any(work is None for work in works.values()):
                return ()
            found.append({key: work for key, work in works.items() if work is not None})
        return tuple(found)

    def _without(self, off: tuple[str, ...]) -> Evidence:
        if off not in self._evidence:
            mechanisms = self.derivation.mechanisms
            self._evidence[off] = Evidence(self.study, replace(self.derivation, mechanisms=mechanisms.without(*off)))
        return self._evidence[off]


def _works(judge: Judge, row: Ranked, region: Region, evidence: Evidence) -> Iterator[tuple[tuple[str, Phase], Work | None]]:
    choice = next(one for one in row.tied[0] if one.region == region)
    works = row.composed.composition.works
    for need in judge.needs(choice, row.candidate.policy):
        known = works[need.group.name, need.phase]
        (asked,) = judge.keys(choice, need)
        use = evidence.find(*asked)
        if isinstance(use, NoEvidence):
            yield (need.group.name, need.phase), None
        else:
            services = tuple(replace(one, duration_ps=use.record.time_ps, hbm_bytes=use.record.hbm_bytes) for one in known.services)
            yield (need.group.name, need.phase), replace(known, services=services)
