"""Where everything stands in the memory of a schedule: one long row of whole numbers, and what each of them means.

First the facts about a program on a machine, then the totals of its schedule, then for each heap how many numbers it has, and for
compiled code where they stand. What has a length of its own (costs, workers, frames) stands behind them, where a fact says.
"""

from __future__ import annotations

from .memory import HEAP_CELLS, HEAPS, KernelMemory

# -- facts -------------------------------------------------------------------------------------------------------------

(
    STRIDE,
    REPEATS,
    WORKERS,
    SPACE_BYTES,  # the staging space of a worker, and what the largest tile leaves of it for a slot
    LIMIT_BYTES,
    PER_PORT,
    PORTS,
    BITS,  # a worker takes so many bits
    ROOMS,
    FOLDS,  # whether repeats may be skipped
    TRACES,  # whether the lives of tiles are noted
    SECTION_ROWS,  # four: the first row of each kind of section, and the end
    TEMPLATES,  # five: where the frames begin of prologue, first body, later body and epilogue, and the end
    COUNTERS,  # three: how many counters each kind of section has
    FIRST_COUNTER,  # three: the number of its first one among those of all kinds
    FIRST_SET,  # three: the number of its first set of waits
    WAITERS,  # the first list of members that says who waits for a counter in its own section, ...
    NEXT_REPEAT,  # ... in the body right after it, ...
    NEXT_EPILOGUE,  # ... in the epilogue right after it; ...
    ROWS_OF_SET,  # ... and which rows wait for a set
    FIRST_WITH_WEIGHTS,  # three: the first row of each kind that has weights to prefetch; -1: none
) = (0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 16, 21, 24, 27, 30, 31, 32, 33, 34)

(
    ROWS_AT,  # where things stand: the lines of rows, ...
    COSTS_AT,  # ... the lines of costs, ...
    POINTERS_AT,  # ... where each list of members begins: first the counters of each set of signals, ...
    WORKERS_AT,  # ... the lines of workers, ...
    SLOTS_AT,  # ... the staged tile of each worker (-1: none), ...
    EMPTY_AT,  # ... free workers with an empty slot, by number, ...
    STAGED_AT,  # ... other free workers, by number, ...
    HEADS_AT,  # ... the heaps of ready tiles that are not empty, ...
    PORTS_AT,  # ... when each port is free, ...
    LIVES_AT,  # ... and a line per tile in program order, if lives are noted
    STRIDE_BITS,  # the stride is two to this power, at least the number of rows
    TURN_PS,  # what a worker takes from the end of a compute to the begin of the next
    IS_STATIC,  # whether each tile has a worker of its own
    COUNTER_BITS,  # the number of a counter takes so many bits
    DELAYS_AT,  # where it says how much later than its last needed arrival each counter opens
) = range(37, 52)

# -- totals ------------------------------------------------------------------------------------------------------------

FIRST_TOTAL = 52

(
    NOW,
    TURN,  # the repeat whose first tile has just started
    HELD_PS,  # of the time that tiles held workers, that of computed ones, less the starts of running ones
    STAGED,
    FOLDED,
    IS_DUE,  # something may start or queue at the end of the instant
    IS_STIRRED,  # a tile may start that could not before
    IS_PASSING,  # ready tiles were passed over for lack of room
    WATCHED_ROW,
    WAKE_AT,  # when to act again although nothing may complete; -1: never
    QUEUE_FREE_AT,
    LAST_END,
    QUEUED_PS,
    TRANSFERS,
    POINTER,  # the first tile in program order with weights that is neither started nor staged
    CRAMPED,  # how many workers with an empty slot have refused tiles for lack of room, and gained none since
    CRAMPED_BYTES,  # the largest that they refused
    FIRST_OPEN,  # sections before it are done
    FIRST_FRAME,  # the section of the first frame
    HEADS,  # how many heaps of ready tiles are not empty, and how many more were passed over
    PASSED,
    EMPTY,  # how many free workers have an empty slot, and how many another
    NOT_EMPTY,
) = range(FIRST_TOTAL, FIRST_TOTAL + 23)

# -- heaps -------------------------------------------------------------------------------------------------------------

FREE = HEAPS - 1
"""The cell that says where memory is free."""

