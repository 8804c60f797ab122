"""The launches of one group, added up by kernel and occurrence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median_low

from ...profiles.execution import KernelShape
from .beside import Beside
from .occurrence import Occurrence
from .timeline import Timeline


@dataclass(slots=True)
class KernelTally:
    """One kernel of a group. The lists have an entry per occurrence; *shapes* counts launches by shape, and *first* is the order.

    *alone* are duration and gap of each launch that ran beside no other group, *taken* all launches behind the number of their occurrence.
    """

    first: int
    launches: list[int]
    service_ps: list[int]
    gap_ps: list[int]
    overlapped_ps: list[int]
    shapes: dict[KernelShape, int] = field(default_factory=dict)
    alone: list[tuple[int, int]] = field(default_factory=list)
    taken: list[tuple[int, int]] = field(default_factory=list)

    @property
    def shape(self) -> KernelShape:
        """The shape of most launches, the first one of several."""
        return max(self.shapes, key=lambda shape: self.shapes[shape])

    @property
    def is_steady(self) -> bool:
        """Whether every occurrence has equally many launches."""
        return len(set(self.launches)) == 1

    @property
    def usual_launches(self) -> int:
        """The launches per occurrence (lower median): 0 where half of the occurrences do without."""
        return median_low(self.launches)

    @property
    def total_ps(self) -> int:
        """The time of all launches, beside others or not."""
        return sum(self.service_ps)

    def of_those_that_ran(self, values: Sequence[int]) -> tuple[int, ...]:
        """Return the entries of *values* for the occurrences that have launches."""
        return tuple(value for value, launches in zip(values, self.launches, strict=True) if launches)

    def take(self, number: int, launch: int, ran: Timeline, gaps_ps: Sequence[int], shared: Beside) -> None:
        """Count *launch* in occurrence *number*."""
        share, shape, early_ps = ran.shares[launch], ran.kernels[launch].shape, shared.early_ps[launch]
        duration_ps = share.service_ps + share.overlapped_ps
        self.launches[number] += 1
        self.taken.append((number, launch))
        self.service_ps[number] += duration_ps
        self.gap_ps[number] += gaps_ps[launch] - early_ps
        self.overlapped_ps[number] += early_ps
        self.shapes[shape] = self.shapes.get(shape, 0) + 1
        if shared.beside[launch] is None:
            self.alone.append((duration_ps, gaps_ps[launch] - early_ps))

    def of_one_occurrence(self) -> list[int]:
        """Return the launches of the first occurrence that has as many as most."""
        first = self.launches.index(self.usual_launches)
        return sorted(launch for number, launch in self.taken if number == first)

    def add(self, other: KernelTally) -> None:
        """Count the launches of *other* here."""
        self.first = min(self.first, other.first)
        for mine, theirs in zip(self._lists(), other._lists(), strict=True):
            mine[:] = [a + b for a, b in zip(mine, theirs, strict=True)]
        for shape, launches in other.shapes.items():
            self.shapes[shape] = self.shapes.get(shape, 0) + launches
        self.alone += other.alone
        self.taken += other.taken

    def take_the_time_of_those_alone(self) -> None:
        """Let every launch count as long as those that ran alone, of which there is at least one, do in their lower median."""
        duration_ps, gap_ps = (median_low(each) for each in zip(*self.alone, strict=True))
        self.service_ps = [launches * duration_ps for launches in self.launches]
        self.gap_ps = [launches * gap_ps for launches in self.launches]
        self.overlapped_ps = [0] * len(self.launches)

    def _lists(self) -> tuple[list[int], ...]:
        return self.launches, self.service_ps, self.gap_ps, self.overlapped_ps


def tally(ran: Timeline, occurrences: Sequence[Occurrence], gaps_ps: Sequence[int], shared: Beside) -> list[KernelTally]:
    """Return the kernels of *occurrences*, in order of their first launch within one.

    Equal shapes are one kernel. A kernel whose grid follows the length of a sequence has other shapes in other occurrences: those of
    equal name, block and registers that do not run equally often in each are one kernel, too.
    """
    by_shape = _by_shape(ran, occurrences, gaps_ps, shared)
    merged: dict[object, KernelTally] = {}
    for shape, kernel in by_shape.items():
        key = shape if kernel.is_steady else (shape.name, shape.block, shape.registers)
        if key in merged:
            merged[key].add(kernel)
        else:
            merged[key] = kernel
    return sorted(merged.values(), key=lambda kernel: kernel.first)


def tally_by_place(ran: Timeline, occurrences: Sequence[Occurrence], gaps_ps: Sequence[int], shared: Beside) -> list[KernelTally]:
    """Return the kernels of *occurrences* by their place in one, whatever their shapes: each is launched once in each."""
    kernels = max((len(one.launches) for one in occurrences), default=0)
    found = [_nothing_yet(ran.kernels[occurrences[0].launches[place]].shape, place, len(occurrences)) for place in range(kernels)]
    for number, occurrence in enumerate(occurrences):
        for kernel, launch in zip(found, occurrence.launches, strict=True):
            kernel.take(number, launch, ran, gaps_ps, shared)
    return found


def _by_shape(ran: Timeline, occurrences: Sequence[Occurrence], gaps_ps: Sequence[int], shared: Beside) -> dict[KernelShape, KernelTally]:
    found: dict[KernelShape, KernelTally] = {}
    for number, occurrence in enumerate(occurrences):
        for place, launch in enumerate(occurrence.launches):
            shape = ran.kernels[launch].shape
            kernel = found.get(shape)
            if kernel is None:
                kernel = found[shape] = _nothing_yet(shape, place, len(occurrences))
            kernel.take(number, launch, ran, gaps_ps, shared)
    return found


def _nothing_yet(shape: KernelShape, place: int, occurrences: int) -> KernelTally:
    launches, service_ps, gap_ps, overlapped_ps = ([0] * occurrences for _ in range(4))
    return KernelTally(place, launches, service_ps, gap_ps, overlapped_ps, {shape: 0})
