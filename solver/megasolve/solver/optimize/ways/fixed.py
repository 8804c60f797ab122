"""Fixed covers: the best entries of one cover, whatever order its regions run in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from megasolve.simulate import Ablation, Deadlock, score
from megasolve.simulate.plan.candidate import Candidate

from ...search.predicates import Judge, Variant
from ...select.compose import compose
from ..space.arcs import Arc, Ps, Space
from ..space.builder import Builder
from ..space.spaces import space_with
from ..space.splits import both
from .walking import Walker


def entries_of(space: Space, way: Sequence[Arc]) -> tuple[Ps, tuple[Arc, ...]]:
    """Return the least value of the cover of *way*, and the arcs of its slots that have it."""
    places = {arc.slot: place for place, arc in enumerate(way)}
    origin: dict[int, Arc] = {}
    line: list[Arc] = []
    for arc in space.arcs:
        if (place := places.get(arc.slot)) is not None:
            line.append(replace(arc, first=place, last=place + 1))
            origin[id(line[-1])] = arc
    chain = replace(space, groups=tuple(f"{place}" for place in range(len(way))), arcs=tuple(line), graph=None)
    walker = Walker(chain, (), dict.fromkeys(chain.groups, ""))
    value, found = walker.best(walker.only((None,) * len(space.clocks)) or ())
    return value, tuple(origin[id(arc)] for arc in found)


def best_variant(judge: Judge, candidate: Candidate, ablation: Ablation = Ablation.FULL) -> Variant:
    """Return the best choices of entries for a candidate that breaks no rule, without trying all combinations of them."""
    if candidate.policy.is_beside or candidate.policy.is_inside:
        return _best_of_all(judge, candidate, ablation)
    builder = Builder(judge, candidate.policy, ablation)
    regions = candidate.cover.regions
    free = [[one for one in judge.choices(region) if not judge.causes_alone(one, candidate.policy)] for region in regions]
    sides = {group.name for group in judge.question.spec.groups if group.role != "admission"}
    # The sides of a split come last in every cover.
    count = sum(not candidate.policy.is_split or sides.isdisjoint(region.groups) for region in regions)
    arcs = [builder.arc(one, str(place)) for place in range(count) for one in free[place]]
    if candidate.policy.is_split:
        arcs += [both(builder, chosen, arcs) for chosen in product(*free[count:]) if not judge.causes_together(chosen, candidate.policy)]
    space = space_with(builder, tuple(arcs))
    way = [next(arc for arc in arcs if arc.slot.kind == str(place)) for place in range(count)]
    if candidate.policy.is_split:
        way.append(arcs[-1])
    best = {choice.region: choice for arc in entries_of(space, space.ordered(way) or way)[1] for choice in arc.choices}
    return tuple(best[region] for region in regions)


def _best_of_all(judge: Judge, candidate: Candidate, ablation: Ablation) -> Variant:
    """Return the best variant of a candidate that only simulation scores, by simulating each."""
    scored = []
    for variant in (one for one in judge.variants(candidate) if judge.is_feasible(one, candidate.policy)):
        found = score(compose(judge, candidate, variant).composition, judge.question.objective, ablation=ablation)
        if not isinstance(found, Deadlock):
            scored.append((found.value_ps, tuple(choice.entries for choice in variant), variant))
    return min(scored, key=lambda one: one[:2])[2]
