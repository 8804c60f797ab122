"""What the first publication waits for: consumers, and whatever leads to them."""

from __future__ import annotations

from collections.abc import Iterable

from ..model.spec import Edge, Spec
from .bits import mask_of, union
from .dependences import Dependences, sources


def unawaited(spec: Spec, dependences: Dependences, edges: Iterable[Edge] | None = None) -> frozenset[str]:
    """Return the groups whose last occurrence the first publication does not wait for; *edges* stand in for those of the spec.

    It waits for the consumers with an edge of kind `publication`, else for all of them, and for every producer that leads to one of these:
    along the loop, too, because the next step waits for what the loop carries. Without a consumer it waits for the group that the spec
    names, and for what leads to that within the same step. Steps wait for all of admission, whatever the edges say.
    """
    admission, producers, consumers = dependences.roles
    places = {name: place for place, name in enumerate(dependences.groups)}
    every = [edge for edge in (spec.edges if edges is None else edges) if {edge.source, edge.target} <= places.keys()]
    ahead = list(sources(dependences.direct))
    if consumers:
        for edge in every:
            if edge.distance:
                ahead[places[edge.target]] |= 1 << places[edge.source]
        marked = mask_of(places[edge.target] for edge in every if edge.kind == "publication") & consumers
        return frozenset(dependences.names((producers | consumers) & ~_leading(ahead, marked or consumers, dependences.blocks)))
    named = mask_of(place for name, place in places.items() if spec.publication and name == spec.publication.group)
    skipping = admission if named & admission else producers
    return frozenset(dependences.names(skipping & ~_leading(ahead, named, dependences.blocks)))


def _leading(ahead: list[int], targets: int, blocks: tuple[int, ...]) -> int:
    """Return *targets* and all from which a way leads to one of them; each repeat of a block leads to the next."""
    found, new = 0, targets
    while new:
        found |= new
        new = (union(tuple(ahead), new) | union(blocks, mask_of(place for place, block in enumerate(blocks) if block & found))) & ~found
    return found
