"""How a region reaches the device: as one persistent launch, as a graph of kernels, or kernel by kernel (design: *Dispatch*).

Each way says which launches one run of a region consists of. Equal launches are kept as one with a count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import repeat
from typing import TypeAlias

from megasolve.contracts import Contract

from .works import FREE, DispatchCost, Repeated, Section, Service, Work


@dataclass(frozen=True, slots=True)
class Launched:
    """One launch, *times* in a row: all of *cost*, and then the *sections*, in which each kernel follows a gap of its own."""

    cost: DispatchCost
    sections: tuple[Section, ...]
    times: int = 1


@dataclass(frozen=True, slots=True)
class Series:
    """*launches* in order, the whole list *times* times."""

    launches: tuple[Launched | Series, ...]
    times: int = 1

    def each(self) -> Iterator[Launched]:
        """Yield the launches one by one."""
        for _ in range(self.times):
            for one in self.launches:
                if isinstance(one, Launched):
                    yield from repeat(one, one.times)
                else:
                    yield from one.each()


@dataclass(frozen=True, slots=True)
class Persistent:
    """One kernel runs everything: one launch, at the cost of its entry.

    One that *loops* keeps its launch over all consecutive steps that it holds whole; otherwise it is launched again for each step. One that
    *repeats* keeps it over the repeats of a block that it holds whole.
    """

    cost: DispatchCost
    loops: bool = True
    cooperative: bool = True
    repeats: bool = True

    def launches(self, sections: tuple[Section, ...]) -> tuple[Series, ...]:
        """Return the only launch."""
        return (Series((Launched(self.cost, sections),)),)

    def launched_steps(self, steps: int) -> tuple[int, ...]:
        """Return how many of *steps* steps each launch runs beside another one: all, where it loops, else one each; nothing without any."""
        return ((steps,) if self.loops else (1,) * steps) if steps else ()

    def free(self) -> Persistent:
        """Return the same at no cost."""
        return replace(self, cost=FREE)


@dataclass(frozen=True, slots=True)
class Graphed:
    """One graph of all kernels: one launch, that of the dearest of them, and each kernel behind its own gap."""

    def launches(self, sections: tuple[Section, ...]) -> tuple[Series, ...]:
        """Return the launch of the graph."""
        # Replayed as a whole: kernels of several kinds in one graph share its launch, but each keeps its gap.
        return (Series((Launched(dearest(service.dispatch for service in _services(sections)), sections),)),)

    def free(self) -> Graphed:
        """Return the same: the costs are those of the kernels."""
        return self


@dataclass(frozen=True, slots=True)
class Streamed:
    """Each kernel is a launch of its own, at its own cost, and the host waits only for those that say so."""

    def launches(self, sections: tuple[Section, ...]) -> tuple[Series, ...]:
        """Return the launches of each call."""
        # No launch spans two kernels, so sections fall apart into their calls.
        return tuple(_calls(one) for section in sections for _ in range(section.repeat) for one in section.works)

    def free(self) -> Streamed:
        """Return the same: the costs are those of the kernels."""
        return self


Launching: TypeAlias = "Persistent | Graphed | Streamed"


def launching_of(first: Contract, cost: DispatchCost) -> Launching:
    """Return how a region reaches the device whose first entry is *first*; *cost* is what a launch of a megakernel costs."""
    if first.backend == "megakernel":
        return Persistent(cost, first.loops_over_steps is not False, first.launch.cooperative, first.loops_over_repeats)
    # No rule lets kernels of a graph into one region with others.
    return Graphed() if first.dispatch.kind == "graph" else Streamed()


def dearest(costs: Iterable[DispatchCost]) -> DispatchCost:
    """Return what the one launch of several kernels costs, gaps aside: the dearest of *costs*; the host waits if it does for any."""
    every = tuple(costs)
    most = max(every, key=lambda cost: (cost.host_ps + cost.exposed_ps, cost.host_ps))
    return DispatchCost(most.host_ps, most.exposed_ps, any(cost.host_waits for cost in every))


def _services(sections: Iterable[Section]) -> Iterator[Service]:
    return (service for section in sections for work, _ in section.counted() for service in work.services)


def _calls(one: Work | Repeated) -> Series:
    """Return the launches of all calls of a work, or of all repeats of a block."""
    if isinstance(one, Work):
        return Series(tuple(_each_kernel(one)), one.calls)
    return Series(tuple(map(_calls, one.works)), one.times)


def _each_kernel(work: Work) -> Iterator[Launched]:
    """Yield the launches of one call; a service that sums several kernels counts as equal ones."""
    for service in work.services:
        # A summed time says nothing of its parts; equal ones are the assumption, and their sum stays exact to the picosecond.
        for each_ps, count in equal_kernels(service.duration_ps, service.launches):
            moved = None if service.hbm_bytes is None else service.hbm_bytes // service.launches
            kernel = Work(work.group, 1, (Service(service.label, each_ps, moved, grid=service.grid),))
            yield Launched(service.dispatch, (Section((kernel,)),), count)


def equal_kernels(duration_ps: int, launches: int) -> tuple[tuple[int, int], ...]:
    """Split a summed time over its launches as evenly as whole picoseconds allow: (duration, how many), longest first."""
    # The remainder goes to the first ones, a picosecond each: the sum is that of the record, to the last one.
    short, longer = divmod(duration_ps, launches)
    return tuple((each, count) for each, count in ((short + 1, longer), (short, launches - longer)) if count)
