"""The proof that every number of a schedule is a 64-bit one, before it is run compiled."""

from __future__ import annotations

from ..kernel import cells as at
from ..tables.tables import TileTables, counter_bits, worker_bits

MOST = 1 << 62
"""Every number stays below it, so that a sum or a difference of two is a 64-bit number still."""


MOVED = (at.LOAD_PS, at.STAGED_LOAD_PS, at.WEIGHTS_PS, at.STORE_PS)
TIMES = (at.COMPUTE_PS, *(moved + part for moved in MOVED for part in (at.QUEUE, at.PORT, at.FLIGHT, at.LATENCY)))


def fits(tables: TileTables) -> bool:
    """Return whether no number of a schedule of *tables* can reach `MOST`.

    Whenever something is under way, a transfer is in the queue, in a port or on its way, or a tile computes; so no time exceeds the sum
    of all of these, each counted once (that of its worker is a port, too), with what workers take to turn to their tiles and counters
    to open; and what is summed over workers exceeds it at most as many times as there are workers. Times and tiles share a number with
    a worker, which moves them up by its bits. A worker never has more space than it has at first, nor lacks more than all tiles hold.
    """
    is_narrow = object not in (tables.costs.lines.dtype, tables.links.delays_ps.dtype)
    return is_narrow and largest(tables) < MOST


def largest(tables: TileTables) -> int:
    """Return a number that none in the schedule of *tables* exceeds."""
    machine, bits = tables.machine, worker_bits(tables.machine)
    lines: list[list[int]] = tables.costs.lines.tolist()
    tiles = tables.costs.tiles
    last_ps = sum(count * (sum(line[column] for column in TIMES) + machine.queue_ps) for count, line in zip(tiles, lines, strict=True))
    last_ps += sum(int(delay) for delay in tables.links.delays_ps) * max(tables.repeats, 1)
    held = sum(count * (line[at.HELD_BYTES] + line[at.SLOT_BYTES]) for count, line in zip(tiles, lines, strict=True))
    targets = max((abs(int(target)) for section in tables.sections for target in section.targets), default=0)
    return max(
        (2 * last_ps + machine.latency_ps) << bits,
        (tables.repeats + 2) * tables.stride << bits,
        (tables.repeats + 2) << counter_bits(tables.links),
        held + abs(tables.costs.space_bytes),
        targets + tables.tile_count,
    )
