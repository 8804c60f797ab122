"""Which occurrences show the steady state: not those under capture or profiler overhead, not the warm-up, not one that is cut off.

Warm-up are the first occurrences, as long as each runs other kernels than most do, or lasts more than one and a half times the
median of those after it. Only the first ones can be warm-up: a slow one in the middle is part of the truth. The last one was cut
off by the end of the recording where it lacks kernels that most have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median_high

from ...model.wording import counted
from ...profiles.execution import Execution, Span
from ...profiles.wording import listed, microseconds, shortened
from .occurrence import Occurrence
from .timeline import Timeline


@dataclass(frozen=True, slots=True)
class Steady:
    """Which occurrences are kept (indices, ascending), why the others are not, and what is odd about those that are."""

    kept: tuple[int, ...]
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def steady(execution: Execution, ran: Timeline, occurrences: Sequence[Occurrence], skip: int = 0) -> Steady:
    """Return which of *occurrences* are steady, after the first *skip*; at least one of those stays."""
    kept, left_out, notes = list(range(skip, len(occurrences))), [], []
    if skip:
        left_out.append(f"{_named(occurrences[:skip])}: skipped, as asked")
    for what, spans in (("a stream capture", execution.captures), ("profiler overhead", execution.overheads)):
        touched = _touched(ran, occurrences, kept, spans)
        if touched == kept != []:
            notes.append(f"{_named(occurrences[n] for n in touched)}: overlaps {what}, and nothing else is left: its times may be too long")
        elif touched:
            left_out.append(f"{_named(occurrences[n] for n in touched)}: overlaps {what}")
            kept = sorted(set(kept).difference(touched))
    return _settled(ran, occurrences, kept, left_out, notes)


def _settled(ran: Timeline, occurrences: Sequence[Occurrence], kept: list[int], left_out: list[str], notes: list[str]) -> Steady:
    """Leave out what was cut off and the warm-up, and say which of the rest run other kernels than most."""
    usual = _usual_kernels(ran, [occurrences[n] for n in kept])
    if len(kept) > 1 and usual and _kernels(ran, occurrences[kept[-1]]) < usual:
        left_out.append(f"{_named([occurrences[kept[-1]]])}: cut off, it lacks kernels that most have")
        kept = kept[:-1]
    while len(kept) > 1 and (because := _is_warm_up(ran, occurrences, kept, usual)):
        left_out.append(f"{_named([occurrences[kept[0]]])}: warm-up, {because}")
        kept = kept[1:]
    others = [n for n in kept if usual and _kernels(ran, occurrences[n]) != usual]
    if others:
        names = _named(occurrences[n] for n in others)
        notes.append(f"{counted(len(others), 'occurrence')} of {len(kept)} with other kernels than most: {names}")
    return Steady(tuple(kept), tuple(left_out), tuple(notes))


def _touched(ran: Timeline, occurrences: Sequence[Occurrence], kept: Sequence[int], spans: Sequence[Span]) -> list[int]:
    return [n for n in kept if spans and occurrences[n].overlaps(spans, ran)]


def _kernels(ran: Timeline, occurrence: Occurrence) -> Counter[str]:
    """Return how often each kernel runs; grids may follow the length of a sequence, and streams may change places, so neither counts."""
    return Counter(ran.kernels[launch].shape.name for launch in occurrence.launches)


def _usual_kernels(ran: Timeline, occurrences: Sequence[Occurrence]) -> Counter[str] | None:
    """Return the kernels of more than half of *occurrences*, if there is a majority."""
    votes = Counter(frozenset(_kernels(ran, occurrence).items()) for occurrence in occurrences)
    ((kernels, number),) = votes.most_common(1) or [(frozenset(), 0)]
    return Counter(dict(kernels)) if 2 * number > len(occurrences) else None


def _is_warm_up(ran: Timeline, occurrences: Sequence[Occurrence], kept: Sequence[int], usual: Counter[str] | None) -> str:
    """Return why the first of *kept* is warm-up, or nothing where it is not."""
    first = occurrences[kept[0]]
    if usual is not None and _kernels(ran, first) != usual:
        return "it runs other kernels than most"
    took_ps = first.duration_ps(ran)
    later_ps = median_high([occurrences[n].duration_ps(ran) for n in kept[1:]])
    return f"it takes {microseconds(took_ps)}, those after it {microseconds(later_ps)}" if 2 * took_ps > 3 * later_ps else ""


def _named(occurrences: Iterable[Occurrence]) -> str:
    return listed((f"'{shortened(occurrence.label, 40)}'" for occurrence in occurrences), at_most=3)
