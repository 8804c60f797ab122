"""Sections: the operators of a plan as prologue, repeating body and epilogue, with counters between their tiles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..tiles.program import Tile, TileProgram, TileSection
from .counters import Counters
from .edges import OperatorEdge, Plan, Reach, inputs_of
from .regions import TileRegion, all_spans
from .tiles import TileCost

PROLOGUE, BODY, EPILOGUE = range(3)


@dataclass(frozen=True, slots=True)
class Costs:
    """What the tiles of one operator take in the first repeat, and in later ones, which may find other inputs on chip."""

    first: tuple[TileCost, ...]
    later: tuple[TileCost, ...]


@dataclass(frozen=True, slots=True)
class OperatorRun:
    """One run of an operator: in which repeat of its block, and in which section."""

    operator: int
    repeat: int
    section: int


@dataclass(frozen=True, slots=True)
class Awaited:
    """The counters of one execution that another waits for: a region for each of its tiles, or one for all of them."""

    label: str
    regions: tuple[TileRegion, ...]

    def name(self, tile: int) -> str:
        """Return the counter that *tile* waits for."""
        return self.label + self.regions[tile if len(self.regions) > 1 else 0].name


def sections_of(plan: Plan, body: int | None, counters: Counters, costs: Sequence[Costs], wait_ps: int) -> TileProgram:
    """Return *plan* as a tile program whose body is block *body*.

    The first repeat of the body stands at the end of the prologue: what it waits for and finds on chip is not what later
    repeats do.
    """
    maker = _Maker(plan, body, counters, tuple(costs), wait_ps)
    parts: tuple[list[OperatorRun], list[OperatorRun], list[OperatorRun]] = ([], [], [])
    for execution in _executions(plan, body):
        parts[execution.section].append(execution)
    prologue, repeated, epilogue = (maker.section(executions) for executions in parts)
    return TileProgram(prologue, repeated, epilogue, 0 if body is None else plan.repeats[body] - 1)


def _executions(plan: Plan, body: int | None) -> Iterator[OperatorRun]:
    for number, (block, repeats) in enumerate(zip(plan.blocks, plan.repeats, strict=True)):
        section = 2 if body is not None and number > body else 0
        for repeat in range(1, 2 if number == body else repeats + 1):
            yield from (OperatorRun(operator, repeat, section) for operator in block)
        if number == body:
            yield from (OperatorRun(operator, 2, 1) for operator in block)


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes the tiles and counters of each execution."""

    plan: Plan
    body: int | None
    counters: Counters
    costs: tuple[Costs, ...]
    wait_ps: int

    def section(self, executions: Iterable[OperatorRun]) -> TileSection:
        """Return the section of *executions*."""
        tiles: list[Tile] = []
        opened: list[tuple[str, int]] = []
        for execution in executions:
            label = self._label(execution.operator, execution.repeat)
            tiles.extend(self._tiles(execution, label))
            opened.extend((label + region.name, region.tile_count) for region in self.counters.regions[execution.operator])
        return TileSection(tuple(tiles), tuple(opened))

    def _label(self, operator: int, repeat: int) -> str:
        """Name an execution; repeats of the body share their names, so that each finds the counters of the one before."""
        name, number = self.plan.operators[operator].operator.name, self.plan.block_number(operator)
        return name if number == self.body or self.plan.repeats[number] == 1 else f"{name}#{repeat}"

    def _tiles(self, execution: OperatorRun, label: str) -> Iterator[Tile]:
        operator = self.plan.operators[execution.operator].operator
        costs = self.costs[execution.operator].first if execution.repeat == 1 else self.costs[execution.operator].later
        here, before = self._awaited(execution)
        charged = self._charged(execution)
        signals = self._signals(execution.operator, label)
        places = all_spans(self.plan.operators[execution.operator].grid)
        for tile, (cost, spans) in enumerate(zip(costs, places, strict=True)):
            waits = len(_names(charged, tile)) if operator.waits is None else operator.waits
            yield Tile(
                operator=operator.name,
                compute_ps=cost.compute_ps + waits * self.wait_ps,
                weight_bytes=cost.weight_bytes,
                activation_bytes=cost.activation_bytes,
                output_bytes=cost.output_bytes,
                staging_bytes=cost.staging_bytes,
                waits=_names(here, tile),
                waits_before=_names(before, tile),
                signals=signals[tile],
                is_opaque=operator.kind == "opaque",
                spans=spans,
            )

    def _awaited(self, execution: OperatorRun) -> tuple[list[Awaited], list[Awaited]]:
        """Return what *execution* waits for in its own section, and in the one before it."""
        here: list[Awaited] = []
        before: list[Awaited] = []
        for edge in self.plan.edges[execution.operator]:
            if edge.reach is Reach.BEFORE and execution.repeat == 1:
                continue
            producer = self._producer(execution, edge)
            awaited = self._counters_awaited(execution.operator, edge, producer)
            if producer.section == execution.section and not (execution.section == BODY and edge.reach is Reach.BEFORE):
                here.append(awaited)
            elif producer.section >= execution.section - 1:
                before.append(awaited)
        return here, before

    def _producer(self, execution: OperatorRun, edge: OperatorEdge) -> OperatorRun:
        """Return the execution that *edge* leads to."""
        if edge.reach is Reach.HERE:
            return OperatorRun(edge.producer, execution.repeat, execution.section)
        if edge.reach is Reach.BEFORE:
            return OperatorRun(edge.producer, execution.repeat - 1, execution.section)
        number = self.plan.block_number(edge.producer)
        section = PROLOGUE if self.body is None or number < self.body else BODY if number == self.body else EPILOGUE
        return OperatorRun(edge.producer, self.plan.repeats[number], section)

    def _counters_awaited(self, operator: int, edge: OperatorEdge, producer: OperatorRun) -> Awaited:
        return Awaited(self._label(producer.operator, producer.repeat), self.counters.awaited[operator, edge])

    def _charged(self, execution: OperatorRun) -> list[Awaited]:
        """Return the counters whose waits cost: those of the edges that bring inputs, not those that only keep an order."""
        edges = inputs_of((edge for edge in self.plan.edges[execution.operator] if edge.is_charged), execution.repeat)
        # Repeats of the body share their labels, but a counter of this repeat and one of the repeat before are two.
        return [Awaited(f"{edge.producer} {edge.reach}", self.counters.awaited[execution.operator, edge]) for edge in edges]

    def _signals(self, operator: int, label: str) -> list[tuple[str, ...]]:
        grid = self.plan.operators[operator].grid
        found: list[list[str]] = [[] for _ in range(grid.tile_count)]
        for region in self.counters.regions[operator]:
            name = label + region.name
            for tile in region.tiles(grid):
                found[tile].append(name)
        return [tuple(names) for names in found]


def _names(awaited: Sequence[Awaited], tile: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(entry.name(tile) for entry in awaited))
