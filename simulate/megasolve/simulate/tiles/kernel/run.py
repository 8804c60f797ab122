"""One schedule, from the laid out memory to its totals."""

from __future__ import annotations

from .cells import (
    ENDS_AT,
    FIRST_FRAME,
    FIRST_OPEN,
    FIRST_ROOM,
    FOLDS,
    FRAMES,
    IS_STATIC,
    POINTER,
    ROOMS,
    RUNNING,
    SECTION_ROWS,
    SLOT_READY,
    SLOTS_AT,
    SPACE,
    SPACE_BYTES,
    TURN_PS,
    VACANT,
    WAKE_AT,
    WATCHED_ROW,
    WORK,
    WORKERS,
    line_of,
    size_of,
)
from .counters import admit_unconditional, retire, template_of
from .loop import advance
from .memory import KernelMemory, append, append_sorted, clear, item, kept, pop_last, push, set_item
from .order import tile_at
from .ready import was_staged
from .slots import end_of, first_from
from .workers import add_free


def run(m: KernelMemory) -> int:
    """Run the schedule that is laid out in *m*, and return where its last state stands there.

    That is how many sections are under way, for each from the first open one on the size of its frame (0: it is untouched) and the frame,
    and then the tiles that are ready although nothing moves. The list WORK has as many numbers.
    """
    _begin(m)
    advance(m)
    _note_frames(m)
    _note_ready(m)
    return kept(m, WORK, 0, 0)


def _begin(m: KernelMemory) -> None:
    """Set up the state before anything has started."""
    m[WAKE_AT] = -1
    # The first tile of a repeat is the moment at which states are compared; without folding no row is watched.
    m[WATCHED_ROW] = m[SECTION_ROWS + 1] if m[FOLDS] else -1
    m[POINTER] = first_from(m, 0)
    for worker in range(m[WORKERS]):
        m[line_of(m, worker) + SPACE] = m[SPACE_BYTES]
        m[line_of(m, worker) + RUNNING] = -1
        # As long before the begin as a worker takes to turn to a tile: the first one waits for no other.
        m[line_of(m, worker) + ENDS_AT] = 0 - m[TURN_PS]
        m[m[SLOTS_AT] + worker] = tile_at(m, worker) if m[IS_STATIC] else -1
        add_free(m, worker)
        # A program without weights has no slots to fill, and never asks.
        if m[POINTER] < end_of(m):
            push(m, VACANT, worker)
    retire(m)
    admit_unconditional(m)


def _note_frames(m: KernelMemory) -> None:
    """Collect the frames under way."""
    clear(m, WORK)
    first = m[FIRST_OPEN] - m[FIRST_FRAME]
    append(m, WORK, max(size_of(m, FRAMES) - first, 0))
    for behind in range(first, size_of(m, FRAMES)):
        frame = item(m, FRAMES, behind)
        template = template_of(m, m[FIRST_FRAME] + behind)
        size = m[template + 1] - m[template] if frame else 0
        append(m, WORK, size)
        for cell in range(size):
            append(m, WORK, m[frame + cell])


def _note_ready(m: KernelMemory) -> None:
    """Collect the ready tiles that no worker has room for; staged ones may still stand among them."""
    if m[IS_STATIC]:
        for worker in range(m[WORKERS]):
            if m[line_of(m, worker) + SLOT_READY]:
                append(m, WORK, m[m[SLOTS_AT] + worker])
    end = size_of(m, WORK)
    for room in range(FIRST_ROOM, FIRST_ROOM + m[ROOMS]):
        first = size_of(m, WORK)
        append_sorted(m, WORK, room)
        for at in range(first, size_of(m, WORK)):
            tile = item(m, WORK, at)
            if not was_staged(m, tile):
                set_item(m, WORK, end, tile)
                end += 1
        while size_of(m, WORK) > end:
            pop_last(m, WORK)
