"""What ran beside what: launches of one group overlap by its own design, those of two groups on two streams share the GPU.

The first kind costs a group only the union of its intervals: a launch that starts before earlier ones of its group, or of its stream
(dependent launch), have ended has a negative gap. The second kind is no standalone time of either group: such a launch is marked, and keeps
its whole duration.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...profiles.execution import Site
from ..observation import PlaceOrder
from .second_streams import early_beside_the_busiest
from .timeline import Timeline

_Place = tuple[str, Site]


@dataclass(frozen=True, slots=True)
class Beside:
    """For every launch the part of its time that ran beside earlier ones of its own (*early_ps*), and the group that it ran *beside*."""

    early_ps: tuple[int, ...]
    beside: tuple[str | None, ...]


def beside(ran: Timeline, groups: Sequence[str | None], order: PlaceOrder = "start") -> Beside:
    """Return what the launches of *ran* ran beside; *groups* names the group of each, None for one of none.

    Where places are counted in *order* of launch, kernels of a second stream start in no steady order.
    """
    numbers = range(len(ran.kernels))
    others: list[str | None] = [None] * len(ran.kernels)
    _mark(ran, groups, numbers, others, is_earlier=True)
    _mark(ran, groups, reversed(numbers), others, is_earlier=False)
    early = _early if order == "start" else early_beside_the_busiest
    return Beside(tuple(early(ran, groups)), tuple(others))


def _mark(ran: Timeline, groups: Sequence[str | None], order: Iterable[int], others: list[str | None], *, is_earlier: bool) -> None:
    """Mark launches beside others that are *is_earlier* (or later) than they; of these the nearest per group and stream decides."""
    nearest: dict[_Place, int] = {}
    for launch in order:
        group, site = groups[launch], ran.kernels[launch].site
        if group is None:
            continue
        start_ps, end_ps = ran.start_ps(launch), ran.end_ps(launch)
        for (other, place), time_ps in nearest.items():
            is_apart = other != group and (place != site or site.stream is None)
            if is_apart and others[launch] is None and (time_ps > start_ps if is_earlier else time_ps < end_ps):
                others[launch] = other
        known_ps = nearest.get((group, site))
        if is_earlier:
            nearest[group, site] = end_ps if known_ps is None else max(known_ps, end_ps)
        else:
            nearest[group, site] = start_ps


def _early(ran: Timeline, groups: Sequence[str | None]) -> list[int]:
    """Return by how much each launch overlaps earlier ones of its group or stream, at the speed at which its replay counts."""
    reached: dict[object, int] = {}
    early_ps: list[int] = []
    mine: tuple[object, ...]
    for launch, kernel in enumerate(ran.kernels):
        start_ps, end_ps = ran.start_ps(launch), ran.end_ps(launch)
        mine = (groups[launch],) if kernel.site.stream is None else (groups[launch], kernel.site)
        until_ps = max(reached.get(one, start_ps) for one in mine)
        traced_ps = max(min(until_ps, end_ps) - start_ps, 0)
        share = ran.shares[launch]
        early_ps.append(traced_ps * (share.service_ps + share.overlapped_ps) // (end_ps - start_ps))
        for one in mine:
            reached[one] = max(reached.get(one, end_ps), end_ps)
    return early_ps


def names(others: Iterable[str | None]) -> tuple[str, ...]:
    """Return the groups that are named in *others*, each once."""
    return tuple(dict.fromkeys(other for other in others if other is not None))
