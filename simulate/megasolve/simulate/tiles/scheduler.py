"""The tile scheduler: event-driven list scheduling of a tile program on W workers, exact in integer picoseconds.

Paper, section IV-B; design, *Tile schedule*. Tiles have one program order, and ready ones start in it, each on the worker that
holds its staged weights, else on the lowest-numbered free one with enough staging space, those with an empty slot first. A
tile loads once, computes, and stores; its worker is free at the end of compute, the tile is done when its store is.

What the design leaves open was decided so:

- At one instant: all completions, then starts in program order (a tile that no worker can take is passed over), then stores,
  loads of started tiles and prefetches queue. A tile that takes no time at all completes in the instant of its start, after
  the other starts, and then starts are looked at once more. What a prefetch makes possible starts at the next completion.
- A tile's output is part of its staging, so a tile holds at least its output, which stays behind when the compute ends.
- The slot of a staged tile becomes part of the tile's staging when it starts, and is empty again from that instant on.
- A staged tile whose worker is taken, or has no room for it because of output that is still to be stored, waits for it.
- Ports limit the transfers of tiles. An opaque operator stages nothing, is never prefetched and loads through all SMs.
- A transfer occupies the queue as long as its bytes take there, also where its port makes it end later.
- A counter with a target of 0 is open from the start; arrivals beyond a target change nothing.
"""

from __future__ import annotations

from .engine import TileEngine
from .folding import Folding
from .outcome import TileDeadlock, TileSchedule
from .program import TileMachine, TileProgram
from .tables import tables_of
from .trace import TracedEngine


def schedule_tiles(program: TileProgram, machine: TileMachine, *, fold: bool = True, trace: bool = False) -> TileSchedule | TileDeadlock:
    """Return the schedule of *program* on *machine*.

    Parameters
    ----------
    fold
        Skip repeats once the whole state has come back (same result, exactly).
    trace
        Keep a span per tile; implies that nothing is folded.

    Raises
    ------
    ValueError
        If a tile names a counter that does not stand where it looks for it, or the machine has no worker or no bandwidth.
    """
    tables = tables_of(program, machine)
    if trace:
        return TracedEngine(tables, machine).trace()
    return TileEngine(tables, machine).run(Folding() if fold else None)
