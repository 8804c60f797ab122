"""Claims: where a group can be launched in several ways, one candidate may be several designs, and counts as its best variant's.

Each cut that makes no difference to one way of launching may make some to another, so the candidates of a design are listed here, and
each goes to the best design that it can be; among equals to that of its first variant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from megasolve.simulate.plan.candidate import Candidate, Choice
from megasolve.simulate.plan.cover import Cover

from .hits import Hit
from .space.arcs import Arc, Space
from .space.silent import border_of
from .ways.naming import joined
from .ways.walking import Key, Walker, decisions

MOST_LISTED = 4_096


def has_rival_kinds(space: Space) -> bool:
    """Whether some group has conventional kernels of several kinds."""
    kinds: dict[str, set[str]] = {}
    for arc in space.arcs:
        if arc.slot.kind.startswith("c:"):
            for group in arc.slot.groups:
                kinds.setdefault(group, set()).add(arc.slot.kind)
    return any(len(found) > 1 for found in kinds.values())


def claimed(hits: Iterable[Hit], walkers: Sequence[Walker]) -> Iterator[Hit]:
    """Yield *hits* with the candidates that are theirs and nobody's before them; one that has none left is no row."""
    taken: set[tuple[Key, int]] = set()
    for hit in sorted(hits, key=lambda one: (one.order, _in_product_order(one))):
        own = [
            ((key, index), choices)
            for index, way in hit.ways
            for each in _spoken(walkers[index].space, way)
            for key, choices in _candidates(walkers[index], each)
            if (key, index) not in taken
        ]
        taken.update(place for place, _ in own)
        if own:
            place, choices = min(own, key=lambda pair: pair[0])
            policy = walkers[place[1]].space.policy
            candidate = Candidate(Cover(tuple(choice.region for choice in choices)), policy)
            yield replace(hit, key=place, candidate=candidate, variant=choices, candidates=len(own))


def _in_product_order(hit: Hit) -> tuple[tuple[str, ...], ...]:
    """Return what orders the variants of one candidate, however it is cut."""
    return tuple(tuple(one.value.entry for one in choice.contracts_of(group)) for choice in hit.variant for group in choice.region.groups)


def _spoken(space: Space, way: Sequence[Arc]) -> Iterator[tuple[Arc, ...]]:
    """Yield *way* with every cover of what is silent in it."""
    silent = next((place for place, arc in enumerate(way) if arc.covers), None)
    if silent is None:
        yield tuple(way)
        return
    arc = way[silent]
    for choices in arc.covers:
        border = border_of(choices[-1 if arc.first == 0 else 0], space)
        yield (*way[:silent], replace(arc, choices=choices, border=border), *way[silent + 1 :])


def _candidates(walker: Walker, way: Sequence[Arc]) -> Iterator[tuple[Key, tuple[Choice, ...]]]:
    """Yield every candidate that *way* is a design of, with its choices; of very many, some."""
    first = walker.joints.joined(way)
    for opened in islice(walker.joints.cuttings(way), MOST_LISTED):
        key: Key = ()
        choices: list[Choice] = []
        for place, arc in enumerate(way):
            goes_on = first[place] and place not in opened
            if goes_on:
                choices[-1:] = [joined(choices[-1], arc.choices[0]), *arc.choices[1:]]
            else:
                choices += arc.choices
            key += decisions(arc, goes_on=goes_on)
        yield key, tuple(choices)
