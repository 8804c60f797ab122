"""Where one schedule differs from another: when other groups run than there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction

    from megasolve.solver.timeline.timeline import Chart

    Ps = int | Fraction

Running = tuple[tuple[str, int], ...]


def differences(one: Chart, other: Chart) -> Iterator[tuple[Ps, Ps]]:
    """Yield when other groups run in *other* than in *one* at the same time, from the start to the end of *other*; in order, apart."""
    left, right = _running(one), _running(other)
    times = sorted({*left, *right})
    found: list[tuple[Ps, Ps]] = []
    before: Running = ()
    now: Running = ()
    for begin, end in pairwise([*times, other.end_ps]):
        before, now = left.get(begin, before), right.get(begin, now)
        last = min(end, other.end_ps)
        if before != now and begin < last:
            if found and found[-1][1] == begin:
                found[-1] = (found[-1][0], last)
            else:
                found.append((begin, last))
    yield from found


def _running(chart: Chart) -> dict[Ps, Running]:
    """Return which groups run from each time on at which something begins or ends, with how many tasks of each."""
    changes: list[tuple[Ps, int, Sequence[str]]] = []
    for track in chart.tracks:
        for span in track.spans:
            if span.kind.value == "task":
                names = [group for group, _ in span.groups] or [span.name]
                changes += [(span.start_ps, 1, names), (span.end_ps, -1, names)]
    running: Counter[str] = Counter()
    found: dict[Ps, Running] = {0: ()}
    for at, sign, groups in sorted(changes, key=lambda change: change[0]):
        for name in groups:
            running[name] += sign
            if not running[name]:
                del running[name]
        found[at] = tuple(sorted(running.items()))
    return found
