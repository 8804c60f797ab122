"""Works: what a group runs at one occurrence, kernel by kernel, and what launching each of its kernels costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import repeat

from ..events.graph import KernelGrid


@dataclass(frozen=True, slots=True)
class DispatchCost:
    """What one launch costs.

    Its *host* part, with *host_waits* only when what the launch waits for is done; its *exposed* part behind both; and before the
    kernel itself its *gap*. In a graph, which is one launch of many kernels, each kernel has its own gap.
    """

    host_ps: int
    exposed_ps: int
    host_waits: bool
    gap_ps: int = 0

    @property
    def total_ps(self) -> int:
        """All that a launch by itself costs."""
        return self.host_ps + self.exposed_ps + self.gap_ps


FREE = DispatchCost(0, 0, host_waits=False)


@dataclass(frozen=True, slots=True)
class Service:
    """One timed piece of a call: the whole call, or one kernel of it.

    *launches* is how many equal kernels it stands for, and *dispatch* what launching each of them costs; a piece of a persistent
    launch is no kernel of its own and costs nothing. *hbm_bytes* is None where nobody knows it; such a service may only run with nothing
    beside it. *grid* has the CTAs of each kernel that may run beside others.
    """

    label: str
    duration_ps: int
    hbm_bytes: int | None
    launches: int = 1
    dispatch: DispatchCost = FREE
    grid: KernelGrid | None = None

    def kernels(self) -> Iterator[Service]:
        """Yield each of its kernels, which are equal but for the last picoseconds and bytes."""
        # The remainder goes to the first ones, one each: the sums are those of the record.
        (ps, longer), (moved, larger) = divmod(self.duration_ps, self.launches), divmod(self.hbm_bytes or 0, self.launches)
        ends = sorted({longer, larger, self.launches})
        for begin, end in zip((0, *ends), ends, strict=False):
            hbm_bytes = None if self.hbm_bytes is None else moved + (begin < larger)
            one = replace(self, duration_ps=ps + (begin < longer), hbm_bytes=hbm_bytes, launches=1)
            # Equal kernels are one value: there may be hundreds of them.
            yield from repeat(one, end - begin)


@dataclass(frozen=True, slots=True)
class Work:
    """One occurrence of a group: *calls* times the services of one call, in order."""

    group: str
    calls: int
    services: tuple[Service, ...]

    @property
    def service_ps(self) -> int:
        """The standalone time of the occurrence without gaps and launches."""
        return self.calls * sum(service.duration_ps for service in self.services)

    @property
    def gaps_ps(self) -> int:
        """The gaps before the kernels of the occurrence."""
        return self.calls * sum(service.launches * service.dispatch.gap_ps for service in self.services)


@dataclass(frozen=True, slots=True)
class Repeated:
    """A block of the step: *works* in order, *times* times."""

    works: tuple[Work, ...]
    times: int


@dataclass(frozen=True, slots=True)
class Section:
    """*works* in order, *repeat* times; *is_step* where they are (part of) a producer step."""

    works: tuple[Work | Repeated, ...]
    repeat: int = 1
    is_step: bool = False

    @property
    def service_ps(self) -> int:
        """The standalone time of the whole section."""
        return sum(count * work.service_ps for work, count in self.counted())

    def counted(self) -> Iterator[tuple[Work, int]]:
        """Yield each work once, with how often it occurs in the section."""
        for one in self.works:
            if isinstance(one, Work):
                yield one, self.repeat
            else:
                yield from ((work, self.repeat * one.times) for work in one.works)

    def each(self) -> Iterator[Work]:
        """Yield every work in order."""
        for _ in range(self.repeat):
            for one in self.works:
                if isinstance(one, Work):
                    yield one
                else:
                    yield from (work for _ in range(one.times) for work in one.works)
