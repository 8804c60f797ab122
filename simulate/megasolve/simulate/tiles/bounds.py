"""Lower bounds of a tile schedule: bytes over bandwidth, the critical path, and work over workers. No schedule beats any of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from .program import Tile, TileMachine, TileProgram, TileSection
from .tables import transfer_ps

Opened = dict[str, int]


@dataclass(frozen=True, slots=True)
class LowerBounds:
    """What a schedule takes at least: *bandwidth_ps* for its bytes, *path_ps* for its longest chain, *work_ps* for its workers."""

    bandwidth_ps: int
    path_ps: int
    work_ps: int

    @property
    def largest_ps(self) -> int:
        """The bound that counts."""
        return max(self.bandwidth_ps, self.path_ps, self.work_ps)


def lower_bounds(program: TileProgram, machine: TileMachine) -> LowerBounds:
    """Return the lower bounds of *program* on *machine*.

    A weight load that may be prefetched counts as hidden. The worker of a tile is held from its load to the end of its compute.
    """
    bandwidth_ps = transfer_ps(queued_bytes(program), machine.bandwidth_bytes_per_s)
    held_ps = _summed(program, lambda tile: _held_ps(tile, machine))
    return LowerBounds(bandwidth_ps, _path_ps(program, machine), -(-held_ps // machine.workers))


def queued_bytes(program: TileProgram) -> int:
    """Return everything that passes the memory queue: loads and stores of all tiles, repeats included."""
    return _summed(program, lambda tile: tile.weight_bytes + tile.activation_bytes + tile.output_bytes)


def _summed(program: TileProgram, amount: Callable[[Tile], int]) -> int:
    sections = ((program.prologue, 1), (program.body, program.repeats), (program.epilogue, 1))
    return sum(times * sum(map(amount, section.tiles)) for section, times in sections)


def _held_ps(tile: Tile, machine: TileMachine) -> int:
    return _alone_ps(tile, machine) * (machine.workers if tile.is_opaque else 1)


def _alone_ps(tile: Tile, machine: TileMachine) -> int:
    """The time from start to end of compute of a tile that is alone."""
    is_staged = machine.prefetch and not tile.is_opaque
    load_bytes = tile.activation_bytes + (0 if is_staged else tile.weight_bytes)
    waits = len(tile.waits) + len(tile.waits_before)
    return _moved_ps(tile, load_bytes, machine) + tile.compute_ps + machine.wait_ps * waits


def _moved_ps(tile: Tile, size_bytes: int, machine: TileMachine) -> int:
    if not size_bytes:
        return 0
    port = None if tile.is_opaque else machine.port_bytes_per_s
    slowest = machine.bandwidth_bytes_per_s if port is None else min(port, machine.bandwidth_bytes_per_s)
    return transfer_ps(size_bytes, slowest) + machine.latency_ps


def _path_ps(program: TileProgram, machine: TileMachine) -> int:
    """Return the longest chain of tiles.

    Once a repeat opens all counters later than the repeat before it, by the same time, further repeats do so too: they are
    skipped but for the last. That holds from the second repeat on (the first follows the prologue), and where a counter opens
    with its last arrival, so that the earliest times are linear in the (max, +) algebra.
    """
    opened, end = _passed(program.prologue, {}, machine)
    may_skip, left = _opens_with_last_arrivals(program.body), program.repeats
    while left:
        later, last = _passed(program.body, opened, machine)
        step = _common_step(opened, later) if may_skip and left < program.repeats else None
        opened, end, left = later, max(end, last), left - 1
        if step is not None and left > 1:
            opened = {name: at + (left - 1) * step for name, at in later.items()}
            left = 1
    return max(end, _passed(program.epilogue, opened, machine)[1])


def _opens_with_last_arrivals(section: TileSection) -> bool:
    arrivals = Counter(name for tile in section.tiles for name in tile.signals)
    return all(target == arrivals[name] for name, target in section.counters)


def _common_step(before: Opened, after: Opened) -> int | None:
    """Return by how much every counter came later, where all did by the same."""
    steps = {at - before[name] for name, at in after.items()} if before.keys() == after.keys() else set()
    return steps.pop() if len(steps) == 1 else None


def _passed(section: TileSection, before: Opened, machine: TileMachine) -> tuple[Opened, int]:
    """Return when each counter of *section* opens at the earliest, and when its last tile is done.

    A wait for a counter at which later tiles arrive, against program order, bounds nothing.
    """
    arrivals: dict[str, list[int]] = {name: [] for name, _ in section.counters}
    targets = dict(section.counters)
    due = Counter(name for tile in section.tiles for name in tile.signals)
    opened: Opened = {}
    end = 0
    for tile in section.tiles:
        ready = max((before.get(name, 0) for name in tile.waits_before), default=0)
        for name in tile.waits:
            if name not in opened:
                opened[name] = _opens(arrivals[name], targets[name]) if len(arrivals[name]) == due[name] else 0
            ready = max(ready, opened[name])
        done = ready + _alone_ps(tile, machine) + _moved_ps(tile, tile.output_bytes, machine)
        end = max(end, done)
        for name in tile.signals:
            arrivals[name].append(done)
    return {name: _opens(arrivals[name], target) for name, target in targets.items()}, end


def _opens(arrivals: list[int], target: int) -> int:
    """Return when the last needed arrival comes."""
    return sorted(arrivals)[target - 1] if 0 < target <= len(arrivals) else 0
