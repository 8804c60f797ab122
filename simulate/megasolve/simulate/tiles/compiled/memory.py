"""The memory of a schedule on one array: the functions of `kernel.memory` under the same names, to be compiled.

A heap or a list is a run of cells with room to spare; one that is full moves to the front of it, or to twice as many. Where no cells are
left the run is given up, and begun again with more.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import TypeAlias

from ..kernel.cells import FREE
from ..kernel.memory import HEAP_CELLS, HEAPS

Memory: TypeAlias = MutableSequence[int]
"""An array of 64-bit numbers, once it is compiled."""

SIZE, FIRST, BEGIN, END, IS_MIXED = range(HEAP_CELLS)
"""Cells of a heap or a list: how many numbers it has, where the first stands, the run of cells that it may use, and whether the numbers
are not in order, beyond what makes them a heap. Most come in order; then the least is the first, and what follows is a heap again."""

LEAST_ROOM = 8


def allocated(m: Memory, count: int) -> int:
    """Return where *count* cells are free from now on."""
    at = m[FREE]
    if at + count > len(m):
        raise MemoryError
    m[FREE] = at + count
    return at


def first_of(m: Memory, heap: int, more: int) -> int:
    """Return where the first number of a heap or a list stands, with room for *more* behind the last."""
    cells = HEAPS + heap * HEAP_CELLS
    size, first = m[cells + SIZE], m[cells + FIRST]
    if first + size + more > m[cells + END]:
        begin = m[cells + BEGIN]
        if first - begin < size + more:
            room = max(2 * (size + more), LEAST_ROOM)
            begin = allocated(m, room)
            m[cells + BEGIN], m[cells + END] = begin, begin + room
        for at in range(size):
            m[begin + at] = m[first + at]
        m[cells + FIRST] = begin
        first = begin
    return first


def push(m: Memory, heap: int, number: int) -> None:
    """Put *number* into a heap."""
    cells, first = HEAPS + heap * HEAP_CELLS, first_of(m, heap, 1)
    at = m[cells]
    m[cells] = at + 1
    if at == 0:
        m[cells + IS_MIXED] = 0
    elif number < m[first + at - 1]:
        m[cells + IS_MIXED] = 1
    while at > 0 and m[first + ((at - 1) >> 1)] > number:
        m[first + at] = m[first + ((at - 1) >> 1)]
        at = (at - 1) >> 1
    m[first + at] = number


def pop(m: Memory, heap: int) -> int:
    """Take the least number out of a heap that is not empty."""
    cells = HEAPS + heap * HEAP_CELLS
    first, size = m[cells + FIRST], m[cells] - 1
    m[cells] = size
    if m[cells + IS_MIXED]:
        return _popped(m, first, size)
    m[cells + FIRST] = first + 1
    return m[first]


def _popped(m: Memory, first: int, size: int) -> int:
    """Return the least of *size* + 1 numbers from *first* on and leave the others as a heap."""
    least, last = m[first], m[first + size]
    at, below = 0, 1
    while below < size:
        if below + 1 < size and m[first + below + 1] < m[first + below]:
            below += 1
        if m[first + below] >= last:
            break
        m[first + at] = m[first + below]
        at, below = below, 2 * below + 1
    m[first + at] = last
    return least


def append(m: Memory, column: int, number: int) -> None:
    """Put *number* at the end of a list."""
    first = first_of(m, column, 1)
    m[first + m[HEAPS + column * HEAP_CELLS]] = number
    m[HEAPS + column * HEAP_CELLS] += 1


def pop_last(m: Memory, column: int) -> int:
    """Take the last number out of a list that is not empty."""
    m[HEAPS + column * HEAP_CELLS] -= 1
    return item(m, column, m[HEAPS + column * HEAP_CELLS])


def item(m: Memory, column: int, place: int) -> int:
    """Return the number at *place* of a list; the first one of a heap is the least."""
    return m[m[HEAPS + column * HEAP_CELLS + FIRST] + place]


def set_item(m: Memory, column: int, place: int, number: int) -> None:
    """Put *number* at *place* of a list."""
    m[m[HEAPS + column * HEAP_CELLS + FIRST] + place] = number


def add_to_all(m: Memory, heap: int, number: int) -> None:
    """Add *number* to all of a heap or a list."""
    for at in range(m[HEAPS + heap * HEAP_CELLS]):
        m[m[HEAPS + heap * HEAP_CELLS + FIRST] + at] += number


def clear(m: Memory, column: int) -> None:
    """Empty a list."""
    m[HEAPS + column * HEAP_CELLS] = 0


def append_sorted(m: Memory, column: int, heap: int) -> None:
    """Put the numbers of a heap at the end of a list, in order."""
    first, count = m[HEAPS + column * HEAP_CELLS], m[HEAPS + heap * HEAP_CELLS]
    for at in range(count):
        append(m, column, item(m, heap, at))
    begin = m[HEAPS + column * HEAP_CELLS + FIRST] + first
    for size in range(count - 1, 0, -1):
        least = _popped(m, begin, size)
        m[begin + size] = least
    # What was taken out of the heap stands from the end on.
    for at in range(count // 2):
        m[begin + at], m[begin + count - 1 - at] = m[begin + count - 1 - at], m[begin + at]


def push_store(m: Memory, heap: int, end: int, store: int) -> None:
    """Put a store that ends at *end* among those under way."""
    cells, first = HEAPS + heap * HEAP_CELLS, first_of(m, heap, 2)
    at = m[cells] >> 1
    m[cells] += 2
    if at == 0:
        m[cells + IS_MIXED] = 0
    elif end < m[first + 2 * at - 2]:
        m[cells + IS_MIXED] = 1
    while at > 0 and m[first + 2 * ((at - 1) >> 1)] > end:
        above = (at - 1) >> 1
        m[first + 2 * at], m[first + 2 * at + 1] = m[first + 2 * above], m[first + 2 * above + 1]
        at = above
    m[first + 2 * at], m[first + 2 * at + 1] = end, store


def first_end(m: Memory, heap: int) -> int:
    """Return when the first of the stores under way ends; there are some."""
    return item(m, heap, 0)


def pop_store(m: Memory, heap: int) -> int:
    """Take the store that ends first out of those under way, of which there are some."""
    cells = HEAPS + heap * HEAP_CELLS
    first = m[cells + FIRST]
    m[cells] -= 2
    if m[cells + IS_MIXED]:
        return _popped_store(m, first, m[cells] >> 1)
    m[cells + FIRST] = first + 2
    return m[first + 1]


def _popped_store(m: Memory, first: int, size: int) -> int:
    store, last_end, last = m[first + 1], m[first + 2 * size], m[first + 2 * size + 1]
    at, below = 0, 1
    while below < size:
        if below + 1 < size and m[first + 2 * below + 2] < m[first + 2 * below]:
            below += 1
        if m[first + 2 * below] >= last_end:
            break
        m[first + 2 * at], m[first + 2 * at + 1] = m[first + 2 * below], m[first + 2 * below + 1]
        at, below = below, 2 * below + 1
    m[first + 2 * at], m[first + 2 * at + 1] = last_end, last
    return store


def append_stores(m: Memory, column: int, heap: int) -> None:
    """Put the stores under way at the end of a list, two numbers each, in the order in which they end."""
    first, count = m[HEAPS + column * HEAP_CELLS], m[HEAPS + heap * HEAP_CELLS]
    for at in range(count):
        append(m, column, item(m, heap, at))
    begin = m[HEAPS + column * HEAP_CELLS + FIRST] + first
    # The heap is nearly in order.
    for at in range(begin + 2, begin + count, 2):
        end, store, place = m[at], m[at + 1], at
        while place > begin and (m[place - 2] > end or (m[place - 2] == end and m[place - 1] > store)):
            m[place], m[place + 1] = m[place - 2], m[place - 1]
            place -= 2
        m[place], m[place + 1] = end, store


def add_to_stores(m: Memory, heap: int, ps: int, further: int) -> None:
    """Let all stores under way end *ps* later, and add *further* to them."""
    first = m[HEAPS + heap * HEAP_CELLS + FIRST]
    for at in range(first, first + m[HEAPS + heap * HEAP_CELLS], 2):
        m[at] += ps
        m[at + 1] += further


def insert(m: Memory, at: int, size: int, number: int) -> None:
    """Put *number* into its place among the *size* cells from *at* on, which are in order."""
    place = at + size
    while place > at and m[place - 1] > number:
        m[place] = m[place - 1]
        place -= 1
    m[place] = number


def remove(m: Memory, at: int, size: int, number: int) -> None:
    """Take *number* out of the *size* cells from *at* on, which are in order."""
    place = at
    while m[place] != number:
        place += 1
    for cell in range(place, at + size - 1):
        m[cell] = m[cell + 1]


def place(m: Memory, at: int, size: int, number: int) -> int:
    """Return where *number* stands among the *size* cells from *at* on, counted from there; -1 if nowhere."""
    for cell in range(size):
        if m[at + cell] == number:
            return cell
    return -1


def kept(m: Memory, column: int, at: int, room: int) -> int:
    """Copy a list to the *room* cells from *at* on, or to others if it is longer, and return where it stands."""
    size = m[HEAPS + column * HEAP_CELLS]
    where = at if size <= room else allocated(m, size)
    for cell in range(size):
        m[where + cell] = item(m, column, cell)
    return where


def is_kept(m: Memory, column: int, at: int, size: int) -> bool:
    """Return whether the *size* cells from *at* on are those of a list."""
    first = m[HEAPS + column * HEAP_CELLS + FIRST]
    cell = 0
    while cell < size and m[at + cell] == m[first + cell]:
        cell += 1
    return cell == size
