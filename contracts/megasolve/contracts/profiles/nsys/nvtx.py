"""NVTX ranges of a profile: push/pop ranges by thread, start/end ranges by process, and which are open at a moment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain
from math import inf
from operator import attrgetter

from ..execution import Span


class Kind(Enum):
    """What one NVTX event says: a moment, one end of a range, or a whole range."""

    MARK = "mark"
    PUSH = "push"
    POP = "pop"
    START = "start"
    END = "end"
    STACKED = "push/pop range"
    FREE = "start/end range"


@dataclass(frozen=True, slots=True)
class Half:
    """One end of a range that the profiler left unpaired. *global_thread* is the thread's number among all processes."""

    kind: Kind
    time_ps: int
    name: str
    global_thread: int | None
    process: int | None
    thread: int | None
    domain: int | None = None
    number: int | None = None

    @property
    def range_kind(self) -> Kind:
        """The kind of range that this is an end of."""
        return Kind.STACKED if self.kind is Kind.PUSH or self.kind is Kind.POP else Kind.FREE

    @property
    def key(self) -> Hashable:
        """What both ends share: the stack of their thread and domain, or the range's number in its process."""
        if self.range_kind is Kind.STACKED:
            return (self.range_kind, self.global_thread, self.domain)
        return (self.range_kind, self.process, self.domain, self.number)

    def until(self, end_ps: int) -> Span:
        """Return the range from here to *end_ps*."""
        return Span(self.name, self.time_ps, end_ps, self.process, self.thread)


@dataclass(slots=True)
class Annotations:
    """All ranges and marks as they are found: *stacked* by global thread, *free* by process, as those may end on another thread.

    *unclosed* counts the ranges without an end, *backward* those that end before they start and were left out.
    """

    marks: list[Span] = field(default_factory=list)
    stacked: dict[int | None, list[Span]] = field(default_factory=lambda: defaultdict(list))
    free: dict[int | None, list[Span]] = field(default_factory=lambda: defaultdict(list))
    unclosed: int = 0
    backward: int = 0

    def add(self, kind: Kind, global_thread: int | None, span: Span) -> None:
        """Keep *span*, unless it ends before it starts."""
        if span.end_ps < span.start_ps:
            self.backward += 1
        elif kind is Kind.STACKED:
            self.stacked[global_thread].append(span)
        elif kind is Kind.FREE:
            self.free[span.process].append(span)
        else:
            self.marks.append(span)

    def pair(self, halves: Iterable[Half], last_ps: int) -> None:
        """Join pushes with pops and starts with ends, in order of time; what is never closed lasts until *last_ps*."""
        opened: dict[Hashable, list[Half]] = defaultdict(list)
        for half in sorted(halves, key=attrgetter("time_ps")):
            stack = opened[half.key]
            if half.kind is Kind.PUSH or half.kind is Kind.START:
                stack.append(half)
            elif stack:
                opening = stack.pop()
                self.add(opening.range_kind, opening.global_thread, opening.until(half.time_ps))
        for opening in chain.from_iterable(opened.values()):
            self.unclosed += 1
            self.add(opening.range_kind, opening.global_thread, opening.until(max(last_ps, opening.time_ps)))

    def spans(self) -> tuple[Span, ...]:
        """Return every range and mark in order of start, the longer first."""
        return tuple(in_order([*self.marks, *chain.from_iterable(self.stacked.values()), *chain.from_iterable(self.free.values())]))

    def around(self, process: int | None, global_thread: int | None) -> list[Span]:
        """Return the ranges that can hold a call of a thread, in order: its own push/pop ranges and its process's start/end ranges."""
        return in_order([*self.stacked.get(global_thread, ()), *self.free.get(process, ())])


def in_order(spans: list[Span]) -> list[Span]:
    """Sort *spans* by start, the longer first, so that an outer range precedes the ranges inside."""
    spans.sort(key=attrgetter("end_ps"), reverse=True)
    spans.sort(key=attrgetter("start_ps"))
    return spans


class OpenRanges:
    """Which of *spans*, which are in order, are open at ascending moments: each from its start until before its end."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self._later = [*reversed(spans)]
        self._open: tuple[Span, ...] = ()
        self._changes_ps: float = -inf

    def at(self, moment_ps: int) -> tuple[Span, ...]:
        """Return the spans that are open at *moment_ps*, outermost first; moments between the same two changes share one tuple."""
        if moment_ps >= self._changes_ps:
            begun = [*self._open]
            while self._later and self._later[-1].start_ps <= moment_ps:
                begun.append(self._later.pop())
            self._open = tuple([span for span in begun if span.end_ps > moment_ps])
            starts_ps = self._later[-1].start_ps if self._later else inf
            self._changes_ps = min([starts_ps, *[span.end_ps for span in self._open]])
        return self._open
