"""Rules of the region graph: edges that say nothing, graphs with too many regions, and members that are no region."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from megasolve.contracts import shipped_specs
from tests.support.disk.rule_files import CONTRACT, SPEC, changed, check_study

FORKED = "[{from: P, to: B}, {from: P, to: L}, {from: B, to: C}, {from: L, to: C}]"


def with_edges(edges: str, spec: str = SPEC) -> str:
    return changed(spec, ("contracts: []", f"edges: {edges}\ncontracts: []"))


@pytest.mark.parametrize(
    ("edge", "message"),
    [
        ("from: P, to: L", "GRP-08 P -> L follows from P -> B -> L and changes nothing; remove it"),
        ("from: B, to: C, kind: publication", "GRP-08 B -> C follows from B -> L -> C and changes nothing; remove it"),
        ("from: L, to: B, distance: 1", None),
    ],
)
def test_an_edge_that_follows_from_others_says_nothing(tmp_path: Path, edge: str, message: str | None) -> None:
    edges = f"[{{from: P, to: B}}, {{from: B, to: L}}, {{from: L, to: C}}, {{{edge}}}]"
    assert check_study(tmp_path, with_edges(edges)) == ([message] if message else [])


def test_an_implied_edge_that_chooses_what_publication_waits_for_says_something(tmp_path: Path) -> None:
    two = changed(SPEC, ("  - {name: C, role: consumer}\n", "  - {name: C, role: consumer}\n  - {name: T, role: consumer}\n"))
    edges = "[{from: P, to: B}, {from: B, to: L}, {from: L, to: C}, {from: L, to: T}, {from: B, to: C, kind: publication}]"
    assert check_study(tmp_path, with_edges(edges, two)) == []


def test_a_long_chain_has_too_many_regions(tmp_path: Path) -> None:
    groups = "".join(f"  - {{name: P{index}, role: admission}}\n" for index in range(632))
    found = check_study(tmp_path, changed(SPEC, ("  - {name: P, role: admission}\n", groups)))
    assert found == ["GRP-09 635 groups in a chain have 201,930 regions > 200,000; join groups that are never cut apart"]


def test_more_groups_than_edges_may_join_are_one_finding(tmp_path: Path) -> None:
    groups = "".join(f"  - {{name: P{index}, role: admission}}\n" for index in range(1100))
    edges = "[" + ", ".join(f"{{from: P{index}, to: B}}" for index in range(1100)) + ", {from: B, to: L}, {from: L, to: C}]"
    found = check_study(tmp_path, with_edges(edges, changed(SPEC, ("  - {name: P, role: admission}\n", groups))))
    assert found == ["GRP-09 1,103 groups > 1,000 that edges may join; join groups that are never cut apart"]


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ("B, L", None),
        ("P, L, C", "REF-13 P, L, C are no region: P -> B -> C leads out of it and back; no design uses 'decode'"),
        ("L, B", "REF-02 L, B are not in the order of the spec; write B, L"),
    ],
)
def test_members_of_a_graph_are_a_region_in_the_order_of_the_spec(tmp_path: Path, members: str, message: str | None) -> None:
    contract = changed(CONTRACT, ("members: [B]", f"members: [{members}]\nloops_on_device: false"))
    found = check_study(tmp_path, with_edges(FORKED), contract=contract)
    assert found == ([message] if message else [])


def test_edges_of_a_chain_are_checked_as_the_chain_without_edges(tmp_path: Path) -> None:
    contract = changed(CONTRACT, ("members: [B]", "members: [P, L]"))
    chained = with_edges("[{from: P, to: B}, {from: B, to: L}, {from: L, to: C}]")
    (first,), (second,) = (check_study(tmp_path, spec, contract=contract) for spec in (SPEC, chained))
    assert first == second == "REF-02 P, L leave out B; members are contiguous groups of the spec: P, B, L"


def test_checking_edges_loads_no_graph_library() -> None:
    program = (
        "import sys; from megasolve.contracts import check_paths; check_paths([sys.argv[1]]);"
        " print([name for name in ('networkx', 'ortools') if name in sys.modules])"
    )
    worked = str(shipped_specs() / "worked_example.yaml")
    assert subprocess.run([sys.executable, "-c", program, worked], check=True, capture_output=True, text=True).stdout == "[]\n"
