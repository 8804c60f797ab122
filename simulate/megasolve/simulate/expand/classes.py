"""Classes: the tiles of one operator that take the same, in the first repeat and in later ones, with what their waits cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..tiles.arrays import Figures, Numbers
from .charges import Charges
from .columns import Column, classified, multiplied, single
from .counters import Counters
from .edges import OperatorEdge, Plan, inputs_of
from .tiles import CostColumns


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """By class of tiles what `CostColumns` has, with what of the compute time pays for waits behind that; the class of each tile."""

    figures: tuple[Figures, ...]
    class_of: Numbers


def classes_of(plan: Plan, number: int, costs: CostColumns, counters: Counters, *, repeat: int, charges: Charges) -> Classes:
    """Return the classes of the operator with this *number* in a *repeat*, whose tiles take *costs* and what *charges* add for waits."""
    sized = plan.operators[number]
    charged = inputs_of((edge for edge in plan.edges[number] if edge.is_charged), repeat)
    # A contract may say how many waits a tile pays for; else one for each counter (section IV-B: dependencies are counters).
    count = _distinct(charged, number, counters) if sized.operator.waits is None else single(sized.operator.waits)
    waiting_ps = multiplied(count, single(charges.wait_ps)) + single(charges.task_ps)
    compute_ps, *bytes_moved = costs.columns
    # The part for waits is kept beside the sum: calibration scales compute, and never what the contract states for a wait.
    figures, class_of = classified([compute_ps + waiting_ps, waiting_ps, *bytes_moved], sized.grid.counts)
    return Classes(tuple(figures), class_of)


def _distinct(edges: Sequence[OperatorEdge], number: int, counters: Counters) -> Column:
    """Return for how many different counters each tile waits: edges to the same tiles are one wait, this repeat and the one before two."""
    count = single(0)
    for at, edge in enumerate(edges):
        region = counters.awaited[number, edge]
        # Only regions of the same producer in the same reach have numbers that can be compared.
        known = [counters.awaited[number, one] for one in edges[:at] if (one.producer, one.reach) == (edge.producer, edge.reach)]
        is_new = np.ones((1, 1, 1), np.bool_)
        for other in known:
            is_new = is_new & (other != region)
        count = count + is_new
    return count
