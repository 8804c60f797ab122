"""Lower bounds of a tile schedule: bytes over bandwidth, the critical path, and work over workers. No schedule beats any of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .arrays import dot
from .kernel import cells as at
from .machine import TileMachine
from .paths import path_ps
from .program import TileProgram
from .tables.costs import transfer_ps
from .tables.tables import TileTables, tables_of


@dataclass(frozen=True, slots=True)
class LowerBounds:
    """What a schedule takes at least: *bandwidth_ps* for its bytes, *path_ps* for its longest chain, *work_ps* for its workers."""

    bandwidth_ps: int
    path_ps: int
    work_ps: int


def lower_bounds(program: TileProgram, machine: TileMachine) -> LowerBounds:
    """Return the lower bounds of *program* on *machine*."""
    return bounds_of(tables_of(program, machine), queued_bytes(program))


def bounds_of(tables: TileTables, moved_bytes: int) -> LowerBounds:
    """Return the lower bounds of a program with these *tables*, which moves *moved_bytes* in all.

    A weight load that may be prefetched counts as hidden. The worker of a tile is held from its load to the end of its compute.
    """
    machine = tables.machine
    lines = tables.costs.lines.tolist()
    alone_ps = [_alone_ps(line, machine) for line in lines]
    # Work over workers: each tile holds its workers for at least what it takes alone.
    held_ps = sum(count * alone * line[at.WIDTH] for count, alone, line in zip(tables.costs.tiles, alone_ps, lines, strict=True))
    lasts_ps = [alone + _moved_ps(line, at.STORE_PS) for alone, line in zip(alone_ps, lines, strict=True)]
    bandwidth_ps = transfer_ps(moved_bytes, machine.bandwidth_bytes_per_s)
    return LowerBounds(bandwidth_ps, path_ps(tables, lasts_ps), -(-held_ps // machine.workers))


def queued_bytes(program: TileProgram) -> int:
    """Return everything that passes the memory queue: loads and stores of all tiles, repeats included."""
    return sum(times * dot(section.arrays.tiles_by_cost, section.arrays.costs.moved_bytes) for section, times in program.sections)


def _alone_ps(line: Sequence[int], machine: TileMachine) -> int:
    """The time from start to end of compute of a tile that is alone."""
    # A bound may not count what a prefetch hides, whether or not it will.
    is_staged = machine.stages_ahead and not line[at.IS_OPAQUE]
    load_ps = _moved_ps(line, at.STAGED_LOAD_PS if is_staged else at.LOAD_PS)
    return max(load_ps - line[at.EARLY_PS], 0) + line[at.COMPUTE_PS]


def _moved_ps(line: Sequence[int], transfer: int) -> int:
    """Return how long a transfer takes alone: through the queue, the port of the SM or that of the worker, whichever is slowest."""
    return max(max(line[transfer + at.QUEUE], line[transfer + at.PORT]) + line[transfer + at.LATENCY], line[transfer + at.FLIGHT])
