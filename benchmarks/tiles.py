"""How fast the tile scheduler is: completions per second against a bare loop over a heap, and growth with repeats.

Run ``python -m benchmarks.tiles [--quick]``. The bare loop pops and pushes tuples of the same form with 2W of them pending and
does nothing else: what any scheduler on a heap does at least for each completion. Both run alternately in one process, on CPU
time; the ratio is the median, absolute rates are for orientation. A tile has three completions (load, compute, store), four
where its weights were prefetched. The scheduler may know some of them without a heap, as the queue is served in order; they
count all the same. Where llvmlite is installed the scheduler is compiled before anything is timed. Nothing is folded here, and
neither program resembles a particular model. The second part lets the scheduler fold, and shows how the time grows with the
layers: it stays flat once the period is found. The last lines have one operator with very many tiles, expanded from its contract
and scheduled: seconds (goal: about one for 10^6 tiles), and the bytes a tile of the arrays, held and at most (goal: 100).
"""

from __future__ import annotations

import argparse
import os
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from heapq import heapify, heappop, heappush
from random import Random
from statistics import median
from time import process_time

from megasolve.simulate.tiles.compiled.loading import SWITCH
from megasolve.simulate.tiles.machine import TileMachine
from megasolve.simulate.tiles.outcome import TileSchedule
from megasolve.simulate.tiles.program import TileProgram, TileSection
from megasolve.simulate.tiles.scheduler import schedule_tiles
from megasolve.simulate.tiles.tile import Tile
from tests.support.planning.operators import contract_of, expanded, stated

WORKERS = 132
MACHINE = TileMachine(WORKERS, 3_000_000_000_000, staging_bytes=200_000, latency_ps=600_000, wait_ps=200_000, prefetch=False)
OPERATORS = (("qkv", 192, 32_768), ("attention", 64, 0), ("output", 128, 32_768), ("gate", 448, 65_536), ("down", 168, 65_536))


def layer() -> TileSection:
    """Return the tiles of one layer like a decoder's: an operator waits for blocks of the one before it, the first one for all."""
    tiles: list[Tile] = []
    counters: list[tuple[str, int]] = []
    for index, (operator, count, weight_bytes) in enumerate(OPERATORS):
        blocks = 8 if 0 < index < len(OPERATORS) - 1 else 1
        counters += [(f"{operator} {block}", count // blocks) for block in range(blocks)]
        before = [name for name, _ in counters if name.startswith(OPERATORS[index - 1][0])] if index else []
        for tile in range(count):
            waits = (before[tile * len(before) // count],) if before else ()
            carried = () if index else ("down 0",)
            to = (f"{operator} {tile * blocks // count}",)
            compute_ps = 1_000_000
            tiles.append(Tile(operator, compute_ps, weight_bytes, 4_096, 512, weight_bytes + 8_192, waits, carried, to))
    return TileSection(tuple(tiles), tuple(counters))


def model(layers: int) -> TileProgram:
    """Return *layers* layers after a first tile that they wait for."""
    body = layer()
    prologue = TileSection((Tile("embedding", 1_000_000, 0, 8_192, 4_096, 8_192, signals=("down 0",)),), (("down 0", 1),))
    return TileProgram(prologue, body, TileSection(), layers)


def bare_loop(events: int, pending: int = 2 * WORKERS) -> float:
    """Return the seconds that *events* pops and pushes of a heap with *pending* tuples take; what is pushed lies 0 to 2 us ahead."""
    random = Random(1)
    ahead_ps = [random.randrange(2_000_000) for _ in range(1 << 12)]
    heap = [(ahead_ps[index], index % 4, index % WORKERS, index) for index in range(pending)]
    heapify(heap)
    began = process_time()
    for _ in range(events):
        at, kind, worker, tile = heappop(heap)
        heappush(heap, (at + ahead_ps[tile & 4_095], kind, worker, tile + pending))
    return process_time() - began


def timed(run: Callable[[], object]) -> float:
    """Return the seconds that *run* takes."""
    began = process_time()
    run()
    return process_time() - began


def compare(program: TileProgram, machine: TileMachine, rounds: int) -> str:
    """Return a line with the rate of the scheduler, and its ratio to the bare loop."""
    schedule = schedule_tiles(program, machine, fold=False)
    if not isinstance(schedule, TileSchedule):
        return str(schedule)
    ratios, rates = [], []
    for _ in range(rounds):
        bare = bare_loop(schedule.events)
        seconds = timed(partial(schedule_tiles, program, machine, fold=False))
        ratios.append(bare / seconds)
        rates.append(schedule.events / seconds)
    return (
        f"{program.tile_count:>9,} tiles {schedule.events:>10,} events {median(rates):>10,.0f} events/s"
        f" {median(rates) * program.tile_count / schedule.events:>9,.0f} tiles/s   {median(ratios):.3f} of the bare loop"
    )


def growth(machine: TileMachine, layers: tuple[int, ...]) -> list[str]:
    """Return a line per number of layers with the time relative to the first."""
    lines, base = [], 0.0
    for count in layers:
        program = model(count)
        schedule = schedule_tiles(program, machine)
        folded = schedule.folded if isinstance(schedule, TileSchedule) else 0
        seconds = min(timed(partial(schedule_tiles, program, machine)) for _ in range(3))
        base = base or seconds
        lines.append(f"{count:>9,} layers {folded:>10,} not simulated {seconds / base:>8.2f} times the first")
    return lines


def one_operator(count: int) -> list[str]:
    """Return a line on the time of *count* tiles of one operator, and one on their memory."""
    contract = contract_of(stated("wide", count, weight_bytes=32_768, output_bytes=512))
    expanding = min(timed(partial(expanded, contract)) for _ in range(3))
    program = expanded(contract)
    scheduling = min(timed(partial(schedule_tiles, program, MACHINE)) for _ in range(3))
    tracemalloc.start()
    known = expanded(contract)
    held, at_most = (found / known.tile_count for found in tracemalloc.get_traced_memory())
    tracemalloc.reset_peak()
    schedule_tiles(known, MACHINE)
    scheduled = tracemalloc.get_traced_memory()[1] / known.tile_count
    tracemalloc.stop()
    return [
        f"{count:>9,} tiles {expanding:.2f} s expanding, {scheduling:.2f} s scheduling",
        f"{count:>9,} tiles {held:.0f} bytes a tile held, {at_most:.0f} at most while expanding, {scheduled:.0f} while scheduling",
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the tiles, one round")
    quick = parser.parse_args().quick
    os.environ.setdefault(SWITCH, "1")
    program, rounds = model(10 if quick else 100), 1 if quick else 5
    for name, prefetch in (("without prefetch", False), ("with prefetch", True)):
        machine = replace(MACHINE, prefetch=prefetch)
        print(f"{name:<17}", compare(program, machine, rounds))
        for line in growth(machine, (8, 16, 64) if quick else (8, 16, 64, 1_024, 16_384)):
            print(f"{name:<17}", line)
    for line in one_operator(10**5 if quick else 10**6):
        print(f"{'one operator':<17}", line)


if __name__ == "__main__":
    main()
