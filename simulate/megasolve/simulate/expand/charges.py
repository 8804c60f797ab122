"""Charges: what it costs that tiles wait for each other, as one cost a wait or by kind of edge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from megasolve.contracts.model.contract import Contract
from megasolve.contracts.model.programs.operators import HandOff

from .edges import OperatorEdge
from .setup import Mechanisms

HAND_OFFS: tuple[HandOff, ...] = get_args(HandOff)
AT_ONCE = 0
"""The number of what costs nothing; a hand-off has one more than its place."""


@dataclass(frozen=True, slots=True)
class Charges:
    """What waits cost: *wait_ps* each, or by kind of edge (design, *Edges*).

    *data_ps* says, by the number of a hand-off, how much later than its last needed arrival a counter opens; empty where a wait has one
    cost. *task_ps* is what every tile takes beside its work.
    """

    wait_ps: int = 0
    data_ps: tuple[int, ...] = ()
    task_ps: int = 0

    def number_of(self, edge: OperatorEdge, waits: int | None) -> int:
        """Return the number of the hand-off of *edge* to an operator that declares how many *waits* it pays for."""
        # Only an order, or an operator that pays for no wait: such counters open at once.
        if not self.data_ps or not edge.is_charged or waits == 0:
            return AT_ONCE
        return 1 + HAND_OFFS.index(edge.hand_off)


def charges_of(contract: Contract, mechanisms: Mechanisms) -> Charges:
    """Return what *contract* charges for waits, as far as *mechanisms* are on; its cost is a part of the tile times."""
    synchronization = contract.synchronization
    if synchronization is None or not mechanisms.synchronization:
        return Charges()
    if not synchronization.prices_edges:
        return Charges(synchronization.cost_ps)
    stated = {hand_off: cost for hand_off in HAND_OFFS if (cost := synchronization.data_cost_ps(hand_off)) is not None}
    # A hand-off without a cost is declared nowhere (SYN-04): only a barrier in place of what is declared is one, and no cheaper than that.
    data_ps = [stated.get(hand_off, max(stated.values(), default=0)) for hand_off in HAND_OFFS]
    task_ps = synchronization.task_ps or 0
    return Charges(0, (AT_ONCE, *data_ps) if mechanisms.data_edges else (), task_ps if mechanisms.task_cost else 0)
