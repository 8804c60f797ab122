"""Rules about synchronization: how the CTAs of a launch meet."""

from __future__ import annotations

from collections.abc import Iterator

from ...model.contract import Contract, Synchronization
from ...model.findings import Fault
from ...model.programs.operators import HandOff, OpaqueOperator
from ...model.rules import rule
from ..subjects import CONTRACT
from .operator.paths import dependencies_of, each_operator
from .wording import listed


@rule("SYN-01", "unequal-barriers", "Every CTA meets a grid barrier equally often.", on=CONTRACT)
def equal_barriers(contract: Contract) -> Iterator[Fault]:
    """A CTA that has left the loop never arrives, and the others wait for it for ever."""
    synchronization = contract.synchronization
    if synchronization is None or synchronization.kind != "grid_barrier":
        return
    counts = synchronization.barriers_per_cta
    if len(set(counts)) > 1:
        message = (
            f"CTAs meet the grid barrier {listed(counts)} times: a deadlock; every CTA meets it {max(counts)} times, "
            f"and each pays for {max(counts)}, not for the mean"
        )
        yield Fault(equal_barriers, ("synchronization", "barriers_per_cta"), message)


@rule("SYN-04", "edges-without-cost", "Edges that are told apart all have a cost.", on=CONTRACT)
def edges_have_costs(contract: Contract) -> Iterator[Fault]:
    """One cost left out would count as nothing, and the derived times would be too short without a word."""
    synchronization = contract.synchronization
    if synchronization is not None and synchronization.prices_edges:
        missing = [key for key, cost in synchronization.edge_costs.items() if cost is None]
        if missing:
            stated = [key for key, cost in synchronization.edge_costs.items() if cost is not None]
            message = (
                f"{listed(stated)} without {listed(missing)}; state all three (0 where it costs nothing), or one cost_us for every wait"
            )
            yield Fault(edges_have_costs, ("synchronization",), message, at_key=True)
    if synchronization is not None and synchronization.kind == "grid_barrier" and not _is_priced(synchronization, "counter"):
        message = "a grid barrier is a counter, which has no cost in data_us; add it"
        yield Fault(edges_have_costs, ("synchronization", "data_us"), message, at_key=True)
    for group in contract.programs:
        for path, dependency, _ in dependencies_of(contract, group):
            if not _is_priced(synchronization, dependency.hand_off):
                what = f"'{dependency.operator}' is handed on by {dependency.hand_off}"
                message = f"{what}, which has no cost in synchronization.data_us; add it"
                yield Fault(edges_have_costs, (*path, "hand_off"), message)


def _is_priced(synchronization: Synchronization | None, hand_off: HandOff) -> bool:
    """Whether a dependency with this *hand_off* has a cost; the usual one needs none where edges are not told apart."""
    if synchronization is not None and synchronization.data_ps is not None:
        return synchronization.data_cost_ps(hand_off) is not None
    return hand_off == "counter"


@rule("SYN-05", "waits-priced-twice", "A wait has one cost, or costs by kind of edge.", on=CONTRACT)
def waits_priced_once(contract: Contract) -> Iterator[Fault]:
    """Costs by kind of edge stand in place of one cost a wait: with both it is open which one holds."""
    synchronization = contract.synchronization
    if synchronization is not None and synchronization.cost_ps and synchronization.prices_edges:
        stated = listed(key for key, cost in synchronization.edge_costs.items() if cost is not None)
        yield Fault(waits_priced_once, ("synchronization", "cost_us"), f"cost_us beside {stated}; keep one of the two", at_key=True)


@rule("SYN-06", "order-of-nothing", "A static order is that of the tiles of a megakernel.", on=CONTRACT)
def static_order_has_tiles(contract: Contract) -> Iterator[Fault]:
    """Conventional kernels end between operators, and an opaque operator takes every worker: neither has a place in such an order."""
    synchronization = contract.synchronization
    if synchronization is None or synchronization.order != "static":
        return
    if contract.backend == "conventional":
        message = "order static in a conventional contract; its kernels run one after the other: remove it"
        yield Fault(static_order_has_tiles, ("synchronization", "order"), message)
    for group in contract.programs:
        for path, operator in each_operator(contract, group):
            if isinstance(operator, OpaqueOperator):
                message = f"'{operator.name}' is opaque and takes all workers, but in static order each tile has one; give it tiles"
                yield Fault(static_order_has_tiles, (*path, "kind"), message)


@rule("SYN-03", "barriers-without-barrier", "Only a grid barrier has a count per CTA.", on=CONTRACT)
def barriers_belong_to_a_barrier(contract: Contract) -> Iterator[Fault]:
    """A count per CTA beside another kind of synchronization leaves open which of the two is meant."""
    synchronization = contract.synchronization
    if synchronization is not None and synchronization.barriers_per_cta and synchronization.kind != "grid_barrier":
        message = f"barriers_per_cta with kind '{synchronization.kind}'; remove the counts, or is the kind 'grid_barrier'?"
        yield Fault(barriers_belong_to_a_barrier, ("synchronization", "barriers_per_cta"), message, at_key=True)
