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
from ..select.times import Ps
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


def shown_tiles(evidence: Evidence, row: Ranked, *, most: int, together: int) -> tuple[tuple[Chart, ...], tuple[str, ...]]:
    """Return the charts of `tile_charts` as far as *most* tiles of each go, and *together* of all of them.

    The second value has the titles of those of which not even one repeat fits.

    Of a program that repeats, its first repeats are shown, as if it ended one repeat behind them.
    """
    derived = {_key(evidence, usage): usage for usage in row.composed.usages if usage.use.derived is not None}
    shown, hidden = list[Chart](), list[str]()
    most = min(most, together // max(len(derived), 1))
    for key, usage in derived.items():
        title, program, machine = _scheduled(evidence, key, usage)
        beginning = _beginning(program, most)
        if beginning is None:
            hidden.append(f"{title}: {program.tile_count:,} tiles")
        elif beginning.repeats == program.repeats:
            shown.append(chart_of(title, program, machine))
        else:
            tiles = len(program.prologue.arrays) + (beginning.repeats - 1) * len(program.body.arrays)
            shown.append(chart_of(f"{title}, the first {tiles:,} of {program.tile_count:,} tiles", beginning, machine, tiles=tiles))
    return tuple(shown), tuple(hidden)


def _beginning(program: TileProgram, most: int) -> TileProgram | None:
    """Return *program*, or as much of it as has *most* tiles and one repeat behind them; None where that is not even one repeat."""
    if program.tile_count <= most:
        return program
    body = len(program.body.arrays)
    repeats = (most - len(program.prologue.arrays)) // body if body and program.repeats > 1 else 0
    return TileProgram(program.prologue, program.body, repeats=min(repeats, program.repeats - 1) + 1) if repeats > 0 else None


def _key(evidence: Evidence, usage: Usage) -> Key:
    record = usage.use.record
    return key_of(evidence.study, usage.contract, record.group, budget_ctas=record.budget_ctas, batch=record.batch, shapes=record.shapes)


def _chart(evidence: Evidence, key: Key, usage: Usage) -> Chart:
    title, program, machine = _scheduled(evidence, key, usage)
    if program.tile_count > MOST_TILES:
        raise TooManyTilesToShow(f"{title}: {program.tile_count:,} tiles are too many to show; {MOST_TILES:,} are the most")
    return chart_of(title, program, machine)


def _scheduled(evidence: Evidence, key: Key, usage: Usage) -> tuple[str, TileProgram, TileMachine]:
    """Return what is scheduled for a call whose time was derived, on what, and how it is called."""
    record, task = usage.use.record, evidence.deriver.task(usage.contract, key)
    title = f"tiles of {record.group} in {usage.contract.entry}, {record.budget_ctas} CTAs, batch {record.batch}"
    return title, program_of(task.call, task.mechanisms, task.factors), machine_of(task.call, task.mechanisms)


def chart_of(title: str, program: TileProgram, machine: TileMachine, *, tiles: int | None = None) -> Chart:
    """Return the schedule of *program* on *machine*: tracks of workers, ready tiles, workers that load, and loads that wait themselves.

    *tiles* are those to show, from the first one on; by default all.
    """
    schedule = schedule_tiles(program, machine, trace=True)
    if isinstance(schedule, TileDeadlock):
        raise TypeError(f"{title}: it was timed, yet {schedule}")
    shown = schedule.spans[:tiles]
    by_worker: list[list[DrawnSpan]] = [[] for _ in range(machine.workers)]
    for (operator, is_opaque), span in zip(_operators(program), shown, strict=False):
        # What cannot be cut into tiles takes every worker.
        taken = by_worker if is_opaque else by_worker[span.worker : span.worker + 1]
        for track in taken:
            track.extend(_spans(operator, span))
    width = len(str(machine.workers - 1))
    tracks = tuple(Track(f"worker {number:0{width}}", tuple(spans)) for number, spans in enumerate(by_worker))
    return Chart(title, tracks, (_waiting(shown), _loading(tracks), _queued(shown)))


def _operators(program: TileProgram) -> Iterable[tuple[str, bool]]:
    """Return the operator of every tile, in program order, repeats counted, and whether it is opaque."""
    for section, times in program.sections:
        costs, rows = section.arrays.costs, section.arrays.cost_of.tolist()
        opaque = costs.is_opaque.tolist()
        kinds = [(costs.operators[number], bool(opaque[at])) for at, number in enumerate(costs.operator.tolist())]
        yield from chain.from_iterable(repeat([kinds[row] for row in rows], times))


def _spans(operator: str, tile: TileSpan) -> Iterator[DrawnSpan]:
    """Yield what a worker does for one tile: it waits for the load, then computes; the store goes on behind the next tile."""
    if tile.compute_ps > tile.start_ps:
        yield DrawnSpan(f"{operator}: load", SpanKind.WAIT, tile.start_ps, tile.compute_ps)
    computing_ps = tile.computed_ps - tile.compute_ps
    if computing_ps:
        yield DrawnSpan(operator, SpanKind.TASK, tile.compute_ps, tile.computed_ps, groups=((operator, computing_ps),))


def _waiting(spans: Sequence[TileSpan]) -> Curve:
    times = ((span.ready_ps, span.start_ps) for span in spans)
    return Curve("ready tiles without a worker", "tiles", tuple(_counted(times)))


def _loading(tracks: Sequence[Track]) -> Curve:
    times = ((span.start_ps, span.end_ps) for track in tracks for span in track.spans if span.kind is SpanKind.WAIT)
    return Curve("workers that wait for a load", "workers", tuple(_counted(times)))


def _queued(spans: Sequence[TileSpan]) -> Curve:
    """Return how many loads that a worker waits for stand in the memory queue; what was prefetched meanwhile holds up nobody."""
    times = ((span.start_ps, span.start_ps + span.queued_ps) for span in spans if span.queued_ps)
    return Curve("loads in the memory queue", "loads", tuple(_counted(times)))


def _counted(times: Iterable[tuple[Ps, Ps]]) -> Iterator[tuple[Ps, int]]:
    """Yield how many of *times*, each from its first to its second, hold from when on; 0 is always among them."""
    changes: dict[Ps, int] = {0: 0}
    for first, last in times:
        changes[first] = changes.get(first, 0) + 1
        changes[last] = changes.get(last, 0) - 1
    counted = 0
    for at, change in sorted(changes.items()):
        counted += change
        yield at, counted
