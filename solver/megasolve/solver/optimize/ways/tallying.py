"""Tallying: how many designs and candidates have a score, by dynamic programming over the cuts of a chain.

Prefixes with the same undominated effects have the same continuations, so they are counted together: where everything ties, there is
one of them for each cut.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from ..space.arcs import Arc, Ps
from .joining import NONE_YET, Counts, Inside
from .walking import Prefix, Walker

MOST_STATES = 20_000


class _Place(NamedTuple):
    """What some designs have in common up to a cut, how many they are, and how many candidates."""

    prefixes: tuple[Prefix, ...]
    before: Arc | None
    inside: Inside
    designs: int
    candidates: Counts


def tally(walker: Walker, value: Ps) -> tuple[int, int] | None:
    """Return how many designs, and candidates, have this least value; None where they would take too many steps to count."""
    cuts = len(walker.space.groups)
    places: list[dict[Hashable, _Place]] = [{} for _ in range(cuts + 1)]
    places[0][()] = _Place(walker.begin(), None, Inside.OUTSIDE, 1, NONE_YET)
    steps = 0
    for cut in range(cuts):
        for place in places[cut].values():
            for arcs in walker.steps(cut):
                if more := walker.grown(place.prefixes, arcs, (value,)):
                    steps += 1
                    if steps > MOST_STATES:
                        return None
                    for after in walker.joints.follow(place.before, place.inside, arcs[0]):
                        counts = walker.joints.grown(place.candidates, place.before, place.inside, arcs[0], after)
                        _count(places[arcs[0].last], _Place(more, arcs[0], after, place.designs, counts))
    ended = [place for place in places[cuts].values() if walker.best(place.prefixes)[0] == value]
    return sum(place.designs for place in ended), sum(sum(place.candidates) for place in ended)


def _count(places: dict[Hashable, _Place], one: _Place) -> None:
    # The two sides of a split end a cover: what they are decides its value, beside the effects of what precedes them.
    ends = tuple(id(prefix.arcs[-1]) for prefix in one.prefixes if prefix.arcs[-1].is_split)
    standing = () if one.before is None else (one.before.slot.kind, one.before.border, one.before.block, one.inside)
    key = (frozenset((prefix.phases, prefix.inside) for prefix in one.prefixes), standing, ends)
    known = places.get(key)
    if known is not None:
        going, begun, ended = (mine + theirs for mine, theirs in zip(known.candidates, one.candidates, strict=True))
        one = one._replace(designs=known.designs + one.designs, candidates=(going, begun, ended))
    places[key] = one
