"""Steps by the replays of one graph: each begins with one, and lasts until the next one begins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from ..timelines.occurrence import Occurrence
from ..timelines.timeline import Timeline


def replayed_steps(ran: Timeline) -> tuple[Occurrence, ...]:
    """Return a step for each replay of the graph that most of the kernels are replayed by; none where none is replayed twice.

    What runs between two replays belongs to the step of the first. The last step is its replay alone, as nothing says what follows it.
    """
    replays = _replays(ran)
    sizes = Counter(len(launches) for launches in replays)
    several = [size for size, times in sizes.items() if times > 1]
    if not several:
        return ()
    usual = max(several, key=lambda size: size * sizes[size])
    chosen = [launches for launches in replays if len(launches) == usual]
    edges = [launches[0] for launches in chosen]
    whole = [range(first, following) for first, following in pairwise(edges)]
    every = (*whole, range(edges[-1], chosen[-1][-1] + 1))
    return tuple(Occurrence(f"replay {number}", tuple(launches)) for number, launches in enumerate(every, 1))


def _replays(ran: Timeline) -> Sequence[Sequence[int]]:
    """Return the launches of each replay, in order of its first one."""
    found: dict[tuple[int | None, int], list[int]] = {}
    for launch, kernel in enumerate(ran.kernels):
        if kernel.graph is not None and kernel.correlation is not None:
            found.setdefault((kernel.site.process, kernel.correlation), []).append(launch)
    return list(found.values())
