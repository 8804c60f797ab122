"""Tile programs for tests: a short way to write one down, and Hypothesis strategies that draw random ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from megasolve.contracts import PS_PER_NS
from megasolve.simulate.tiles.machine import TileMachine
from megasolve.simulate.tiles.outcome import TileDeadlock, TileSchedule
from megasolve.simulate.tiles.program import TileProgram, TileSection
from megasolve.simulate.tiles.scheduler import schedule_tiles
from megasolve.simulate.tiles.tile import Tile

BYTE_PER_NS = 10**9
OPERATORS = ("norm", "matmul", "gate")


def tile(operator: str, *waits: str, c: int = 0, w: int = 0, a: int = 0, out: int = 0, staging: int = 0, to: tuple[str, ...] = ()) -> Tile:
    """Write a tile in the letters of the worked examples: *c* in ns; weights, activations and output in bytes."""
    return Tile(operator, c * PS_PER_NS, w, a, out, staging, waits, signals=to)


def program(*tiles: Tile, **targets: int) -> TileProgram:
    """Return a program of one section; counters are given as name=target."""
    return TileProgram(TileSection(tiles, tuple(targets.items())))


def machine(workers: int = 1, **settings: Any) -> TileMachine:
    """Return a machine on which a byte takes a nanosecond."""
    return replace(TileMachine(workers, BYTE_PER_NS), **settings)


def scheduled(tiles: TileProgram, on: TileMachine, *, fold: bool = True, trace: bool = False) -> TileSchedule:
    """Return the schedule of a program that finishes."""
    schedule = schedule_tiles(tiles, on, fold=fold, trace=trace)
    assert isinstance(schedule, TileSchedule), schedule
    return schedule


def stopped(tiles: TileProgram, on: TileMachine, *, fold: bool = True) -> TileDeadlock:
    """Return the deadlock of a program that has one."""
    schedule = schedule_tiles(tiles, on, fold=fold)
    assert isinstance(schedule, TileDeadlock), schedule
    return schedule


def makespan_ns(tiles: TileProgram, on: TileMachine) -> float:
    """Return how long the schedule takes in nanoseconds."""
    return scheduled(tiles, on).makespan_ps / PS_PER_NS


@dataclass(frozen=True)
class Draw:
    """What random programs may contain."""

    most_tiles: int = 4
    most_repeats: int = 5
    least_repeats: int = 0
    most_counters: int = 3
    is_sound: bool = True
    """Whether every counter opens: its arrivals come from tiles before those that wait for it, and suffice."""
    is_chained: bool = False
    """Whether every tile of a repeat follows all tiles of the repeat before."""
    has_opaque: bool = True
    sizes: tuple[int, ...] = (0, 0, 1, 2, 3, 5)
    compute_ps: tuple[int, ...] = (0, 1, 2, 3, 5, 8)
    staging_bytes: tuple[int, ...] = (0, 0, 2, 4, 7)


@st.composite
def tile_programs(draw: st.DrawFn, like: Draw = Draw()) -> TileProgram:
    """Draw a program: a counter is signalled by tiles before a cut of its section, and waited for by those behind it or after it."""
    prologue = draw(_sections(like, ()))
    body = draw(_sections(like, (prologue,), carried=True))
    if like.is_chained:
        body = _chained(body)
    repeats = draw(st.integers(like.least_repeats, like.most_repeats))
    epilogue = draw(_sections(like, (body,) if repeats else (prologue,)))
    return TileProgram(prologue, body, epilogue, repeats)


def _chained(body: TileSection) -> TileSection:
    chained = [replace(each, waits_before=(*each.waits_before, "end"), signals=(*each.signals, "end")) for each in body.tiles]
    return TileSection(tuple(chained), (*body.counters, ("end", len(chained))), body.delays_ps)


@st.composite
def _sections(draw: st.DrawFn, like: Draw, before: tuple[TileSection, ...], *, carried: bool = False) -> TileSection:
    count = draw(st.integers(1 if carried else 0, like.most_tiles))
    names = "abcd"[: draw(st.integers(1 if carried else 0, like.most_counters))]
    cuts = {name: draw(st.integers(0, count)) for name in names}
    past = sorted({name for section in before for name, _ in section.counters} | (set(names) if carried else set()))
    tiles = [draw(_tiles(like, index, cuts, past)) for index in range(count)]
    arrivals = {name: sum(found.signals.count(name) for found in tiles) for name in names}
    most = 0 if like.is_sound else 1
    counters = tuple((name, draw(st.integers(max(arrivals[name] - 1, 0), arrivals[name] + most))) for name in names)
    delays = {name: draw(st.sampled_from((0, 0, 1, 4))) for name in names} if draw(st.booleans()) else {}
    return TileSection(tuple(tiles), counters, delays)


@st.composite
def _tiles(draw: st.DrawFn, like: Draw, index: int, cuts: dict[str, int], past: list[str]) -> Tile:
    here = [name for name, cut in cuts.items() if cut <= index or not like.is_sound]
    ahead = [name for name, cut in cuts.items() if cut > index]
    size = st.sampled_from(like.sizes)
    compute_ps = draw(st.sampled_from(like.compute_ps))
    return Tile(
        draw(st.sampled_from(OPERATORS)),
        compute_ps,
        draw(size),
        draw(size),
        draw(size),
        draw(st.sampled_from(like.staging_bytes)),
        draw(_names(here)),
        draw(_names(past)),
        draw(_names(ahead)),
        like.has_opaque and draw(st.integers(0, 9)) == 9,
        cached_weight_bytes=draw(st.sampled_from((0, 0, 0, 2))),
        cached_activation_bytes=draw(st.sampled_from((0, 0, 0, 3))),
        early_ps=draw(st.sampled_from((0, 0, compute_ps // 2, compute_ps))),
    )


def _names(names: list[str]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(names), max_size=2).map(tuple) if names else st.just(())


@st.composite
def tile_machines(draw: st.DrawFn) -> TileMachine:
    """Draw a machine on which a byte takes a third of a picosecond to two, with room for the largest tile of `tile_programs`."""
    return TileMachine(
        workers=draw(st.integers(1, 5)),
        bandwidth_bytes_per_s=draw(st.sampled_from((3, 2, 1))) * 10**12 // 2,
        port_bytes_per_s=draw(st.sampled_from((None, 10**12, 10**12 // 3))),
        per_port=draw(st.integers(1, 3)),
        staging_bytes=draw(st.sampled_from((None, None, 7, 8, 9, 10, 12))),
        latency_ps=draw(st.sampled_from((0, 0, 1, 4))),
        l2_latency_ps=draw(st.sampled_from((0, 0, 1, 2))),
        in_flight_bytes=draw(st.sampled_from((None, None, 1, 2, 5))),
        wait_ps=draw(st.sampled_from((0, 0, 1, 3))),
        queue_ps=draw(st.sampled_from((0, 0, 1, 4))),
        prefetch=draw(st.booleans()),
    )
