"""Whole studies on region graphs: what may be cut, in which order it runs, and what the first publication waits for."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from megasolve.contracts import Study
from megasolve.solver import Effort, UnknownCandidate, WhyNot, explain, solve
from tests.support.planning.studies import conventional, group, megakernel, record, spec, study

TIMES = {"Q": 1, "E": 3, "F": 5, "B": 20, "X": 11, "L": 13, "C": 40, "T": 17}
ROLES = {"E": "admission", "F": "admission", "C": "consumer", "T": "consumer"}
EDGES = "EB FB BX BL LC LT"
STEPS = 3
APART = "c:E/c:F/c:B/c:X/c:L/c:C/c:T@serial"


def planned(names: str = "EFBXLCT", edges: str = EDGES, fused: Sequence[str] = (), **fields: object) -> Study:
    """Return a study of groups by letters, each a graph of its own, and some *fused*; an edge of kind publication is written `LC!`."""
    written = [{"from": edge[0], "to": edge[1], "kind": "publication" if "!" in edge else "data"} for edge in edges.split()]
    stream = {"delay": 0, "first_chunk": STEPS}
    asked = spec([group(name, ROLES.get(name, "producer")) for name in names], edges=written, stream=stream, policies=["serial"], **fields)
    contracts = [conventional(name) for name in names]
    contracts += [{**megakernel(*members, host_us=0), **_loops(members, names)} for members in fused]
    return study(asked, contracts, [record(one, member, TIMES[member]) for one in contracts for member in one["members"]])


def _loops(members: str, names: str) -> dict[str, bool]:
    return {"loops_on_device": {name for name in names if name not in ROLES} <= {*members}}


def scores(asked: Study) -> dict[str, int]:
    (result,) = solve(asked, effort=Effort(whole=True)).results
    return {row.id: int(row.score_ps) // 10**6 for row in result.ranking}


def test_two_encoders_a_side_branch_and_two_consumers_are_planned() -> None:
    assert scores(planned())[APART] == 3 + 5 + STEPS * (20 + 13) + (STEPS - 1) * 11 + 40 + 17


def test_publication_waits_for_the_consumer_that_an_edge_of_that_kind_marks() -> None:
    marked = scores(planned(edges="EB FB BX BL LC! LT"))[APART]
    assert marked == 3 + 5 + STEPS * (20 + 13) + (STEPS - 1) * 11 + 40


def test_a_producer_that_something_waits_for_runs_in_the_last_step_too() -> None:
    waited = scores(planned(edges="EB FB BX BL XC LC LT"))[APART]
    assert waited == 3 + 5 + STEPS * (20 + 13 + 11) + 40 + 17


@pytest.mark.parametrize(("fused", "region"), [("EF", "m:E+F"), ("CT", "m:C+T"), ("XL", "m:X+L"), ("EB", "m:E+B"), ("BXL", "m:B+X+L")])
def test_groups_that_are_no_run_of_the_spec_can_be_one_launch(fused: str, region: str) -> None:
    assert any(region in name.partition("@")[0].split("/") for name in scores(planned(fused=[fused])))


def test_a_region_that_waits_for_a_later_group_of_the_spec_runs_behind_it() -> None:
    assert "c:F/m:E+B/c:X/c:L/c:C/c:T@serial" in scores(planned(fused=["EB"]))


def test_an_edge_that_makes_a_region_non_convex_excludes_it_with_that_reason() -> None:
    name = "c:E/c:F/c:B/m:X+L/c:C/c:T@serial"
    assert name in scores(planned(fused=["XL"]))
    answer = explain(planned(names="EFBXQLCT", edges="EB FB BX XQ QL LC LT"), "c:E/c:F/c:B/c:Q/m:X+L/c:C/c:T@serial")
    assert isinstance(answer, WhyNot)
    assert [str(cause) for cause in answer.causes] == ["MEM-03 X+L is no region: X -> Q -> L leads out of it and back"]


def test_an_id_whose_regions_wait_for_each_other_is_excluded_by_that() -> None:
    answer = explain(planned(names="EFBLC", edges="EB EL FB FL BC LC", fused=["EB", "FL"]), "m:E+B/m:F+L/c:C@serial")
    assert isinstance(answer, WhyNot)
    assert [str(cause) for cause in answer.causes] == ["MEM-04 these regions wait for each other: E+B -> F+L -> E+B"]


def test_an_id_without_all_groups_is_unknown() -> None:
    assert isinstance(explain(planned(), "c:E/c:F@serial"), UnknownCandidate)


def test_an_entry_whose_members_are_no_region_says_so() -> None:
    (result,) = solve(planned(fused=["EL"]), effort=Effort(whole=True)).results
    (standing,) = (one for one in result.entries if one.entry == "E+L")
    assert [str(one.cause) for one in standing.left_out] == ["MEM-03 E+L is no region: E -> B -> L leads out of it and back"]
