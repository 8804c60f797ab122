"""Random region graphs: a few groups with their roles, in order, and any edges from earlier to later groups."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from hypothesis import strategies as st

from megasolve.contracts import Spec
from tests.support.judges.literal_covers import ROLES, Groups

NAMES = "ABCDEFGH"


@st.composite
def graphs(draw: st.DrawFn, most: int = 5) -> Groups:
    """Draw two to *most* groups; one edge at least, because a spec without any is a chain."""
    roles = sorted(draw(st.lists(st.sampled_from(ROLES), min_size=2, max_size=most)), key=ROLES.index)
    pairs = list(combinations(range(len(roles)), 2))
    edges = draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=len(pairs), unique=True))
    return Groups(tuple(roles), frozenset(edges))


@st.composite
def blocks(draw: st.DrawFn, most: int = 5) -> Groups:
    """Draw groups of which some, of one role, repeat; nothing runs between them."""
    drawn = draw(graphs(most))
    places = range(drawn.count)
    runs = [(first, last) for first in places for last in places if first <= last and drawn.roles[first] == drawn.roles[last]]
    free = [run for run in (tuple(range(first, last + 1)) for first, last in runs) if drawn.is_convex(run)]
    return replace(drawn, block=draw(st.sampled_from(free)))


def spec_of(groups: Groups) -> Spec:
    """Return a spec with these groups, named by letters, and nothing to run them."""
    return Spec.model_validate(
        {
            "megasolve": "spec/v1",
            "name": "drawn",
            "device": "h100",
            "precision": "bf16",
            "batches": (1,),
            "groups": tuple({"name": NAMES[place], "role": role} for place, role in enumerate(groups.roles)),
            "edges": tuple({"from": NAMES[source], "to": NAMES[target]} for source, target in sorted(groups.edges)),
            "repeat": ({"name": "layer", "times": 3, "groups": tuple(NAMES[place] for place in groups.block)},) if groups.block else (),
            "contracts": (),
            "records": (),
        }
    )