(
    EVENTS,  # ends of compute: time and worker in one number
    SENT,  # stores under way: two numbers each, when they end and what was stored
    RUNNABLE,  # ready tiles that are staged on a free worker
    STORES,  # stores and loads to queue: tile and worker in one number
    LOADS,
    AHEAD,  # tiles with weights that started before it was their turn to be staged
    VACANT,  # workers with an empty slot
    FRAMES,  # no heap, but a list: where the frame of each section stands; 0: it is done or untouched
    SPARE,  # no heap: where frames of repeats stood that are done
    KNOWN,  # no heap: where earlier states stand, and their lengths
    OPENING,  # counters that open later: two numbers each, when they do and the section and number of the counter in one number
    WORK,  # no heap: numbers being collected
    FIRST_ROOM,  # ready tiles, by room
) = range(13)

# -- lines -------------------------------------------------------------------------------------------------------------

COST, WAITS, SIGNALS, ROW_COLUMNS = range(4)
"""Columns of a row, a tile of one of the sections: where its line of costs stands, the set that it waits for, the set at which it arrives.

Tile number = section * stride + row, so numbers grow in program order. Sections are 0 (prologue), 1 to repeats (body), repeats + 1
(epilogue).
"""

(
    COMPUTE_PS,
    LOAD_PS,  # here and at each further step of MOVED_COLUMNS a transfer begins, with its time in the queue
    STAGED_LOAD_PS,
    WEIGHTS_PS,
    STORE_PS,
    SLOT_BYTES,  # the weights that a slot has to take; 0: nothing to prefetch
    HELD_BYTES,  # from start to end of compute; FREED_BYTES of it then, OUTPUT_BYTES once they are stored
    FREED_BYTES,
    OUTPUT_BYTES,
    ROOM,  # a number for each amount held; an opaque tile, which needs workers and no room, has one of its own
    WIDTH,  # how many workers it takes
    IS_OPAQUE,
    EARLY_PS,  # so much of the compute may run while the tile loads
    COST_COLUMNS,
) = (0, 1, 6, 11, 16, 21, 22, 23, 24, 25, 26, 27, 28, 29)
"""Columns of a cost: what a tile takes, whichever repeat it is in. One of 0 ps does not happen."""

QUEUE, PORT, FLIGHT, LATENCY, WAITING, MOVED_COLUMNS = range(6)
"""Columns of a transfer: its time in the queue (0: it comes from L2), in the port of the SM and in that of the worker (0: none limits it),
how much later it arrives, and how many workers wait for its service. One with zeros alone does not happen."""

RUNNING, LOADED_AT, DUE_AT, ENDS_AT, SPACE, IS_STAGED, SLOT_AT, SLOT_READY, IS_CRAMPED, FLIGHT_AT, WORKER_COLUMNS = range(11)
"""Columns of a worker: its tile (-1: it is free), when the load of that arrives, its prefetched weights do, and its compute ends; the
space left; whether its tile was staged; when the weights in its slot are there, whether that tile waits for nothing, whether the
worker has refused tiles for lack of room; and when the port of its loads is free. Times may lie in the past."""

READY_PS, WORKER, START_PS, LOADING_PS, COMPUTED_PS, DONE_PS, LIFE_COLUMNS = range(7)
"""Columns of the life of a tile; LOADING_PS is how long its load stood in the queue."""


def cost_of(m: KernelMemory, tile: int) -> int:
    """Return where the line of costs of *tile* stands."""
    return m[m[ROWS_AT] + (tile & (m[STRIDE] - 1)) * ROW_COLUMNS + COST]


def line_of(m: KernelMemory, worker: int) -> int:
    """Return where the line of *worker* stands."""
    return m[WORKERS_AT] + worker * WORKER_COLUMNS


def position_of(m: KernelMemory, tile: int) -> int:
    """Return the position of *tile* in program order, repeats counted."""
    section = tile >> m[STRIDE_BITS]
    skipped = min(max(section - 1, 0), max(m[REPEATS] - 1, 0))
    return (tile & (m[STRIDE] - 1)) + skipped * (m[SECTION_ROWS + 2] - m[SECTION_ROWS + 1])


def life_of(m: KernelMemory, tile: int) -> int:
    """Return where the line of the life of *tile* stands, if lives are noted."""
    return m[LIVES_AT] + position_of(m, tile) * LIFE_COLUMNS


def is_moved(m: KernelMemory, moved: int) -> bool:
    """Return whether the transfer whose columns stand at *moved* happens."""
    return m[moved + QUEUE] + m[moved + PORT] + m[moved + FLIGHT] + m[moved + LATENCY] > 0


def size_of(m: KernelMemory, heap: int) -> int:
    """Return how many numbers a heap or a list has."""
    return m[HEAPS + heap * HEAP_CELLS]
