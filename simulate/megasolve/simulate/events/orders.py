"""Does a schedule deadlock under some order? The order between independent launches is an assumption, so all are tried."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from megasolve.contracts.model.errors import MegasolveError

from .engine import simulate
from .graph import EventGraph
from .outcome import Deadlock
from .tables import tables_of

MAX_ORDERS = 720


class TooManyOrders(MegasolveError):
    """A graph with more launch orders than may be tried."""


class DeadlockingOrder(NamedTuple):
    """An order of the launches, first to last, and the deadlock that it leads to."""

    order: tuple[str, ...]
    deadlock: Deadlock


def deadlocks_under_some_order(graph: EventGraph, limit: int = MAX_ORDERS) -> tuple[DeadlockingOrder, ...]:
    """Return every order of the launches that deadlocks; an empty tuple proves that none does.

    An order decides between launches that become ready at the same instant, before the node index does. Launches of which
    one cannot become ready before the other was admitted keep their order, so a chain of launches has one order and two
    independent launches have two. All orders are tried.

    Raises
    ------
    TooManyOrders
        If there are more than *limit* orders.
    """
    orders = list(islice(_orders(_required(graph)), limit + 1))
    if len(orders) > limit:
        raise TooManyOrders(f"{len(graph.launches)} launches have more than {limit} orders; raise the limit or simulate fewer launches")
    return tuple(found for order in orders if (found := _deadlock_in(graph, order)) is not None)


def _deadlock_in(graph: EventGraph, order: tuple[int, ...]) -> DeadlockingOrder | None:
    # Only launches that are ready at one instant are put in another order; time itself is never reordered.
    priority = [order.index(launch) for launch in range(len(order))]
    outcome = simulate(graph, launch_priority=priority)
    if not isinstance(outcome, Deadlock):
        return None
    return DeadlockingOrder(tuple(graph.launches[launch].name for launch in order), outcome)


def _orders(required: list[set[int]], placed: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Yield the orders in which each launch stands behind those that it requires, in lexicographic order."""
    if len(placed) == len(required):
        yield placed
    for launch, before in enumerate(required):
        if launch not in placed and before.issubset(placed):
            yield from _orders(required, (*placed, launch))


def _required(graph: EventGraph) -> list[set[int]]:
    """Return, per launch, the launches that are admitted before any of its nodes is ready."""
    behind = _launches_behind(graph)
    required = []
    for launch in range(len(graph.launches)):
        # Behind every one of its nodes: if one of them can be ready early, the launch can be admitted early.
        own = [behind[index] for index, node in enumerate(graph.nodes) if node.launch == launch and index in behind]
        required.append(set.intersection(*own) - {launch} if own else set())
    return required


def _launches_behind(graph: EventGraph) -> dict[int, set[int]]:
    """Return the launches of all predecessors, near and far, of each node that is on or behind no cycle."""
    tables = tables_of(graph)
    count, missing = len(graph.nodes), list(tables.missing)
    # Kahn's order. A node on or behind a cycle is never ripe, never admitted, and orders nothing.
    ripe = [index for index in range(count) if not missing[index]]
    behind: dict[int, set[int]] = {}
    while ripe:
        index = ripe.pop()
        behind[index] = set().union(*(behind[before] | _own(graph, before) for before in graph.predecessors[index]))
        for after in tables.successors[index]:
            missing[after] -= 1
            if not missing[after] and after < count:
                ripe.append(after)
    return behind


def _own(graph: EventGraph, index: int) -> set[int]:
    launch = graph.nodes[index].launch
    return set() if launch is None else {launch}
