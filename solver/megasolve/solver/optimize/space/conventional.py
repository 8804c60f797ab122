"""Conventional arcs: the implementations of each group, chosen group by group, never as a product over a region.

Where every kernel is a launch, and where roles meet, it does not matter which region a kernel is in, so these arcs are as short as can be:
one for each group, or the part of a region in one role where a graph launches it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from megasolve.contracts import Contract, Document
from megasolve.simulate.plan.candidate import Choice
from megasolve.simulate.plan.cover import Backend, Region
from megasolve.simulate.plan.policy import Policy

from ...evidence.lookup import RecordUse, left_ps
from ...search.predicates import Judge
from ...select.compose import launch_cost

GRAPH = "graph"
Kernels = tuple[Document[Contract], ...]


@dataclass(frozen=True, slots=True)
class Implementation:
    """One implementation of a group that breaks no rule; *launch* is its dearest kernel's (exposed and host part, host part).

    *works_ps* is what its kernels and gaps take, in each of the times that are asked for.
    """

    group: str
    kernels: Kernels
    kind: str
    launch: tuple[int, int] = (0, 0)
    waits: bool = False
    works_ps: tuple[int, ...] = ()


def implementations(judge: Judge, policy: Policy, group: str, timed: Sequence[Judge] = ()) -> tuple[Implementation, ...]:
    """Return the implementations of *group* that break no rule under *policy*, with what they take for each judge of *timed*."""
    whole = judge.choices(Region(Backend.CONVENTIONAL, (group,)))
    return tuple(_measured(timed or (judge,), policy, choice) for choice in whole if not judge.causes_alone(choice, policy))


def _measured(timed: Sequence[Judge], policy: Policy, choice: Choice) -> Implementation:
    (group,) = choice.region.groups
    kind = choice.contracts[0].value.dispatch.kind
    if kind != GRAPH:
        return Implementation(group, choice.contracts, kind)
    times = [sum(left_ps(one.value, use.record, judge.study.device.value) for one, use in _used(judge, policy, choice)) for judge in timed]
    if not timed[0].effects.dispatch:
        return Implementation(group, choice.contracts, kind, works_ps=tuple(times))
    costs = [launch_cost(timed[0].study.device.value, one.value) for one in choice.contracts]
    gaps = sum(max(cost.gap_ps, 0) * one.value.kernels for cost, one in zip(costs, choice.contracts, strict=True))
    dearest = max((cost.host_ps + cost.exposed_ps, cost.host_ps) for cost in costs)
    works = tuple(time + gaps for time in times)
    return Implementation(group, choice.contracts, kind, dearest, any(cost.host_waits for cost in costs), works)


def _used(judge: Judge, policy: Policy, choice: Choice) -> Iterator[tuple[Document[Contract], RecordUse]]:
    for need in judge.needs(choice, policy)[:1]:
        for contract, use in zip(choice.contracts, judge.records(choice, need), strict=True):
            if isinstance(use, RecordUse):
                yield contract, use


def graph_choices(groups: Sequence[str], known: dict[str, tuple[Implementation, ...]]) -> Iterator[Choice]:
    """Yield the choices for one graph of *groups* that can be the best: which launch is the dearest, each group's cheapest within it."""
    graphs = [[one for one in known[group] if one.kind == GRAPH] for group in groups]
    if not all(graphs):
        return
    region = Region(Backend.CONVENTIONAL, tuple(groups))
    seen: set[tuple[str, ...]] = set()
    for launch in sorted({one.launch for each in graphs for one in each}):
        for waits in (False, True):
            allowed = [[one for one in each if one.launch <= launch and one.waits <= waits] for each in graphs]
            for chosen in product(*map(_cheapest, allowed)):
                choice = Choice(region, tuple(kernel for one in chosen for kernel in one.kernels))
                if choice.entries not in seen:
                    seen.add(choice.entries)
                    yield choice


def _cheapest(each: Sequence[Implementation]) -> list[Implementation]:
    """Return those of *each* that no other one is as cheap as in every time; of equal ones the first."""
    kept: list[Implementation] = []
    for one in sorted(each, key=lambda one: one.works_ps):
        if not any(all(mine <= theirs for mine, theirs in zip(other.works_ps, one.works_ps, strict=True)) for other in kept):
            kept.append(one)
    return kept
