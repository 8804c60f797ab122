"""The whole state of a schedule, relative to an instant and to a repeat: equal ones have equal futures inside the repeats.

Left out is what follows from the rest: who is free, which slots are vacant, which staged tiles may run.
"""

from __future__ import annotations

from .cells import (
    AHEAD,
    BITS,
    COUNTER_BITS,
    DUE_AT,
    ENDS_AT,
    FIRST_FRAME,
    FIRST_OPEN,
    FIRST_ROOM,
    FLIGHT_AT,
    FRAMES,
    IS_STIRRED,
    LOADED_AT,
    NOW,
    OPENING,
    POINTER,
    PORTS,
    PORTS_AT,
    QUEUE_FREE_AT,
    ROOMS,
    RUNNING,
    SENT,
    SLOT_AT,
    SLOT_READY,
    SLOTS_AT,
    SPACE,
    STRIDE,
    TURN_PS,
    WORK,
    WORKERS,
    line_of,
    size_of,
)
from .counters import template_of
from .memory import KernelMemory, append, append_sorted, append_stores, clear, item, pop_last, set_item
from .ready import was_staged
from .slots import end_of


def note_state(m: KernelMemory, section: int) -> None:
    """Collect the state relative to this instant and to *section*."""
    clear(m, WORK)
    # Whether a pass of starts is still owed at this instant is part of what happens next.
    _note(m, m[IS_STIRRED])
    _note_workers(m, section * m[STRIDE])
    _note_queue(m, section * m[STRIDE])
    _note_openings(m, section)
    _note_prefetch(m, section * m[STRIDE])
    _note_frames(m, section)
    _note_ready(m, section * m[STRIDE])


def _note(m: KernelMemory, number: int) -> None:
    append(m, WORK, number)


def _note_time(m: KernelMemory, at: int) -> None:
    """Note a time to come; all that lie in the past are the same."""
    _note(m, max(at - m[NOW], 0))


def _note_workers(m: KernelMemory, base: int) -> None:
    for worker in range(m[WORKERS]):
        line, slot = line_of(m, worker), m[m[SLOTS_AT] + worker]
        _note(m, m[line + SPACE])
        _note_time(m, m[line + FLIGHT_AT])
        # Until then it computes, or has not turned to what is next.
        _note_time(m, m[line + ENDS_AT] + m[TURN_PS])
        _note(m, 1 if m[line + RUNNING] >= 0 else 0)
        if m[line + RUNNING] >= 0:
            _note(m, m[line + RUNNING] - base)
            _note_time(m, m[line + LOADED_AT])
            _note_time(m, m[line + DUE_AT])
        # A mark before each part that may be missing: else two states could read alike with their parts shifted.
        _note(m, 1 if slot >= 0 else 0)
        if slot >= 0:
            _note(m, slot - base)
            _note_time(m, m[line + SLOT_AT])
            _note(m, m[line + SLOT_READY])


def _note_queue(m: KernelMemory, base: int) -> None:
    _note_time(m, m[QUEUE_FREE_AT])
    for port in range(m[PORTS]):
        _note_time(m, m[m[PORTS_AT] + port])
    _note(m, size_of(m, SENT))
    first = size_of(m, WORK)
    append_stores(m, WORK, SENT)
    for at in range(first, size_of(m, WORK), 2):
        set_item(m, WORK, at, item(m, WORK, at) - m[NOW])
        # The tile stands above the bits of its worker, which stay what they are.
        set_item(m, WORK, at + 1, item(m, WORK, at + 1) - (base << m[BITS]))


def _note_openings(m: KernelMemory, section: int) -> None:
    """Note the counters that have all they need and open later."""
    _note(m, size_of(m, OPENING))
    first = size_of(m, WORK)
    append_stores(m, WORK, OPENING)
    for at in range(first, size_of(m, WORK), 2):
        set_item(m, WORK, at, item(m, WORK, at) - m[NOW])
        # The section stands above the bits of the counter, which stay what they are.
        set_item(m, WORK, at + 1, item(m, WORK, at + 1) - (section << m[COUNTER_BITS]))


def _note_prefetch(m: KernelMemory, base: int) -> None:
    _note(m, 1 if m[POINTER] == end_of(m) else 0)
    _note(m, 0 if m[POINTER] == end_of(m) else m[POINTER] - base)
    _note(m, size_of(m, AHEAD))
    first = size_of(m, WORK)
    append_sorted(m, WORK, AHEAD)
    for at in range(first, size_of(m, WORK)):
        set_item(m, WORK, at, item(m, WORK, at) - base)


def _note_frames(m: KernelMemory, section: int) -> None:
    """Note the frames under way; those before the first open section are done."""
    first = m[FIRST_OPEN] - m[FIRST_FRAME]
    _note(m, m[FIRST_OPEN] - section)
    _note(m, size_of(m, FRAMES) - first)
    for behind in range(first, size_of(m, FRAMES)):
        frame = item(m, FRAMES, behind)
        _note(m, 1 if frame else 0)
        if frame:
            template = template_of(m, m[FIRST_FRAME] + behind)
            for cell in range(m[template + 1] - m[template]):
                _note(m, m[frame + cell])


def _note_ready(m: KernelMemory, base: int) -> None:
    """Note the tiles that are not staged; the others follow from workers and slots."""
    for room in range(FIRST_ROOM, FIRST_ROOM + m[ROOMS]):
        first = end = size_of(m, WORK)
        append_sorted(m, WORK, room)
        for at in range(first, size_of(m, WORK)):
            tile = item(m, WORK, at)
            # A tile that was staged since it became ready may still stand there; it has been noted with its slot.
            if not was_staged(m, tile):
                set_item(m, WORK, end, tile - base)
                end += 1
        while size_of(m, WORK) > end:
            pop_last(m, WORK)
        _note(m, end - first)
