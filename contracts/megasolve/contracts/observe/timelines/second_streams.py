"""What launches of one group run beside each other where a second stream starts its kernels now before and now behind those of the first.

Whichever starts later would be early, now the one and now the other, and no median of either would hold. So the busiest stream of a
group keeps its time, and the others have what it does not cover: what a call takes is the union of its intervals, as before.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence

from ...profiles.execution import Site
from .timeline import Timeline

_Spans = list[tuple[int, int]]


def early_beside_the_busiest(ran: Timeline, groups: Sequence[str | None]) -> list[int]:
    """Return how much of each launch the busiest stream of its group covers, or an earlier launch of its own stream or of another one."""
    busiest = _busiest(ran, groups)
    covered = _covered(ran, groups, busiest)
    reached: dict[object, int] = {}
    early_ps: list[int] = []
    for launch, kernel in enumerate(ran.kernels):
        group, start_ps, end_ps = groups[launch], ran.start_ps(launch), ran.end_ps(launch)
        is_first = kernel.site == busiest.get(group)
        mine: tuple[object, ...] = (kernel.site,) if is_first else (kernel.site, (group, "others"))
        fresh_ps = min(max(start_ps, *(reached.get(one, start_ps) for one in mine)), end_ps)
        left_ps = end_ps - fresh_ps - (0 if is_first else _overlap_ps(covered.get(group, []), fresh_ps, end_ps))
        share = ran.shares[launch]
        early_ps.append((end_ps - start_ps - left_ps) * (share.service_ps + share.overlapped_ps) // (end_ps - start_ps))
        for one in mine:
            reached[one] = max(reached.get(one, end_ps), end_ps)
    return early_ps


def _busiest(ran: Timeline, groups: Sequence[str | None]) -> dict[str | None, Site]:
    launches: dict[str | None, Counter[Site]] = {}
    for group, kernel in zip(groups, ran.kernels, strict=True):
        launches.setdefault(group, Counter())[kernel.site] += 1
    return {group: sites.most_common(1)[0][0] for group, sites in launches.items()}


def _covered(ran: Timeline, groups: Sequence[str | None], busiest: dict[str | None, Site]) -> dict[str | None, _Spans]:
    """Return what the busiest stream of each group covers, in order and without overlap."""
    found: dict[str | None, _Spans] = {}
    for launch, kernel in enumerate(ran.kernels):
        group = groups[launch]
        if kernel.site != busiest[group]:
            continue
        spans, start_ps, end_ps = found.setdefault(group, []), ran.start_ps(launch), ran.end_ps(launch)
        if spans and start_ps <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], end_ps))
        else:
            spans.append((start_ps, end_ps))
    return found


def _overlap_ps(spans: _Spans, start_ps: int, end_ps: int) -> int:
    """Return how much of *spans* lies between *start_ps* and *end_ps*."""
    taken, place = 0, max(bisect_right(spans, (start_ps, start_ps)) - 1, 0)
    while place < len(spans) and spans[place][0] < end_ps:
        taken += max(min(spans[place][1], end_ps) - max(spans[place][0], start_ps), 0)
        place += 1
    return taken
