"""Repeats that need no simulation: once the whole state of a schedule has come back, what lies between happens again.

The state is compared when the first tile of a repeat has started, relative to the time and to the repeat: queue and port
backlog, pending completions, staging space, slots and what has arrived in them, counters, ready tiles, tiles started ahead
and the prefetch pointer. A period is skipped only where nothing that it touches lies outside the repeats.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .engine import ARRIVED, Event, TileEngine

REMEMBERED = 64
"""States that are kept, the latest ones; longer periods are not found."""

FIRST_SECTION = 2
"""The first repeat follows the prologue, so only from the second on do equal states mean equal futures."""


@dataclass(frozen=True, slots=True)
class _Moment:
    section: int
    now: int
    totals: tuple[int, int, int, int]


class Folding:
    """Remembers the states of a schedule and skips whole periods of it, once."""

    def __init__(self) -> None:
        self._moments: dict[object, _Moment] = {}

    def look(self, engine: TileEngine) -> None:
        """Compare the state of *engine*, in which the first tile of a repeat has just started, with the earlier ones."""
        section, engine.turn = engine.turn, 0
        if engine.counters.first_open < FIRST_SECTION:
            return
        state = relative(engine, section)
        moment = _Moment(section, engine.now, totals(engine))
        earlier = self._moments.setdefault(state, moment)
        if earlier.section < section:
            engine.watched_row = -1
            self._skip(engine, earlier, moment)
        elif len(self._moments) > REMEMBERED:
            del self._moments[next(iter(self._moments))]

    def _skip(self, engine: TileEngine, earlier: _Moment, moment: _Moment) -> None:
        """Skip as many periods as end inside the repeats, with a repeat to spare, as an arrival looks one section ahead."""
        period = moment.section - earlier.section
        times = (engine.tables.repeats - 1 - reach(engine)) // period
        if times > 0:
            shift(engine, times * period, times * (moment.now - earlier.now))
            gained = zip(moment.totals, earlier.totals, strict=True)
            set_totals(engine, *(now + times * (now - before) for now, before in gained))


def totals(engine: TileEngine) -> tuple[int, int, int, int]:
    """Return all that only ever grows; of the time that tiles held workers, the engine itself has only that of computed ones."""
    held_ps = engine.held_ps + engine.now * engine.pool.held()
    return held_ps, engine.queue.queued_ps, engine.queue.count, engine.staged


def set_totals(engine: TileEngine, held_ps: int, queued_ps: int, count: int, staged: int) -> None:
    """Set what `totals` returns."""
    engine.held_ps = held_ps - engine.now * engine.pool.held()
    engine.queue.queued_ps, engine.queue.count, engine.staged = queued_ps, count, staged


def reach(engine: TileEngine) -> int:
    """Return the last section that anything was done in or looked up in."""
    return max(engine.slots.reach(), *engine.counters.frames)


def relative(engine: TileEngine, section: int) -> tuple[object, ...]:
    """Return the whole state relative to this instant and to *section*: equal ones have equal futures inside the repeats.

    Left out is what follows from the rest: who is free, which slots are vacant, which staged tiles may run.
    """
    base, now = section * engine.stride, engine.now
    return (
        engine.pool.relative(base, now),
        engine.slots.relative(base, now),
        engine.queue.relative(now),
        engine.counters.relative(section),
        engine.ready.relative(base),
        _pending(engine, base),
        engine.is_stirred,
    )


def _pending(engine: TileEngine, base: int) -> tuple[tuple[int, ...], ...]:
    """Return the completions to come; when transfers arrive is part of workers and slots."""
    events = (event for event in (*engine.heap, *engine.sent) if event[1] != ARRIVED)
    return tuple(sorted((at - engine.now, kind, worker, tile - base) for at, kind, worker, tile, _ in events))


def shift(engine: TileEngine, sections: int, ps: int) -> None:
    """Move the whole state *sections* and *ps* on."""
    tiles = sections * engine.stride
    engine.folded += sections
    engine.pool.shift(tiles, ps)
    engine.slots.shift(tiles, ps)
    engine.queue.shift(ps)
    engine.counters.shift(sections)
    engine.ready.shift(tiles)
    engine.heap[:] = _shifted(engine.heap, tiles, ps)
    sent = _shifted(engine.sent, tiles, ps)
    engine.sent.clear()
    engine.sent.extend(sent)
    engine.now += ps


def _shifted(events: Iterable[Event], tiles: int, ps: int) -> list[Event]:
    return [(at + ps, kind, worker, tile + tiles, row) for at, kind, worker, tile, row in events]
