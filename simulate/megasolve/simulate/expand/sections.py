"""Sections: the operators of a plan as prologue, repeating body and epilogue, with counters between their tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from megasolve.contracts.model.programs.operators import OpaqueOperator

from ..tiles.arrays import CounterNames, Numbers, SectionArrays, Sets, TileCosts, TilePlaces, joined
from ..tiles.program import TileProgram, TileSection
from .classes import Classes
from .columns import flat
from .counters import Counters
from .edges import OperatorEdge, Plan
from .executions import OperatorRun, Unrolled
from .regions import arrivals
from .waits import Waits, waits_of


@dataclass(frozen=True, slots=True)
class PlanParts:
    """What the operators of a plan are made of: by operator its classes in the first repeat and in later ones, and its counters."""

    plan: Plan
    classes: tuple[tuple[Classes, Classes], ...]
    counters: Counters


def sections_of(parts: PlanParts, body: int | None) -> TileProgram:
    """Return a tile program whose body is block *body*.

    The first repeat of the body stands at the end of the prologue: what it waits for and finds on chip is not what later
    repeats do.
    """
    unrolled = Unrolled(parts.plan, body)
    executions: tuple[list[OperatorRun], list[OperatorRun], list[OperatorRun]] = ([], [], [])
    for execution in unrolled.executions():
        # Prologue, body and epilogue keep program order; a counter of the section before is named by a negative number.
        executions[execution.section].append(execution)
    shared = _Shared(parts)
    prologue, repeated, epilogue = (TileSection(arrays=_Section(unrolled, shared, part).arrays()) for part in executions)
    return TileProgram(prologue, repeated, epilogue, 0 if body is None else parts.plan.repeats[body] - 1)


@dataclass(frozen=True, slots=True)
class _Shared:
    """What executions of an operator share, made when it is first asked for."""

    parts: PlanParts
    _signals: dict[int, tuple[Sets, Numbers]] = field(default_factory=dict)
    _waits: dict[tuple[int, tuple[OperatorEdge, ...]], Waits] = field(default_factory=dict)

    def signals(self, operator: int) -> tuple[Sets, Numbers]:
        """Return the different sets of regions of *operator* in which a tile may be, and that of each tile."""
        if operator not in self._signals:
            sets, set_of = arrivals(self.parts.counters.regions[operator])
            self._signals[operator] = sets, flat(set_of, self.parts.plan.operators[operator].grid.counts).astype(np.int32)
        return self._signals[operator]

    def waits(self, operator: int, edges: tuple[OperatorEdge, ...]) -> Waits:
        """Return what the tiles of *operator* wait for along *edges*."""
        if (operator, edges) not in self._waits:
            self._waits[operator, edges] = waits_of(operator, self.parts.plan.operators[operator], edges, self.parts.counters)
        return self._waits[operator, edges]


class _Section:
    """Puts the executions of one section together."""

    def __init__(self, unrolled: Unrolled, shared: _Shared, executions: Sequence[OperatorRun]) -> None:
        self._unrolled, self._shared, self._executions = unrolled, shared, executions
        self._plan, self._regions = shared.parts.plan, shared.parts.counters.regions
        self._counters: dict[OperatorRun, int] = {}
        self._past: dict[OperatorRun, int] = {}
        self._past_size = 0

    def arrays(self) -> SectionArrays:
        """Return the arrays of the section."""
        first = 0
        for execution in self._executions:
            self._counters[execution] = first
            first += len(self._regions[execution.operator])
        costs, cost_of = self._costs()
        waits, waits_of = _stacked([self._waits(execution) for execution in self._executions])
        signals, signals_of = _stacked([self._signals(execution) for execution in self._executions])
        regions, shared = [self._regions[execution.operator] for execution in self._executions], self._shared.parts.counters
        return SectionArrays(
            costs=costs,
            cost_of=cost_of,
            waits=waits,
            waits_of=waits_of,
            signals=signals,
            signals_of=signals_of,
            counters=tuple(map(self._named, self._executions)),
            targets=joined([one.tile_counts for one in regions]),
            past=tuple(map(self._named, self._past)),
            places=self._places(),
            delays_ps=joined([shared.delays_ps(one.operator) for one in self._executions]) if shared.data_ps else None,
        )

    def _named(self, execution: OperatorRun) -> CounterNames:
        return CounterNames(self._unrolled.label(execution.operator, execution.repeat), self._regions[execution.operator])

    def _places(self) -> TilePlaces:
        grids = tuple(self._plan.operators[execution.operator].grid for execution in self._executions)
        return TilePlaces(tuple(accumulate((grid.tile_count for grid in grids), initial=0))[:-1], grids)

    def _costs(self) -> tuple[TileCosts, Numbers]:
        """Return the lines of costs, those of an operator once for its first repeat and once for later ones, and that of each tile."""
        begins: dict[tuple[int, int], int] = {}
        classes: list[Classes] = []
        operators: list[int] = []
        numbers: list[Numbers] = [np.zeros(0, np.int32)]
        for execution in self._executions:
            pair = self._shared.parts.classes[execution.operator]
            # The first repeat may load what later ones find on chip, so it has a line of its own, where the two differ.
            later = int(execution.repeat > 1 and pair[0] is not pair[1])
            if (execution.operator, later) not in begins:
                begins[execution.operator, later] = len(operators)
                classes.append(pair[later])
                operators += [execution.operator] * len(pair[later].figures[0])
            numbers.append(pair[later].class_of + np.int32(begins[execution.operator, later]))
        names = tuple(sized.operator.name for sized in self._plan.operators)
        opaque = np.array([isinstance(sized.operator, OpaqueOperator) for sized in self._plan.operators], np.bool_)
        operator = np.array(operators, np.int32)
        columns = (joined([one.figures[column] for one in classes]) for column in range(9))
        compute, waiting, weights, activations, output, staging, *more = columns
        costs = TileCosts(names, operator, compute, waiting, weights, activations, output, staging, opaque[operator], *more)
        return costs, np.concatenate(numbers)

    def _waits(self, execution: OperatorRun) -> tuple[Sets, Numbers]:
        here, before = self._unrolled.awaited(execution)
        waits = self._shared.waits(execution.operator, (*here, *before))
        producers = [self._unrolled.producer(execution, edge) for edge in waits.edges]
        # Counters of this section count up from 0, those of the one before down from -1: one array holds both.
        firsts = [self._counters[one] if at < len(here) else -1 - self._past_of(one) for at, one in enumerate(producers)]
        signs = np.array([1] * len(here) + [-1] * len(before), np.int32)[waits.edge_of]
        members = np.array(firsts, np.int32)[waits.edge_of] + signs * waits.regions.members
        return Sets(waits.regions.pointers, members), waits.set_of

    def _past_of(self, execution: OperatorRun) -> int:
        """Return the number of the first counter of an *execution* in the section before."""
        # Only what is waited for across the border is carried over it, in the order in which it is first asked for.
        if execution not in self._past:
            self._past[execution] = self._past_size
            self._past_size += len(self._regions[execution.operator])
        return self._past[execution]

    def _signals(self, execution: OperatorRun) -> tuple[Sets, Numbers]:
        sets, set_of = self._shared.signals(execution.operator)
        return Sets(sets.pointers, sets.members + np.int32(self._counters[execution])), set_of


def _stacked(parts: Sequence[tuple[Sets, Numbers]]) -> tuple[Sets, Numbers]:
    """Return the sets of all *parts*, one behind the other, and which of them each tile has."""
    begins = list(accumulate((len(sets) for sets, _ in parts), initial=0))
    ends = list(accumulate((len(sets.members) for sets, _ in parts), initial=0))
    pointers = [sets.pointers[:-1] + end for (sets, _), end in zip(parts, ends, strict=False)]
    nothing = np.zeros(0, np.int32)
    members = np.concatenate([nothing, *(sets.members for sets, _ in parts)])
    numbers = np.concatenate([nothing, *(set_of + np.int32(begin) for (_, set_of), begin in zip(parts, begins, strict=False))])
    return Sets(np.concatenate([*pointers, np.array(ends[-1:], np.int64)]), members), numbers
