"""The tiles behind derived times: what each worker of a region does, as the tile schedule has it (paper, section IV-B)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat

from megasolve.contracts import Key, MegasolveError, key_of
from megasolve.simulate.tiles.machine import TileMachine
from megasolve.simulate.tiles.outcome import TileDeadlock, TileSpan
from megasolve.simulate.tiles.program import TileProgram
from megasolve.simulate.tiles.scheduler import schedule_tiles

from ..evidence.lookup import Evidence
from ..evidence.tile_times import machine_of, program_of
from ..select.compose import Usage
from ..select.result import Ranked
from .timeline import Chart, Curve, DrawnSpan, SpanKind, Track

MOST_TILES = 500_000


class TooManyTilesToShow(MegasolveError):
    """A schedule with more tiles than any viewer takes."""


def tile_charts(evidence: Evidence, row: Ranked) -> Iterator[Chart]:
    """Yield a chart for each call of *row* whose time was derived, each once: a track for each worker.

    Raises
    ------
    TooManyTilesToShow
        One of them has more than half a million tiles.
    """
    derived = {_key(evidence, usage): usage for usage in row.composed.usages if usage.use.derived is not None}
    return (_chart(evidence, key, usage) for key, usage in derived.items())


def _key(evidence: Evidence, usage: Usage) -> Key:
    record = usage.use.record
    return key_of(evidence.study, usage.contract, record.group, budget_ctas=record.budget_ctas, batch=record.batch, shapes=record.shapes)


def _chart(evidence: Evidence, key: Key, usage: Usage) -> Chart:
    record, task = usage.use.record, evidence.deriver.task(usage.contract, key)
    title = f"tiles of {record.group} in {usage.contract.entry}, {record.budget_ctas} CTAs, batch {record.batch}"
    program, machine = program_of(task.call, task.mechanisms, task.factors), machine_of(task.call, task.mechanisms)
    if program.tile_count > MOST_TILES:
        raise TooManyTilesToShow(f"{title}: {program.tile_count:,} tiles are too many to show; {MOST_TILES:,} are the most")
    return chart_of(title, program, machine)


def chart_of(title: str, program: TileProgram, machine: TileMachine) -> Chart:
    """Return the schedule of *program* on *machine* with a track for each worker, and how many ready tiles wait for one."""
    schedule = schedule_tiles(program, machine, trace=True)
    if isinstance(schedule, TileDeadlock):
        raise TypeError(f"{title}: it was timed, yet {schedule}")
    by_worker: list[list[DrawnSpan]] = [[] for _ in range(machine.workers)]
    for operator, span in zip(_operators(program), schedule.spans, strict=True):
        by_worker[span.worker] += _spans(operator, span)
    width = len(str(machine.workers - 1))
    tracks = tuple(Track(f"worker {number:0{width}}", tuple(spans)) for number, spans in enumerate(by_worker))
    return Chart(title, tracks, (_waiting(schedule.spans),))


def _operators(program: TileProgram) -> Iterable[str]:
    """Return the operator of every tile, in program order, repeats counted."""
    for section, times in program.sections:
        costs, rows = section.arrays.costs, section.arrays.cost_of.tolist()
        names = [costs.operators[number] for number in costs.operator.tolist()]
        yield from chain.from_iterable(repeat([names[row] for row in rows], times))


def _spans(operator: str, tile: TileSpan) -> Iterator[DrawnSpan]:
    """Yield what a worker does for one tile: it waits for the load, then computes; the store goes on behind the next tile."""
    if tile.compute_ps > tile.start_ps:
        yield DrawnSpan(f"{operator}: load", SpanKind.WAIT, tile.start_ps, tile.compute_ps)
    computing_ps = tile.computed_ps - tile.compute_ps
    if computing_ps:
        yield DrawnSpan(operator, SpanKind.TASK, tile.compute_ps, tile.computed_ps, groups=((operator, computing_ps),))


def _waiting(spans: Sequence[TileSpan]) -> Curve:
    changes: dict[int, int] = {0: 0}
    for span in spans:
        changes[span.ready_ps] = changes.get(span.ready_ps, 0) + 1
        changes[span.start_ps] = changes.get(span.start_ps, 0) - 1
    points, waiting = [], 0
    for at, change in sorted(changes.items()):
        waiting += change
        points.append((at, waiting))
    return Curve("ready tiles without a worker", "tiles", tuple(points))
