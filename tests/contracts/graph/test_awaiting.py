"""What the first publication waits for, by the edges of a spec."""

from __future__ import annotations

import pytest

from megasolve.contracts import Spec, dependences_of, unawaited

ROLES = {"P": "admission", "Q": "admission", "B": "producer", "L": "producer", "X": "producer", "C": "consumer", "T": "consumer"}


def spec(groups: str, edges: str, **fields: object) -> Spec:
    """Return a spec; an edge is written `BL`, one that the loop carries `LB'`, one of kind publication `LC!`."""
    listed = tuple({"name": name, "role": ROLES[name]} for name in groups)
    written = tuple(
        {"from": edge[0], "to": edge[1], "distance": int("'" in edge), "kind": "publication" if "!" in edge else "data"}
        for edge in edges.split()
    )
    base = {"megasolve": "spec/v1", "name": "s", "device": "h100", "precision": "bf16", "batches": (1,), "contracts": (), "records": ()}
    return Spec.model_validate({**base, "groups": listed, "edges": written, **fields})


@pytest.mark.parametrize(
    ("groups", "edges", "expected"),
    [
        ("PBLC", "", ""),
        ("PBLC", "PB BL LC", ""),
        ("PBXLC", "PB BX BL LC", "X"),
        ("PBXLC", "PB BX BL LC XB'", ""),
        ("PBXLC", "PB BX BL LC XX'", "X"),
        ("PBCT", "PB BC BT", ""),
        ("PBCT", "PB BC! BT", "T"),
        ("PBXCT", "PB PX BC! XT", "TX"),
        ("PBCT", "PB BC CT!", ""),
        ("PQBC", "PB BC", ""),
    ],
)
def test_publication_waits_for_consumers_and_what_leads_to_them(groups: str, edges: str, expected: str) -> None:
    asked = spec(groups, edges)
    assert unawaited(asked, dependences_of(asked)) == set(expected)


@pytest.mark.parametrize(
    ("groups", "edges", "named", "expected"),
    [
        ("PBL", "", "B", "L"),
        ("PBL", "PB BL LB'", "B", "L"),
        ("PQBX", "PB QX", "B", "X"),
        ("PQB", "", "P", "Q"),
        ("PQB", "PB QB", "Q", "P"),
    ],
)
def test_without_a_consumer_it_waits_for_the_group_of_the_spec_and_what_leads_to_it_in_the_step(
    groups: str, edges: str, named: str, expected: str
) -> None:
    asked = spec(groups, edges, publication={"group": named})
    assert unawaited(asked, dependences_of(asked)) == set(expected)
