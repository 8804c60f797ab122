"""Two streams inside of roles: what a cover takes is simulated; a chain of groups, and the host, bound it.

Regions that hold groups of one chain of edges follow each other, on whichever streams they are. So no design is faster than all regions
together that hold a group of it, each at its standalone time; and none is faster than the one thread that issues all launches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import networkx as nx

from megasolve.simulate import Ablation
from megasolve.simulate.plan.candidate import Choice
from megasolve.simulate.plan.cover import Backend, Region
from megasolve.simulate.predict.composition import Composition
from megasolve.simulate.predict.occurrences import Run, Runs
from megasolve.simulate.predict.pieces import piece, region_blocks

from .arcs import IDENTITY, Arc, ArcCost, ArcPlace
from .beside import chained, choice_composition
from .builder import Builder
from .costing import Costing


@dataclass(frozen=True, slots=True)
class _Known:
    """A choice with the host part and the device part of its launches, for each time that is asked for."""

    choice: Choice
    composition: Composition
    parts: tuple[tuple[int, int], ...]


def inside_arcs(builder: Builder) -> tuple[Arc, ...]:
    """Return an arc for each choice of each region; of regions without a group of the dearest chain the device part counts as nothing."""
    regions = [Region(backend, groups) for groups in builder.judge.graph.regions for backend in Backend]
    known = [_known(builder, choice) for region in regions for choice in builder.allowed(region)]
    chain = _dearest_chain(builder, known) if builder.ablation is Ablation.FULL else {*builder.groups}
    return tuple(_arc(builder, one, is_in_chain=not chain.isdisjoint(one.choice.region.groups)) for one in known)


def _known(builder: Builder, choice: Choice) -> _Known:
    alone = [choice_composition(costing, choice) for costing in builder.costings]
    return _Known(choice, alone[0], tuple(_parts(costing, one) for costing, one in zip(builder.costings, alone, strict=True)))


def _parts(costing: Costing, composition: Composition) -> tuple[int, int]:
    """Return what the launches of the only region of *composition* take of the host and of the device; of a megakernel no launch counts.

    One launch of it may go over several steps, and from role to role: how many there are depends on what else there is.
    """
    (region,) = composition.regions
    order = costing.order
    if region.persistent:
        return 0, _served(region_blocks(region, composition.works, order))
    host, _, _, device = chained(piece(region, composition.works, order), order.middle_steps)
    return host or 0, device or 0


def _served(blocks: Sequence[Runs]) -> int:
    """Return the service of all calls of *blocks*."""
    return sum(block.repeat * sum(_served([one]) if isinstance(one, Runs) else _of_run(one) for one in block.runs) for block in blocks)


def _of_run(run: Run) -> int:
    return sum(section.service_ps for section in run.sections)


def _dearest_chain(builder: Builder, known: Sequence[_Known]) -> set[str]:
    """Return groups of which each waits for the one before it, in the first time that is asked for as dear as such groups can be."""
    shares: dict[str, int] = {}
    for one in known:
        groups = one.choice.region.groups
        for group in groups:
            shares[group] = min(shares.get(group, one.parts[0][1] // len(groups)), one.parts[0][1] // len(groups))
    order = nx.DiGraph()
    order.add_nodes_from(builder.groups)
    for source, target in builder.judge.graph.order.edges:
        order.add_edge(source, target, weight=shares.get(target, 0))
    # What a path begins with has no edge to it that could carry its share.
    order.add_edges_from(("", group, {"weight": shares.get(group, 0)}) for group in builder.groups)
    return {*nx.dag_longest_path(order, weight="weight")} - {""}


def _arc(builder: Builder, known: _Known, *, is_in_chain: bool) -> Arc:
    choice, composition = known.choice, known.composition
    groups, (region,) = choice.region.groups, composition.regions
    block = next((place for place, one in enumerate(composition.repeats) if region.is_inside(one)), None)
    costs = tuple(ArcCost(((host, None, None, device if is_in_chain else 0), IDENTITY, IDENTITY)) for host, device in known.parts)
    kind = "m" if choice.region.is_megakernel else f"c:{choice.contracts[0].value.dispatch.kind}"
    return Arc(ArcPlace((groups,), kind), (choice,), builder.first(groups), builder.last(groups), costs, block=block)
