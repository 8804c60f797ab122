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

from .engine import RanTables, run_tables
from .kernel import cells as at
from .machine import TileMachine
from .outcome import TileDeadlock, TileSchedule, TileSpan
from .program import TileProgram
from .stops import stop_of
from .tables.tables import TileTables, tables_of


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
    return schedule_tables(tables_of(program, machine), fold=fold, trace=trace)


def schedule_tables(tables: TileTables, *, fold: bool = True, trace: bool = False) -> TileSchedule | TileDeadlock:
    """Return the schedule of *tables*, of which other things may be asked as well; the parameters are those of `schedule_tiles`."""
    return outcome_of(tables, run_tables(tables, folds=fold and not trace, traces=trace))


def outcome_of(tables: TileTables, ran: RanTables) -> TileSchedule | TileDeadlock:
    """Return what a run comes to."""
    totals, machine = ran.cells, tables.machine
    stop = stop_of(tables, totals[at.FIRST_OPEN], ran.state)
    if stop.unfinished:
        return TileDeadlock(max(totals[at.NOW], totals[at.LAST_END]), stop.unfinished, stop.waiting())
    makespan_ps, held_ps, busy_ps = totals[at.NOW], totals[at.HELD_PS], tables.costs.busy_ps
    return TileSchedule(
        makespan_ps=makespan_ps,
        busy_ps=busy_ps,
        loading_ps=held_ps - busy_ps,
        queued_ps=totals[at.QUEUED_PS],
        idle_ps=machine.workers * makespan_ps - held_ps,
        staged=totals[at.STAGED],
        events=totals[at.TRANSFERS] + tables.tile_count,
        folded=totals[at.FOLDED],
        workers=machine.workers,
        never_staged=tables.costs.never_staged(),
        spans=tuple(_span(tables, position, ran) for position in range(tables.tile_count if totals[at.TRACES] else 0)),
    )


def _span(tables: TileTables, position: int, ran: RanTables) -> TileSpan:
    life = ran.life(position)
    computed_ps = life[at.COMPUTED_PS]
    return TileSpan(
        tile=position,
        worker=life[at.WORKER],
        ready_ps=life[at.READY_PS],
        start_ps=life[at.START_PS],
        compute_ps=computed_ps - tables.costs.compute_ps(tables.row(position)),
        computed_ps=computed_ps,
        done_ps=life[at.DONE_PS],
        queued_ps=life[at.LOADING_PS],
    )
