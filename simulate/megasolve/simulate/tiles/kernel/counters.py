"""Which tiles are ready: the frames of the sections under way.

A frame has the tiles that are not done, the missing arrivals of each counter, and for how many closed counters each set of waits waits.
"""

from __future__ import annotations

from .cells import (
    COUNTER_BITS,
    COUNTERS,
    DELAYS_AT,
    FIRST_COUNTER,
    FIRST_FRAME,
    FIRST_OPEN,
    FIRST_SET,
    FRAMES,
    NEXT_EPILOGUE,
    NEXT_REPEAT,
    NOW,
    OPENING,
    POINTERS_AT,
    REPEATS,
    ROW_COLUMNS,
    ROWS_AT,
    ROWS_OF_SET,
    SIGNALS,
    SPARE,
    STRIDE,
    STRIDE_BITS,
    TEMPLATES,
    WAITERS,
    WAITS,
    size_of,
)
from .memory import KernelMemory, allocated, append, item, pop_last, push_store, set_item
from .ready import admit


def kind_of(m: KernelMemory, section: int) -> int:
    """Return 0 for the prologue, 1 for a repeat of the body, 2 for the epilogue."""
    return 0 if section == 0 else 1 if section <= m[REPEATS] else 2


def template_of(m: KernelMemory, section: int) -> int:
    """Return the fact where the template of *section* begins: the first repeat follows the prologue, so it may wait for other counters."""
    kind = kind_of(m, section)
    return TEMPLATES + kind + (1 if kind == 2 or section > 1 else 0)


def frame_of(m: KernelMemory, section: int) -> int:
    """Return where the frame of *section* stands, a new one if it is untouched."""
    behind = section - m[FIRST_FRAME]
    while size_of(m, FRAMES) <= behind:
        append(m, FRAMES, 0)
    frame = item(m, FRAMES, behind)
    if frame == 0:
        template, end = m[template_of(m, section)], m[template_of(m, section) + 1]
        is_repeat = kind_of(m, section) == 1
        # A frame of a repeat that is done serves a later one: as many live as sections are under way, whatever the repeats.
        frame = pop_last(m, SPARE) if is_repeat and size_of(m, SPARE) else allocated(m, end - template)
        for cell in range(end - template):
            m[frame + cell] = m[template + cell]
        set_item(m, FRAMES, behind, frame)
    return frame


def is_ready(m: KernelMemory, tile: int) -> bool:
    """Return whether *tile* waits for no counter any more."""
    section = tile >> m[STRIDE_BITS]
    waits = m[m[ROWS_AT] + (tile & (m[STRIDE] - 1)) * ROW_COLUMNS + WAITS]
    return m[frame_of(m, section) + 1 + m[COUNTERS + kind_of(m, section)] + waits] == 0


def arrive(m: KernelMemory, tile: int) -> None:
    """Count the arrivals of *tile*, which is done, and admit the tiles that they make ready."""
    section = tile >> m[STRIDE_BITS]
    frame = frame_of(m, section)
    signals = m[POINTERS_AT] + m[m[ROWS_AT] + (tile & (m[STRIDE] - 1)) * ROW_COLUMNS + SIGNALS]
    for at in range(m[signals], m[signals + 1]):
        counter = m[at]
        left = m[frame + 1 + counter] - 1
        m[frame + 1 + counter] = left
        # Exactly at the target: arrivals beyond it count below 0 and open nothing twice.
        if left == 0:
            _reach(m, section, counter)
    m[frame] -= 1
    # The last tile of this section; those before it may still have some, and then it waits for them.
    if m[frame] == 0:
        retire(m)


def retire(m: KernelMemory) -> None:
    """Drop the frames of the leading sections that are done, in order, so that what is not done has a frame or is untouched."""
    while m[FIRST_OPEN] <= m[REPEATS] + 1 and m[frame_of(m, m[FIRST_OPEN])] == 0:
        behind = m[FIRST_OPEN] - m[FIRST_FRAME]
        if kind_of(m, m[FIRST_OPEN]) == 1:
            append(m, SPARE, item(m, FRAMES, behind))
        set_item(m, FRAMES, behind, 0)
        m[FIRST_OPEN] += 1


