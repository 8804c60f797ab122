"""How the launches of a timeline repeat, whatever their grids do."""

from __future__ import annotations

from collections.abc import Sequence

from ..timelines.timeline import Timeline
from .period import Repetition, find_repetition, worth_more


def best_repetition(ran: Timeline, period: int | None = None) -> tuple[list[int], Repetition | None, str]:
    """Return the launches of the busiest stream, how they repeat, and in what repeated kernels may differ.

    Streams run beside each other, so only the order within one is fixed. Grids may follow the length of a sequence: where shapes
    explain clearly less than names, names decide.
    """
    streams: dict[object, list[int]] = {}
    for launch, kernel in enumerate(ran.kernels):
        streams.setdefault(kernel.site, []).append(launch)
    main = max(streams.values(), key=len, default=[])
    shapes = [ran.kernels[launch].shape for launch in main]
    idle_ps = [ran.shares[launch].gap_ps for launch in main]
    finer = find_repetition([(shape.name, shape.grid, shape.block) for shape in shapes], period, idle_ps)
    coarser = find_repetition([shape.name for shape in shapes], period, idle_ps)
    return (main, coarser, "grid or block") if coarser and worth_more(finer, coarser) else (main, finer, "")


def is_most(found: Repetition, launches: Sequence[int]) -> bool:
    """Whether *found* holds at least half of *launches*: a few equal kernels in a row are in every profile, and no step."""
    return 2 * found.covered >= len(launches)
