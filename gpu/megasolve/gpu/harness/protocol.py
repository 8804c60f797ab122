"""The protocol of a time: warm up, then sample what is timed and, beside each sample, the same launches with nothing to do."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from ..driver import GpuState, Graph, Stream, gpu_state
from .session import Session
from .statistics import lower_median

# Readings of the clock that differ by less are the same clock.
_SETTLED = 0.01
Design = TypeVar("Design")


class Queued(Protocol):
    """Work that can be put on a stream: a launch or a graph."""

    def on(self, stream: Stream) -> None:
        """Queue the work."""


@dataclass(frozen=True, slots=True)
class TimedSubject:
    """What is timed. Each of *works* is *calls* calls; samples take them in turn. *empty* is one of them with nothing to do.

    *reset* is queued before each, outside of the time.
    """

    name: str
    works: tuple[Queued, ...]
    empty: Queued
    calls: int
    reset: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Samples:
    """The raw times of a subject and of its empty twin, in order, and the state of the GPU before and after them."""

    raw_us: tuple[float, ...]
    empty_us: tuple[float, ...]
    calls: int
    warmups: int
    before: GpuState
    after: GpuState

    @property
    def overhead_us(self) -> float:
        """What a sample takes with nothing to do: the cost of its launches, which is no service time."""
        return lower_median(sorted(self.empty_us))

    @property
    def raw_call_us(self) -> float:
        """The median of a sample over its calls, launches included."""
        return lower_median(sorted(self.raw_us)) / self.calls

    @property
    def call_us(self) -> tuple[float, ...]:
        """The time of one call in each sample, without what its launches cost."""
        # Of the median, not pair by pair: the noise of two readings would add up, and single calls could come out negative.
        return tuple((raw - self.overhead_us) / self.calls for raw in self.raw_us)

    @property
    def median_call_us(self) -> float:
        """The median time of one call, without what its launches cost."""
        return lower_median(sorted(self.call_us))


def drawn_order(designs: Sequence[Design], seed: int) -> list[Design]:
    """Return *designs* in an order that *seed* draws, so that no design always comes behind the same other one."""
    return random.Random(seed).sample(designs, len(designs))


class Timer:
    """Takes samples in a session. The device is kept busy until a sample is queued, so that no sample waits for the host."""

    def __init__(self, session: Session) -> None:
        self._session = session
        # One graph, so that queueing the runway itself takes the host next to nothing.
        self._runway = Graph(session.stream, [session.empty_launch()] * session.counts.runway)

    def samples(self, make: Callable[[int], TimedSubject], calls: int | None = None) -> Samples:
        """Return samples of what *make* gives for a number of calls; the number is larger where a call is too short to time alone.

        *calls* sets that number, for times that are to be compared.

        Raises
        ------
        Hang, DriverError
            A launch does not end, or fails.
        """
        session, counts = self._session, self._session.counts
        # Copies may still be on their way, and this stream would not wait for them.
        session.context.synchronize()
        subject = make(1)
        warmups = self.warm_up(subject)
        alone_us = self.sample_us(subject, 0)
        # A short call is timed with others like it: the resolution of an event is half a microsecond.
        wanted = calls or self._calls(alone_us, alone_us - self._empty_us(subject))
        if wanted > 1:
            subject = make(wanted)
            warmups += self.warm_up(subject)
        before = gpu_state(session.context.device.uuid)
        # In turn, so that a drift of the clock moves both alike.
        pairs = [(self.sample_us(subject, number), self._empty_us(subject)) for number in range(counts.samples)]
        after = gpu_state(session.context.device.uuid)
        raw_us, empty_us = zip(*pairs, strict=True)
        return Samples(raw_us, empty_us, subject.calls, warmups, before, after)

    def warm_up(self, subject: TimedSubject) -> int:
        """Run *subject* until the clock of the SMs has settled, and return how often it ran."""
        counts, ran, clock = self._session.counts, 0, None
        while True:
            for _ in range(counts.warmups):
                self.sample_us(subject, ran)
                ran += 1
            # Two readings in a row that agree; the first one has nothing to be compared with.
            earlier, clock = clock, gpu_state(self._session.context.device.uuid).sm_clock_mhz
            is_settled = clock is None or (earlier is not None and abs(clock - earlier) <= _SETTLED * earlier)
            if is_settled or ran >= counts.most_warmups:
                return ran

    def run_each(self, subject: TimedSubject) -> None:
        """Run every one of the works of *subject* once."""
        for number in range(len(subject.works)):
            self.sample_us(subject, number)

    def sample_us(self, subject: TimedSubject, number: int) -> float:
        """Return how long sample *number* takes."""
        return self._timed_us(subject, subject.works[number % len(subject.works)])

    def _empty_us(self, subject: TimedSubject) -> float:
        return self._timed_us(subject, subject.empty)

    def _timed_us(self, subject: TimedSubject, work: Queued) -> float:
        session = self._session
        subject.reset()
        # Twice the size of L2, so that nothing of the launch before is left in it.
        if session.flushed is not None:
            session.flushed.fill_bytes(0, session.stream)
        self._runway.on(session.stream)
        # Behind the runway: the mark is reached on the device only when the work is queued already.
        session.stream.record(session.first)
        work.on(session.stream)
        session.finish(subject.name)
        return session.last.us_since(session.first)

    def _calls(self, alone_us: float, service_us: float) -> int:
        counts = self._session.counts
        # Only the first of several calls would find overwritten caches.
        if service_us >= counts.short_us or counts.cache == "cold":
            return 1
        # At least a microsecond: two events that come together would make the quotient endless.
        return min(counts.most_launches, math.ceil(counts.least_sample_us / max(alone_us, 1.0)))
