"""Rules of the region graph: edges that say nothing, graphs with too many regions, members that are no region, and blocks that repeat."""

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


def repeating(repeat: str, more: str = "") -> str:
    return changed(SPEC, ("contracts: []", f"repeat: {repeat}\n{more}contracts: []"))


@pytest.mark.parametrize(
    ("repeat", "message"),
    [
        ("{name: layer, times: 28, groups: [B, L]}", None),
        ("[{name: layer, times: 28, groups: [B, L]}, {name: codec, times: 2, groups: [C]}]", None),
        ("{name: layer, times: 100000, groups: [B]}", None),
        ("{name: layer, times: 0, groups: [B]}", "SCH-04 found 0, expected a whole number from 1 to 100,000"),
        ("{name: layer, times: 1000000000, groups: [B]}", "SCH-04 found 1000000000, expected a whole number from 1 to 100,000"),
        ("{name: layer, times: 2, groups: []}", "SCH-04 found [], expected a list of at least 1"),
        ("{name: layer, times: 2, groups: [b]}", "GRP-10 'b' is no group of this spec; did you mean 'B'?"),
        (
            "{name: layer, times: 2, groups: [B, B]}",
            "GRP-10 'B' is in this repeat already; calls on the group says how often it runs in each",
        ),
        (
            "{name: layer, times: 2, groups: [L, C]}",
            "GRP-10 L, C have the roles producer, consumer; a repeat stands inside one role: make one for each",
        ),
        ("{name: layer, times: 2, groups: [L, B]}", "GRP-10 L, B are not in the order of the spec; write B, L"),
        (
            "[{name: a, times: 2, groups: [B, L]}, {name: b, times: 2, groups: [L]}]",
            "GRP-10 'L' is in repeat 'a' already; repeats do not nest and share no group",
        ),
        ("[{name: a, times: 2, groups: [B]}, {name: a, times: 2, groups: [L]}]", "GRP-10 'a' is the name of repeat 1 already; rename one"),
        ("{name: layer, times: 2, groups: [{name: x, times: 2, groups: [B]}]}", "SCH-03 found a mapping, expected text"),
    ],
)
def test_a_repeat_is_a_block_of_consecutive_groups_of_one_role(tmp_path: Path, repeat: str, message: str | None) -> None:
    assert check_study(tmp_path, repeating(repeat)) == ([message] if message else [])


def test_nothing_runs_between_the_groups_of_a_repeat(tmp_path: Path) -> None:
    three = changed(
        repeating("{name: layer, times: 2, groups: [B, M]}"),
        ("role: producer}\n  - {name: C", "role: producer}\n  - {name: M, role: producer}\n  - {name: C"),
    )
    expected = ["GRP-10 L runs between the groups of repeat 'layer'; a repeat holds all that runs in it"]
    assert check_study(tmp_path, three) == expected
    edges = "edges: [{from: P, to: B}, {from: B, to: L}, {from: B, to: M}, {from: L, to: C}, {from: M, to: C}]\n"
    assert check_study(tmp_path, changed(three, ("contracts: []", edges + "contracts: []"))) == []


@pytest.mark.parametrize(
    ("members", "loops", "message"),
    [
        ("B", "", None),
        ("B, L", "loops_over: [repeat, steps]", None),
        ("B, L", "loops_over: [repeat]", None),
        ("B, L", "loops_over: []", None),
        ("P, B, L", "loops_over: [repeat]", None),
        ("B", "loops_over: [repeat]", "REF-15 loops over a repeat, but holds none whole; leave 'repeat' out"),
        (
            "B, L",
            "loops_on_device: true",
            "REF-15 holds repeat 'layer' and loops over the steps, so its 28 repeats are one launch: say loops_over: [repeat, steps]",
        ),
        ("B, L, C", "loops_over: []", "REF-15 holds repeat 'layer' and more, so its 28 repeats are one launch: say loops_over: [repeat]"),
        ("B", "loops_over: [steps]", "REF-05 loops over the steps, but leaves out producer L; leave 'steps' out"),
        (
            "B, L",
            "",
            "REF-04 holds every producer group; say loops_on_device: true if one launch runs all steps, false if each step is a launch",
        ),
    ],
)
def test_a_launch_says_what_it_loops_over(tmp_path: Path, members: str, loops: str, message: str | None) -> None:
    contract = changed(CONTRACT, ("members: [B]", f"members: [{members}]\n{loops}"))
    found = check_study(tmp_path, repeating("{name: layer, times: 28, groups: [B, L]}"), contract=contract)
    assert found == ([message] if message else [])


@pytest.mark.parametrize(
    ("loops", "message"),
    [
        ("loops_over: [steps]\nloops_on_device: true", "CON-13 loops_on_device beside loops_over, which says it all; remove it"),
        ("loops_over: [steps, steps]", "CON-13 'steps' is number 1 of the list already; remove one of the two"),
        ("loops_over: [layers]", "SCH-04 found 'layers', expected 'repeat' or 'steps'"),
    ],
)
def test_a_loop_is_said_once(tmp_path: Path, loops: str, message: str) -> None:
    contract = changed(CONTRACT, ("members: [B]", f"members: [B, L]\n{loops}"))
    assert message in check_study(tmp_path, SPEC, contract=contract)
