"""Random region graphs: a few groups with their roles, in order, and any edges from earlier to later groups."""

from __future__ import annotations

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
            "contracts": (),
            "records": (),
        }
    )
