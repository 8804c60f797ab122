"""A section of a tile program as a handful of arrays: one row a tile, one line a class of tiles that take the same.

Tiles with equal costs share a line of `TileCosts`; those that wait for the same counters, or arrive at the same, share a set. So a tile
is three small numbers, and whatever is worked out by costs or by sets is worked out once. Figures are 64-bit numbers where all of a
column fit, else Python's.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from megasolve.contracts.operators.work import Axis, Grid, Span

Numbers: TypeAlias = NDArray[np.int32]
Figures: TypeAlias = NDArray[Any]
Spans: TypeAlias = tuple[Span, Span, Span]
"""Intervals of the rows, columns and depth of an operator's output; each ends before its second number."""

LARGEST = (1 << 60) - 1
"""Sums of a few such figures, and of their negatives, are 64-bit numbers, too."""


def figures(values: Iterable[int]) -> Figures:
    """Return *values* as an array of 64-bit numbers if all of them are below 2^60, else of Python's."""
    listed = list(values)
    fits = all(-LARGEST <= value <= LARGEST for value in listed)
    return np.array(listed, dtype=np.int64 if fits else object)


def dot(counts: Figures, values: Figures) -> int:
    """Return the exact sum of *values*, each *counts* times; none is negative."""
    if not len(values):
        return 0
    if values.dtype != object and int(values.max()) * int(counts.sum()) <= LARGEST:
        return int(np.dot(counts, values))
    return sum(count * value for count, value in zip(counts.tolist(), values.tolist(), strict=True))


def joined(parts: Sequence[Figures]) -> Figures:
    """Return the figures of all *parts*, one behind the other."""
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Sets:
    """Lists of numbers: list i is members[pointers[i]:pointers[i + 1]]."""

    pointers: NDArray[np.int64]
    members: Numbers

    def __len__(self) -> int:
        return len(self.pointers) - 1

    def __getitem__(self, number: int) -> list[int]:
        return [int(member) for member in self.members[self.pointers[number] : self.pointers[number + 1]]]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many members each list has."""
        return np.diff(self.pointers)


def sets_of(lists: Sequence[Sequence[int]]) -> Sets:
    """Return *lists* as sets."""
    pointers = np.zeros(len(lists) + 1, np.int64)
    np.cumsum([len(members) for members in lists], out=pointers[1:])
    return Sets(pointers, np.array([member for members in lists for member in members], np.int32))


def grouped(members: Numbers, lists: NDArray[Any], count: int) -> Sets:
    """Return *count* lists: each has those *members*, in order, beside which its number stands in *lists*."""
    pointers = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(lists, minlength=count), out=pointers[1:])
    # Mostly in order already, and then the stable sort would only cost time.
    ordered = members if bool((lists[1:] >= lists[:-1]).all()) else members[np.argsort(lists, kind="stable")]
    return Sets(pointers, ordered.astype(np.int32, copy=False))


@dataclass(frozen=True, slots=True, eq=False)
class TileCosts:
    """What tiles take, a line for each class: columns of the same length, *operator* by its place in *operators*.

    *waiting_ps* is the part of *compute_ps* that pays for waits, *early_ps* the part that may run during the load; cached bytes are loaded
    from L2, beside the others.
    """

    operators: tuple[str, ...]
    operator: Numbers
    compute_ps: Figures
    waiting_ps: Figures
    weight_bytes: Figures
    activation_bytes: Figures
    output_bytes: Figures
    staging_bytes: Figures
    is_opaque: NDArray[np.bool_]
    cached_weight_bytes: Figures
    cached_activation_bytes: Figures
    early_ps: Figures

    def __len__(self) -> int:
        return len(self.operator)

    @property
    def moved_bytes(self) -> Figures:
        """Everything that a tile loads from memory and stores."""
        return self.weight_bytes + self.activation_bytes + self.output_bytes


class Names(Protocol):
    """Some names in order, each made when it is asked for."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[str]: ...


@dataclass(frozen=True, slots=True)
class CounterNames:
    """CounterNames that belong together: their names are *label* and one of *suffixes* behind it."""

    label: str
    suffixes: Names


def names_of(blocks: Iterable[CounterNames]) -> list[str]:
    """Return the names of the counters in *blocks*."""
    return [block.label + suffix for block in blocks for suffix in block.suffixes]


@dataclass(frozen=True, slots=True)
class TilePlaces:
    """Where tiles stand in the output of their operator: runs of rows from *firsts* on, each the whole of one of *grids*."""

    firsts: tuple[int, ...]
    grids: tuple[Grid, ...]

    def spans(self, row: int) -> Spans:
        """Return the rows, columns and depth of the tile in *row*."""
        run = bisect_right(self.firsts, row) - 1
        grid = self.grids[run]
        place = grid.place(row - self.firsts[run])
        return grid.span(Axis.ROWS, place[0]), grid.span(Axis.COLUMNS, place[1]), grid.span(Axis.DEPTH, place[2])


@dataclass(frozen=True, slots=True, eq=False)
class SectionArrays:
    """The tiles of a section, by row: the numbers of their *costs*, of the set of *waits* and of that of *signals*.

    *signals* are counters of the section: numbers in *counters*, each of which opens at its target, *delays_ps* after the last arrival that
    it needs (None: all of them at once). *waits* are such numbers too and, below 0, -1 minus the number of a counter in *past*, which the
    section before may have. *places* says where the tiles stand, if known.
    """

    costs: TileCosts
    cost_of: Numbers
    waits: Sets
    waits_of: Numbers
    signals: Sets
    signals_of: Numbers
    counters: tuple[CounterNames, ...]
    targets: Figures
    past: tuple[CounterNames, ...]
    places: TilePlaces | tuple[Spans | None, ...] | None = None
    delays_ps: Figures | None = None

    def __len__(self) -> int:
        return len(self.cost_of)

    @property
    def opens_after_ps(self) -> Figures:
        """How long after its last needed arrival each counter opens."""
        return np.zeros(len(self.targets), np.int64) if self.delays_ps is None else self.delays_ps

    @property
    def tiles_by_cost(self) -> NDArray[np.int64]:
        """How many tiles each line of costs has."""
        return np.bincount(self.cost_of, minlength=len(self.costs))
