"""The memory of a schedule on Python's lists. Compiled code has the same functions on one array: see `compiled.memory`."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable
from heapq import heappop, heappush
from typing import Any

HEAPS, HEAP_CELLS = 80, 5
"""The first cell that says how many numbers a heap has, behind all facts and totals, and how many cells a heap takes there."""


class KernelMemory(list[int]):
    """The cells, and beside them the numbers of each heap and list, of which the cells have only how many there are."""

    def __init__(self, cells: Iterable[int], heaps: int) -> None:
        super().__init__(cells)
        self.heaps: list[list[Any]] = [[] for _ in range(heaps)]

    def resized(self, heap: int) -> None:
        """Note how many numbers a heap has now."""
        self[HEAPS + heap * HEAP_CELLS] = len(self.heaps[heap])


def allocated(m: KernelMemory, count: int) -> int:
    """Return where *count* cells are free from now on."""
    at = len(m)
    m.extend([0] * count)
    return at


def push(m: KernelMemory, heap: int, number: int) -> None:
    """Put *number* into a heap."""
    heappush(m.heaps[heap], number)
    m[HEAPS + heap * HEAP_CELLS] += 1


def pop(m: KernelMemory, heap: int) -> int:
    """Take the least number out of a heap that is not empty."""
    m[HEAPS + heap * HEAP_CELLS] -= 1
    number: int = heappop(m.heaps[heap])
    return number


def append(m: KernelMemory, column: int, number: int) -> None:
    """Put *number* at the end of a list."""
    m.heaps[column].append(number)
    m.resized(column)


def pop_last(m: KernelMemory, column: int) -> int:
    """Take the last number out of a list that is not empty."""
    number: int = m.heaps[column].pop()
    m.resized(column)
    return number


def item(m: KernelMemory, column: int, place: int) -> int:
    """Return the number at *place* of a list; the first one of a heap is the least."""
    number: int = m.heaps[column][place]
    return number


def set_item(m: KernelMemory, column: int, place: int, number: int) -> None:
    """Put *number* at *place* of a list."""
    m.heaps[column][place] = number


def add_to_all(m: KernelMemory, heap: int, number: int) -> None:
    """Add *number* to all of a heap or a list."""
    m.heaps[heap][:] = [each + number for each in m.heaps[heap]]


def clear(m: KernelMemory, column: int) -> None:
    """Empty a list."""
    m.heaps[column].clear()
    m.resized(column)


def append_sorted(m: KernelMemory, column: int, heap: int) -> None:
    """Put the numbers of a heap at the end of a list, in order."""
    m.heaps[column].extend(sorted(m.heaps[heap]))
    m.resized(column)


def push_store(m: KernelMemory, heap: int, end: int, store: int) -> None:
    """Put a store that ends at *end* among those under way."""
    heappush(m.heaps[heap], (end, store))
    m.resized(heap)


def first_end(m: KernelMemory, heap: int) -> int:
    """Return when the first of the stores under way ends; there are some."""
    end: int = m.heaps[heap][0][0]
    return end


def pop_store(m: KernelMemory, heap: int) -> int:
    """Take the store that ends first out of those under way, of which there are some."""
    store: int = heappop(m.heaps[heap])[1]
    m.resized(heap)
    return store


def append_stores(m: KernelMemory, column: int, heap: int) -> None:
    """Put the stores under way at the end of a list, two numbers each, in the order in which they end."""
    m.heaps[column].extend(number for store in sorted(m.heaps[heap]) for number in store)
    m.resized(column)


def add_to_stores(m: KernelMemory, heap: int, ps: int, further: int) -> None:
    """Let all stores under way end *ps* later, and add *further* to them."""
    m.heaps[heap][:] = [(end + ps, store + further) for end, store in m.heaps[heap]]


def insert(m: KernelMemory, at: int, size: int, number: int) -> None:
    """Put *number* into its place among the *size* cells from *at* on, which are in order."""
    ordered = m[at : at + size]
    insort(ordered, number)
    m[at : at + size + 1] = ordered


def remove(m: KernelMemory, at: int, size: int, number: int) -> None:
    """Take *number* out of the *size* cells from *at* on, which are in order."""
    ordered = m[at : at + size]
    del ordered[bisect_left(ordered, number)]
    m[at : at + size - 1] = ordered


def place(m: KernelMemory, at: int, size: int, number: int) -> int:
    """Return where *number* stands among the *size* cells from *at* on, counted from there; -1 if nowhere."""
    cells = m[at : at + size]
    return cells.index(number) if number in cells else -1


def kept(m: KernelMemory, column: int, at: int, room: int) -> int:
    """Copy a list to the *room* cells from *at* on, or to others if it is longer, and return where it stands."""
    numbers = m.heaps[column]
    where = at if len(numbers) <= room else allocated(m, len(numbers))
    m[where : where + len(numbers)] = numbers
    return where


def is_kept(m: KernelMemory, column: int, at: int, size: int) -> bool:
    """Return whether the *size* cells from *at* on are those of a list."""
    return m[at : at + size] == m.heaps[column]
