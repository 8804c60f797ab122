"""Reads the state in which a tile schedule stopped and says what its tiles wait for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Protocol

from .counters import CounterFrames
from .program import TileMachine
from .ready import Ready
from .tables import Row, TileTables

NAMED = 4
"""So many waits are named: the first ones in program order are the causes of the others."""


class Stopped(Protocol):
    """What is read of an engine in which nothing moves any more."""

    @property
    def machine(self) -> TileMachine:
        """What the tiles run on."""

    @property
    def tables(self) -> TileTables:
        """The program, as tables."""

    @property
    def rows(self) -> Sequence[Row]:
        """The tiles of one repeat."""

    @property
    def stride(self) -> int:
        """How many tiles a repeat has."""

    @property
    def ready(self) -> Ready:
        """Tiles that have all that they wait for."""

    @property
    def counters(self) -> CounterFrames:
        """What has arrived."""


def waiting_in(engine: Stopped) -> tuple[str, ...]:
    """Say of the first unfinished tiles what each waits for: staging space, or counters that never open."""
    return tuple(islice(_different(chain(_without_room(engine), _without_arrivals(engine))), NAMED))


def _different(waits: Iterator[str]) -> Iterator[str]:
    """Yield the first of each run of equal ones: the tiles of one operator mostly wait for the same."""
    last = ""
    for wait in waits:
        if wait != last:
            yield wait
        last = wait


def _without_room(engine: Stopped) -> Iterator[str]:
    for tile in sorted({tile for tiles in engine.ready.by_room for tile in tiles} - engine.ready.moved):
        held = engine.rows[tile % engine.stride].held_bytes
        yield f"{_name(engine, tile)} needs {held} bytes of staging, a worker has {engine.machine.staging_bytes}"


def _without_arrivals(engine: Stopped) -> Iterator[str]:
    counters, tables = engine.counters, engine.tables
    for section in range(counters.first_open, tables.repeats + 2):
        waits = counters.frame(section).waits
        own, before = counters.closed(section), counters.closed(section - 1)
        for row in tables.rows_of(section):
            if waits[row]:
                tile = engine.rows[row].tile
                closed = [(name, own[name]) for name in tile.waits if name in own]
                closed += [(name, before[name]) for name in tile.waits_before if name in before]
                causes = ", ".join(f"'{name}' ({arrived} of {target} arrivals)" for name, (arrived, target) in closed[:NAMED])
                yield f"{_name(engine, section * engine.stride + row)} waits for {causes}"


def _name(engine: Stopped, tile: int) -> str:
    section, row = divmod(tile, engine.stride)
    operator = engine.rows[row].tile.operator
    return f"{operator} (repeat {section})" if engine.tables.kind(section) == 1 else operator