def _reach(m: KernelMemory, section: int, counter: int) -> None:
    """Open *counter*, which has all arrivals that it needs, at once or later."""
    number = m[FIRST_COUNTER + kind_of(m, section)] + counter
    delay_ps = m[m[DELAYS_AT] + number]
    if delay_ps == 0:
        open_counter(m, section, counter)
    # What nobody waits for opens unseen: the schedule ends with its last tile.
    elif _waiters_here(m, number) or _waiters_behind(m, section, number):
        push_store(m, OPENING, m[NOW] + delay_ps, (section << m[COUNTER_BITS]) | counter)


def open_counter(m: KernelMemory, section: int, counter: int) -> None:
    """Release those that wait for *counter*, in its section and in the one after it."""
    number = m[FIRST_COUNTER + kind_of(m, section)] + counter
    if _waiters_here(m, number):
        _release(m, section, m[POINTERS_AT] + m[WAITERS] + number)
    if _waiters_behind(m, section, number):
        _release(m, section + 1, _behind(m, section, number))


def _waiters_here(m: KernelMemory, number: int) -> int:
    """Return how many sets of its own section wait for a counter."""
    waiters = m[POINTERS_AT] + m[WAITERS] + number
    return m[waiters + 1] - m[waiters]


def _waiters_behind(m: KernelMemory, section: int, number: int) -> int:
    """Return how many sets wait for a counter of *section* in the one after it."""
    # Only the section right behind looks back, see `expand.joins`: that is what lets a body fold.
    if section > m[REPEATS]:
        return 0
    waiters = _behind(m, section, number)
    return m[waiters + 1] - m[waiters]


def _behind(m: KernelMemory, section: int, number: int) -> int:
    return m[POINTERS_AT] + (m[NEXT_REPEAT] if section < m[REPEATS] else m[NEXT_EPILOGUE]) + number


def _release(m: KernelMemory, section: int, waiters: int) -> None:
    """Let the sets of *section* in the list of *waiters*, of which there are some, wait for one counter less."""
    first = frame_of(m, section) + 1 + m[COUNTERS + kind_of(m, section)]
    for at in range(m[waiters], m[waiters + 1]):
        waits = m[at]
        left = m[first + waits] - 1
        m[first + waits] = left
        if left == 0:
            admit_set(m, section, waits)


def admit_set(m: KernelMemory, section: int, waits: int) -> None:
    """Admit the tiles of *section* with the set *waits*, which waits for nothing."""
    rows = m[POINTERS_AT] + m[ROWS_OF_SET] + m[FIRST_SET + kind_of(m, section)] + waits
    for at in range(m[rows], m[rows + 1]):
        admit(m, section * m[STRIDE] + m[at])


def admit_unconditional(m: KernelMemory) -> None:
    """Admit the tiles that wait for nothing, in program order."""
    for section in range(min(m[REPEATS], 1) + 1):
        _admit_unconditional(m, section)
    # Asked once: no repeat gets a frame only to find that all of its tiles wait.
    if has_unconditional(m):
        for section in range(2, m[REPEATS] + 1):
            _admit_unconditional(m, section)
    _admit_unconditional(m, m[REPEATS] + 1)


def has_unconditional(m: KernelMemory) -> bool:
    """Return whether every repeat but the first has tiles that wait for nothing."""
    at = m[TEMPLATES + 2] + 1 + m[COUNTERS + 1]
    while at < m[TEMPLATES + 3] and m[at] != 0:
        at += 1
    return at < m[TEMPLATES + 3]


def _admit_unconditional(m: KernelMemory, section: int) -> None:
    template = template_of(m, section)
    first = m[template] + 1 + m[COUNTERS + kind_of(m, section)]
    for waits in range(m[template + 1] - first):
        if m[first + waits] == 0:
            admit_set(m, section, waits)
