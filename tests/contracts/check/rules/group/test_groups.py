"""Rules of edges between groups, in the turns that their accepted and rejected files do not show."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from tests.support.disk.rule_files import SPEC, changed, check_study, codes_of


def edges(*rows: str) -> str:
    """Return the spec of groups P, B, L and C with these edges."""
    return changed(SPEC, ("contracts: []", f"edges: [{', '.join(f'{{{row}}}' for row in rows)}]\ncontracts: []"))


def test_a_cycle_of_three_groups_is_named_in_full(tmp_path: Path) -> None:
    (finding,) = check_study(tmp_path, edges("from: P, to: B", "from: B, to: L", "from: L, to: P"))
    assert finding.startswith("GRP-04 cycle P -> B -> L -> P within one step")


def test_each_edge_that_closes_a_cycle_is_reported(tmp_path: Path) -> None:
    rows = ("from: P, to: B", "from: B, to: L", "from: L, to: B", "from: L, to: P")
    assert codes_of(check_study(tmp_path, edges(*rows))) == ["GRP-04", "GRP-04"]


def test_cycles_do_not_depend_on_the_order_of_edges(tmp_path: Path) -> None:
    rows = ("from: P, to: B", "from: B, to: L", "from: L, to: P")
    messages = {tuple(check_study(tmp_path, edges(*order))) for order in permutations(rows)}
    assert len(messages) == 1


@pytest.mark.parametrize("edge", ["from: C, to: B", "from: C, to: B, kind: state", "from: B, to: P"])
def test_nothing_flows_back_within_a_step(tmp_path: Path, edge: str) -> None:
    assert codes_of(check_study(tmp_path, edges(edge))) == ["GRP-06"]


@pytest.mark.parametrize("edge", ["from: C, to: B", "from: C, to: C", "from: P, to: B"])
def test_only_producers_are_joined_from_step_to_step(tmp_path: Path, edge: str) -> None:
    assert codes_of(check_study(tmp_path, edges(f"{edge}, distance: 1"))) == ["GRP-05"]


def test_an_edge_to_an_unknown_group_is_one_fault(tmp_path: Path) -> None:
    (finding,) = check_study(tmp_path, edges("from: b, to: L"))
    assert finding == "GRP-01 'b' is no group of this spec; did you mean 'B'?"


@pytest.mark.parametrize(
    ("edges", "messages"),
    [
        ("[]", []),
        ("[{from: P, to: B}, {from: B, to: L}, {from: L, to: C}]", []),
        ("[{from: B, to: L}, {from: L, to: C}]", ["no edge touches admission 'P'"]),
        ("[{from: L, to: B, distance: 1}]", []),
        ("[{from: P, to: B}, {from: B, to: C}]", ["no edge touches producer 'L'"]),
        ("[{from: P, to: B}, {from: B, to: L}]", ["no edge touches consumer 'C'"]),
        ("[{from: P, to: C}, {from: B, to: L}]", ["no edges lead from a producer to consumer 'C'"]),
        ("[{from: B, to: X}]", ["'X' is no group of this spec"]),
    ],
)
def test_edges_leave_no_group_out(tmp_path: Path, edges: str, messages: list[str]) -> None:
    found = check_study(tmp_path, SPEC + f"edges: {edges}\n")
    assert [message[7:].partition(";")[0] for message in found] == messages
