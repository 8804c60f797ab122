"""Tallying: how many designs and candidates have a score, by dynamic programming over the cuts of a chain.

Prefixes with the same undominated effects have the same continuations, so they are counted together: where everything ties, there is
one of them for each cut.
"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction

from ..space.arcs import Arc, Ps
from .naming import ways_behind
from .walking import Prefix, Walker

MOST_STATES = 20_000
_Place = tuple[tuple[Prefix, ...], Arc | None, int, Fraction]


def tally(walker: Walker, value: Ps) -> tuple[int, int] | None:
    """Return how many designs, and candidates, have this least value; None where they would take too many steps to count."""
    cuts = len(walker.space.groups)
    places: list[dict[Hashable, _Place]] = [{} for _ in range(cuts + 1)]
    places[0][()] = (walker.begin(), None, 1, Fraction(1))
    steps = 0
    for cut in range(cuts):
        for prefixes, before, designs, candidates in places[cut].values():
            for arcs in walker.steps(cut):
                if more := walker.grown(prefixes, arcs, (value,)):
                    steps += 1
                    if steps > MOST_STATES:
                        return None
                    ways = Fraction(arcs[0].ways) if before is None else ways_behind(walker, before, arcs[0])
                    _count(places[arcs[0].last], more, arcs[0], designs, candidates * ways)
    ended = [place for place in places[cuts].values() if walker.best(place[0])[0] == value]
    return sum(place[2] for place in ended), int(sum(place[3] for place in ended))


def _count(places: dict[Hashable, _Place], prefixes: tuple[Prefix, ...], arc: Arc, designs: int, candidates: Fraction) -> None:
    # The two sides of a split end a cover: what they are decides its value, beside the effects of what precedes them.
    ends = tuple(id(prefix.arcs[-1]) for prefix in prefixes if prefix.arcs[-1].is_split)
    key = (frozenset((prefix.phases, prefix.inside) for prefix in prefixes), arc.slot.kind, arc.border, arc.block, ends)
    known = places.get(key)
    before = (0, Fraction(0)) if known is None else known[2:]
    places[key] = (prefixes, arc, before[0] + designs, before[1] + candidates)
