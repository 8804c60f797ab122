"""What each launch adds to the span of its device: the idle time before it, and the time that no earlier launch covers.

Launches overlap: on several streams, and on one stream where the next kernel may start early (programmatic dependent launch). A
launch therefore counts only from where the latest end so far leaves off, so that no instant is counted twice and

    sum of services + sum of gaps = span

holds exactly. What a launch ran beside earlier ones is kept apart, so that its own duration is service plus overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Share:
    """One launch within the span of its device; its duration is *service_ps* plus *overlapped_ps*."""

    gap_ps: int
    service_ps: int
    overlapped_ps: int


def shares(intervals: Iterable[tuple[int, int]]) -> Iterator[Share]:
    """Yield the share of each (start, end) of one device; they come in order of start. Nothing is idle before the first."""
    reached: int | None = None
    for start, end in intervals:
        reached = start if reached is None else reached
        fresh_ps = max(end - max(start, reached), 0)
        yield Share(max(start - reached, 0), fresh_ps, end - start - fresh_ps)
        reached = max(reached, end)
