"""The layers of a step: stretches in which the same kernels come again and again.

The stretch that explains most is a block; what is before and after it is looked through in the same way, so that a first or last layer
that differs stands by itself, and a model of two kinds of layers has two blocks. What repeats within a layer (three projections in a row)
is too little to be one.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from ..steps.period import Repetition, find_repetition

# A layer has some kernels, and a block of layers is more than a trifle of its step.
_LEAST_KERNELS = 3
_LEAST_SHARE = 20
# Twice is a block only where it is long: short sequences come twice by accident.
_LONG_ENOUGH_TWICE = 12


@dataclass(frozen=True, slots=True)
class LayerBlock:
    """*period* kernels from place *first* on, *times* times in a row."""

    first: int
    period: int
    times: int

    @property
    def kernels(self) -> int:
        """The kernels in it."""
        return self.period * self.times

    @property
    def end(self) -> int:
        """The place behind it."""
        return self.first + self.kernels


def find_blocks(kernels: Sequence[Hashable]) -> tuple[LayerBlock, ...]:
    """Return the blocks of *kernels*, in order."""
    return tuple(_within(kernels, 0, len(kernels)))


def _within(kernels: Sequence[Hashable], first: int, end: int) -> Iterator[LayerBlock]:
    found = find_repetition(kernels[first:end]) if end - first >= 2 * _LEAST_KERNELS else None
    block = None if found is None else _longest(found, first)
    if block is None or block.kernels * _LEAST_SHARE < len(kernels):
        return
    yield from _within(kernels, first, block.first)
    if _is_layered(block):
        yield block
    yield from _within(kernels, block.end, end)


def _longest(found: Repetition, first: int) -> LayerBlock | None:
    """Return the longest row of repeats without anything between them; None where no two stand together."""
    rows: list[LayerBlock] = []
    for start in (first + start for start in found.starts):
        if rows and rows[-1].end == start:
            rows[-1] = LayerBlock(rows[-1].first, found.period, rows[-1].times + 1)
        else:
            rows.append(LayerBlock(start, found.period, 1))
    longest = max(rows, key=lambda row: row.times)
    return longest if longest.times > 1 else None


def _is_layered(block: LayerBlock) -> bool:
    least = _LONG_ENOUGH_TWICE if block.times == 2 else _LEAST_KERNELS
    return block.period >= least
