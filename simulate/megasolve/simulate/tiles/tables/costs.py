"""What the tiles of a program take on a machine: transfers in picoseconds, staging, and the rooms that tell amounts of it apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from megasolve.contracts import PS_PER_SECOND

from ..arrays import Figures, Numbers, SectionArrays, TileCosts, figures
from ..kernel import cells as at
from ..machine import TileMachine


def transfer_ps(size_bytes: int, bytes_per_s: int) -> int:
    """Return how long *size_bytes* take, rounded up to a whole picosecond."""
    return -(-size_bytes * PS_PER_SECOND // bytes_per_s)


@dataclass(frozen=True, slots=True, eq=False)
class CostTable:
    """The *lines* of costs, as the kernel reads them, and the line of each row; *operators* has the name of each line.

    *tiles* counts the tiles of each line, repeats included. *rooms* numbers the different amounts held. A worker has *space_bytes*, of
    which a slot takes up to *limit_bytes*, what the largest tile leaves.
    """

    lines: Figures
    operators: tuple[str, ...]
    cost_of: Numbers
    tiles: tuple[int, ...]
    rooms: int
    space_bytes: int
    limit_bytes: int

    def compute_ps(self, row: int) -> int:
        """Return how long the tile in *row* computes."""
        return int(self.lines[self.cost_of[row], at.COMPUTE_PS])

    def held_bytes(self, row: int) -> int:
        """Return what the tile in *row* holds."""
        return int(self.lines[self.cost_of[row], at.HELD_BYTES])

    @property
    def is_staged(self) -> NDArray[np.bool_]:
        """By line, whether there are weights to prefetch."""
        staged: NDArray[np.bool_] = (self.lines[:, at.SLOT_BYTES] > 0).astype(np.bool_)
        return staged

    @property
    def busy_ps(self) -> int:
        """The compute time of all workers in all tiles."""
        computes, widths = self.lines[:, at.COMPUTE_PS].tolist(), self.lines[:, at.WIDTH].tolist()
        return sum(count * compute_ps * width for count, compute_ps, width in zip(self.tiles, computes, widths, strict=True))

    def never_staged(self) -> tuple[str, ...]:
        """Name the operators with weights that never fit a slot, in program order."""
        too_large = (self.lines[:, at.SLOT_BYTES] > max(self.limit_bytes, 0)).astype(np.bool_)
        if not too_large.any():
            return ()
        lines, rows = np.unique(self.cost_of[too_large[self.cost_of]], return_index=True)
        return tuple(dict.fromkeys(self.operators[line] for line in lines[np.argsort(rows)].tolist()))


def cost_table(sections: Sequence[SectionArrays], times: Sequence[int], machine: TileMachine) -> CostTable:
    """Return the costs on *machine* of the tiles in *sections*, each of which runs so many *times*."""
    lines: list[list[int]] = []
    operators: list[str] = []
    cost_of: list[Numbers] = []
    tiles: list[int] = []
    for section, runs in zip(sections, times, strict=True):
        classes, checks, class_of = _classes(section, machine)
        cost_of.append((class_of + len(lines)).astype(np.int32))
        tiles += [runs * count for count in np.bincount(class_of, minlength=len(classes)).tolist()]
        operators += [section.costs.operators[number] for number in section.costs.operator[classes].tolist()]
        lines += _lines(section.costs, classes, checks, machine)
    # A heap of ready tiles for each amount held: whether a worker has room is then asked once for a whole heap.
    rooms = {held: number for number, held in enumerate(dict.fromkeys(_held(line) for line in lines))}
    for line in lines:
        line[at.ROOM] = rooms[_held(line)]
    space_bytes = _space_bytes(lines, tiles) if machine.staging_bytes is None else machine.staging_bytes
    # Slots take only what the largest tile leaves, so that a started tile always finds its room: no deadlock by staging.
    limit_bytes = space_bytes - max((line[at.HELD_BYTES] for line in lines), default=0)
    table = figures(number for line in lines for number in line).reshape(-1, at.COST_COLUMNS)
    return CostTable(table, tuple(operators), np.concatenate(cost_of), tuple(tiles), len(rooms), space_bytes, limit_bytes)


def _space_bytes(lines: Sequence[Sequence[int]], tiles: Sequence[int]) -> int:
    """Return more than all tiles hold and stage together: as good as no limit."""
    return sum(count * (line[at.HELD_BYTES] + line[at.SLOT_BYTES]) for count, line in zip(tiles, lines, strict=True)) + 1


def _held(line: list[int]) -> int:
    return -1 if line[at.IS_OPAQUE] else line[at.HELD_BYTES]


def _classes(section: SectionArrays, machine: TileMachine) -> tuple[Numbers, list[int], Numbers]:
    """Return the classes of tiles that cost the same: for each its line of costs and its waits; and the class of each row.

    Where waits cost something on the machine itself, tiles with different numbers of them are told apart.
    """
    count = len(section.costs)
    if not machine.wait_ps:
        return np.arange(count, dtype=np.int32), [0] * count, section.cost_of
    sizes = section.waits.sizes[section.waits_of]
    keys, class_of = np.unique(section.cost_of + count * sizes, return_inverse=True)
    return (keys % max(count, 1)).astype(np.int32), (keys // max(count, 1)).tolist(), class_of.astype(np.int32)


def _lines(costs: TileCosts, classes: Numbers, checks: Sequence[int], machine: TileMachine) -> list[list[int]]:
    cached = (costs.cached_weight_bytes, costs.cached_activation_bytes)
    columns = (costs.weight_bytes, costs.activation_bytes, *cached, costs.output_bytes, costs.staging_bytes, costs.is_opaque)
    held = zip(*(column[classes].tolist() for column in columns), strict=True)
    computes = zip(costs.compute_ps[classes].tolist(), costs.early_ps[classes].tolist(), checks, strict=True)
    known = _Transfers(machine)
    lines = []
    for (compute_ps, early_ps, waits), one in zip(computes, held, strict=True):
        line = _line(compute_ps + machine.wait_ps * waits, one, known)
        line[at.EARLY_PS] = early_ps
        lines.append(line)
    return lines


def _line(compute_ps: int, moved: tuple[int, int, int, int, int, int, bool], known: _Transfers) -> list[int]:
    """Return the line of costs of a tile that moves and holds so many bytes: weights and activations, both from L2, output and staging."""
    weights, activations, near_weights, near_activations, output, staging, is_opaque = moved
    # A tile holds at least its output, which its store needs after the compute has ended.
    held, stored, width = (0, 0, known.machine.workers) if is_opaque else (max(staging, output), output, 1)
    line = [0] * at.COST_COLUMNS
    line[at.COMPUTE_PS] = compute_ps
    # How many workers stand still while the load queues: all of them for an opaque operator, and none for a prefetch or a store.
    whole = known.transfer(weights + activations, near_weights + near_activations, is_opaque=is_opaque)
    line[at.LOAD_PS : at.STAGED_LOAD_PS] = *whole, width
    line[at.STAGED_LOAD_PS : at.WEIGHTS_PS] = *known.transfer(activations, near_activations, is_opaque=is_opaque), 1
    line[at.WEIGHTS_PS : at.STORE_PS] = *known.transfer(weights, near_weights, is_opaque=is_opaque), 0
    line[at.STORE_PS : at.SLOT_BYTES] = *known.transfer(output, 0, is_opaque=is_opaque), 0
    # What a tile stores is no longer waited for by its worker: only loads are limited by what that has under way.
    line[at.STORE_PS + at.FLIGHT] = 0
    line[at.SLOT_BYTES] = weights + near_weights if known.machine.stages_ahead and not is_opaque else 0
    line[at.HELD_BYTES], line[at.FREED_BYTES], line[at.OUTPUT_BYTES] = held, held - stored, stored
    line[at.WIDTH], line[at.IS_OPAQUE] = width, int(is_opaque)
    return line


class _Transfers:
    """Transfers on one machine; equal ones are worked out once."""

    def __init__(self, machine: TileMachine) -> None:
        self.machine = machine
        self._known: dict[tuple[int, int, bool], tuple[int, int, int, int]] = {}

    def transfer(self, size_bytes: int, near_bytes: int, *, is_opaque: bool) -> tuple[int, int, int, int]:
        """Return what a load of *size_bytes* from memory and *near_bytes* from L2 takes, in the columns of a transfer.

        An opaque operator moves its bytes through all SMs and workers, so no port limits it.
        """
        found = self._known.get((size_bytes, near_bytes, is_opaque))
        if found is None:
            queue_ps = transfer_ps(size_bytes, self.machine.bandwidth_bytes_per_s)
            ports = (0, 0) if is_opaque else (self._port_ps(size_bytes + near_bytes), self._flight_ps(size_bytes, near_bytes))
            latencies = (self.machine.latency_ps if size_bytes else 0, self.machine.l2_latency_ps if near_bytes else 0)
            found = self._known[size_bytes, near_bytes, is_opaque] = queue_ps, *ports, max(latencies)
        return found

    def _port_ps(self, size_bytes: int) -> int:
        port = self.machine.port_bytes_per_s
        return 0 if port is None else transfer_ps(size_bytes, port)

    def _flight_ps(self, size_bytes: int, near_bytes: int) -> int:
        """Return how long the worker takes for a load of which it has so many bytes under way at a time: one latency for each lot."""
        under_way, machine = self.machine.in_flight_bytes, self.machine
        return 0 if under_way is None else -(-(size_bytes * machine.latency_ps + near_bytes * machine.l2_latency_ps) // under_way)
