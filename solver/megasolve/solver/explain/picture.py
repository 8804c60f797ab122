"""The region graph of one design: its groups as they run, what waits for them, and the order that the spec decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

from megasolve.contracts import GroupRole
from megasolve.simulate import Composition, Objective, Score, score
from megasolve.simulate.plan.region_graph import Groups, RegionGraph
from megasolve.simulate.predict.lowering.inside import groups_on_second

from ..search.predicates import Judge
from ..select.result import Ranked
from ..select.times import Ps

MOST_EXCHANGES = 200


@dataclass(frozen=True, slots=True)
class PicturedGroup:
    """One group in its region, *times* in each of its occurrences.

    The groups of *after* wait for it within a step, those of *next* in the next step.
    Where it is not *awaited*, the first publication does not wait for its last occurrence. *stream* is the one that it runs on, where
    regions of its role run on two.
    """

    group: str
    role: GroupRole
    region: str
    after: Groups
    next: Groups = ()
    times: int = 1
    awaited: bool = True
    stream: int | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """Two of the design that do not wait for each other: *first* runs earlier, and the other way round it would take *score_ps*."""

    first: str
    second: str
    score_ps: Ps


@dataclass(frozen=True, slots=True)
class Picture:
    """The groups in the order in which the design runs them, and the exchanges that would change its score."""

    groups: tuple[PicturedGroup, ...]
    exchanges: tuple[Exchange, ...]


def picture(judge: Judge, row: Ranked, objective: Objective) -> Picture | None:
    """Return the picture of a ranked design; None where the groups are a plain chain, which its id shows."""
    spec, graph = judge.question.spec, judge.graph
    if not spec.repeats and all(graph.flow.has_edge(one, other) for one, other in pairwise(graph.groups)):
        return None
    roles = {group.name: group.role for group in spec.groups}
    composition = row.composed.composition
    order = (*composition.admission, *composition.producers, *composition.consumers)
    second = groups_on_second(composition) if row.candidate.policy.is_inside else frozenset()
    groups = tuple(
        PicturedGroup(
            group=name,
            role=roles[name],
            region=str(row.candidate.cover.region_of(name)),
            after=tuple(sorted(graph.flow.successors(name), key=order.index)),
            next=tuple(edge.target for edge in spec.edges if edge.distance and edge.source == name),
            times=spec.times_of(name),
            awaited=name not in judge.question.unawaited,
            stream=1 + (name in second) if row.candidate.policy.is_inside else None,
        )
        for name in order
    )
    return Picture(groups, tuple(_exchanges(graph, composition, objective, row.score_ps)))


def _exchanges(graph: RegionGraph, composition: Composition, objective: Objective, now_ps: Ps) -> Iterator[Exchange]:
    tried = 0
    for groups in (composition.admission, composition.producers, composition.consumers):
        for one, other in combinations(_pieces(composition, groups), 2):
            changed = _swapped(groups, one, other)
            if tried == MOST_EXCHANGES or not _is_allowed(graph, composition, changed):
                continue
            tried += 1
            found = score(_running(composition, groups, changed), objective)
            if isinstance(found, Score) and found.value_ps != now_ps:
                yield Exchange("+".join(one), "+".join(other), found.value_ps)


def _running(composition: Composition, groups: Groups, changed: Groups) -> Composition:
    """Return the composition with the groups of one role in another order."""
    admission, producers, consumers = (
        changed if role == groups else role for role in (composition.admission, composition.producers, composition.consumers)
    )
    return replace(composition, admission=admission, producers=producers, consumers=consumers)


def _pieces(composition: Composition, groups: Groups) -> list[Groups]:
    """Return what of one role can be exchanged: the regions in order, and the kernels of those that launch each by itself."""
    found: list[Groups] = []
    for region in dict.fromkeys(map(composition.region_of, groups)):
        members = tuple(group for group in groups if group in region.groups)
        found += [members] if len(members) == len(region.groups) else []
        found += [(group,) for group in members if len(members) > 1]
    return found


def _swapped(groups: Groups, one: Groups, other: Groups) -> Groups:
    """Return *groups* with two runs of them in each other's place; as they are where one holds the other."""
    if {*one} & {*other}:
        return groups
    first, second = groups.index(one[0]), groups.index(other[0])
    between = groups[first + len(one) : second]
    return (*groups[:first], *other, *between, *one, *groups[second + len(other) :])


def _is_allowed(graph: RegionGraph, composition: Composition, groups: Sequence[str]) -> bool:
    """Whether *groups* of one role can run in this order: nothing before what it waits for, and regions and blocks in one piece."""
    place = {group: index for index, group in enumerate(groups)}
    waits = all(place[one] < place[other] for one, other in graph.flow.edges if one in place and other in place)
    parts = [region.groups for region in composition.regions] + [block.groups for block in composition.repeats]
    whole = all(_is_run([place[group] for group in part if group in place]) for part in parts)
    return waits and whole and groups not in (composition.admission, composition.producers, composition.consumers)


def _is_run(places: Sequence[int]) -> bool:
    return not places or max(places) - min(places) < len(places)
