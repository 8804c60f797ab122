"""Two streams inside of a role by hand: a shared expert beside the routed ones, two encoders beside each other. Times in us."""

from __future__ import annotations

import json
from typing import Any

from megasolve.contracts import Study
from megasolve.report import explanation_json, explanation_text
from megasolve.simulate import Objective
from megasolve.simulate.plan.candidate import candidates
from megasolve.simulate.plan.counting import count_candidates
from megasolve.simulate.plan.region_graph import region_graph
from megasolve.solver import Explanation, explain, solve
from megasolve.solver.select.told.notes import BEST_CASE
from tests.support.planning.answers import first, score_us
from tests.support.planning.studies import GRAPH, LAUNCH, Fields, conventional, group, megakernel, record, spec, study

RUNS_AHEAD: Fields = {**GRAPH, "host_waits": False}
INSIDE: Fields = {"policies": ["serial", "streams"], "streams": {"inside": True}}
# A, then the routed experts E beside the shared expert S, then D, which needs both.
EDGES = [{"from": "A", "to": "E"}, {"from": "A", "to": "S"}, {"from": "E", "to": "D"}, {"from": "S", "to": "D"}]
TIMES = {"A": 100, "E": 300, "S": 200, "D": 50}
APART = "c:A/c:E/c:S/c:D"


def kernel(name: str, ctas: int, **fields: Any) -> Fields:
    return conventional(name, **{"kernels": 1, "dispatch": RUNS_AHEAD, "grid_ctas": ctas, **fields})


def experts(ctas: int = 44, steps: int = 3, others: tuple[Fields, ...] = (), **fields: Any) -> Study:
    """Steps of a layer on kernels of *ctas* blocks; *others* are contracts as (contract, its record) pairs' first halves."""
    contracts = [kernel(name, ctas, **fields.pop(name, {})) for name in TIMES]
    known = [record(one, one["members"][0], TIMES[one["members"][0]]) for one in contracts]
    for one in others:
        contracts.append(one)
        known += [record(one, name, TIMES[name], one["budgets_ctas"][0]) for name in one["members"]]
    groups = [group(name, "producer") for name in TIMES]
    about = {**INSIDE, "edges": EDGES, "publication": {"group": "D", "step": steps}, **fields}
    return study(spec(groups, **about), contracts, known)


def test_narrow_kernels_overlap_and_join_where_something_waits_for_both() -> None:
    found = first(experts())
    assert score_us(found, f"{APART}@serial") == 3 * (100 + 300 + 200 + 50)
    assert score_us(found, f"{APART}@streams:inside") == 3 * (100 + max(300, 200) + 50)
    assert found.best[0].endswith("@streams:inside")


def test_explain_says_what_runs_on_the_second_stream() -> None:
    told = explain(experts(), f"{APART}@streams:inside")
    assert isinstance(told, Explanation)
    assert told.picture is not None
    assert {one.group: one.stream for one in told.picture.groups} == {"A": 1, "E": 1, "S": 2, "D": 1}
    assert "S      c:S     producer  on the second stream" in explanation_text(told, spec="model", device="h100")
    facts = json.loads(explanation_json(told, spec="model", device="h100"))
    assert [one["stream"] for one in facts["graph"]] == [1, 1, 2, 1]
    serial = explain(experts(), f"{APART}@serial")
    assert isinstance(serial, Explanation)
    assert "stream" not in json.loads(explanation_json(serial, spec="model", device="h100"))["graph"][0]


def test_wide_kernels_alternate_so_nothing_is_won() -> None:
    found = first(experts(132))
    assert score_us(found, f"{APART}@streams:inside") == 3 * (100 + 300 + 200 + 50)


def test_a_chain_has_nothing_to_fork_and_is_the_serial_design() -> None:
    found = first(experts(edges=[]))
    rows = {row.id: row for row in found.ranking}
    for name, row in rows.items():
        if name.endswith("@streams:inside"):
            assert row.same_as is not None
            assert row.score_ps == rows[name.replace("@streams:inside", "@serial")].score_ps


def test_regions_with_both_branches_have_no_fork() -> None:
    found = first(experts())
    assert score_us(found, "c:A/c:E+S/c:D@streams:inside") == score_us(found, "c:A/c:E+S/c:D@serial") == 3 * 650
    assert score_us(found, "c:A+E/c:S/c:D@streams:inside") == 3 * 650


def test_it_is_off_by_default_and_says_that_it_is_a_best_case() -> None:
    off = first(experts(policies=["serial"], streams={}))
    assert not any("streams" in row.id for row in off.ranking)
    found = first(experts())
    assert all((BEST_CASE in row.notes) == row.id.endswith("@streams:inside") for row in found.ranking)


def test_only_groups_that_are_apart_need_a_width_and_bytes() -> None:
    contracts = [conventional(name, dispatch=RUNS_AHEAD) for name in TIMES]
    known = [record(one, one["members"][0], TIMES[one["members"][0]]) for one in contracts]
    groups = [group(name, "producer") for name in TIMES]
    asked = spec(groups, **INSIDE, edges=EDGES, publication={"group": "D", "step": 1})
    (row,) = [row for row in first(study(asked, contracts, known)).excluded if row.id == f"{APART}@streams:inside"]
    assert {cause.rule.code for cause in row.causes} == {"POL-06"}
    assert {cause.subject for cause in row.causes} == {"E_graph", "S_graph"}


def test_a_megakernel_that_leaves_sms_runs_beside_kernels_and_one_that_holds_all_does_not() -> None:
    for budget, step in ((66, 100 + max(300, 200) + 50), (132, 100 + 300 + 200 + 50)):
        shared = megakernel(
            "S", budgets=(budget,), host_us=0, loops_on_device=False, dispatch={**LAUNCH, "host_us": 0, "host_waits": False}
        )
        assert score_us(first(experts(steps=2, others=(shared,))), "c:A/c:E/m:S/c:D@streams:inside") == 2 * step


def test_two_encoders_of_admission_fork_and_a_chunk_follows_the_steps() -> None:
    contracts = [kernel(name, 44) for name in "PQBC"]
    times = {"P": 400, "Q": 300, "B": 100, "C": 250}
    known = [record(one, one["members"][0], times[one["members"][0]]) for one in contracts]
    groups = [group("P", "admission"), group("Q", "admission"), group("B", "producer"), group("C", "consumer")]
    edges = [{"from": one, "to": other} for one, other in ("PB", "QB", "BC")]
    asked = spec(groups, **INSIDE, edges=edges, stream={"first_chunk": 2, "next_chunk": 2, "frame_us": 1000})
    found = first(study(asked, contracts, known))
    assert score_us(found, "c:P/c:Q/c:B/c:C@streams:inside") == max(400, 300) + 2 * 100 + 250
    told = explain(study(asked, contracts, known), "c:P/c:Q/c:B/c:C@streams:inside")
    assert isinstance(told, Explanation)
    assert told.branches is not None
    assert told.branches.in_sequence
    assert sum(segment.elapsed_ps for segment in told.segments) == told.row.score_ps


def test_steady_times_have_the_forks_too() -> None:
    stream = {"first_chunk": 1, "next_chunk": 1}
    groups = [*(group(name, "producer") for name in TIMES), group("C", "consumer")]
    contracts = [kernel(name, 44) for name in (*TIMES, "C")]
    known = [record(one, one["members"][0], {**TIMES, "C": 70}[one["members"][0]]) for one in contracts]
    asked = study(spec(groups, **INSIDE, edges=[*EDGES, {"from": "D", "to": "C"}], stream=stream), contracts, known)
    found = solve(asked, objective=Objective.CHUNK_INTERVAL).results[0]
    assert score_us(found, f"{APART}/c:C@streams:inside") == 100 + 300 + 50 + 70
    assert score_us(found, f"{APART}/c:C@serial") == 650 + 70


def test_candidates_are_counted_and_listed_alike() -> None:
    asked = experts()
    graph = region_graph(asked.spec.value)
    listed = [*candidates(asked.spec.value, graph)]
    assert len(listed) == count_candidates(graph, asked.spec.value)
    found = first(asked)
    assert found.candidates == len(listed)
    assert [one for one in map(str, listed) if one.startswith(f"{APART}@")] == [f"{APART}@serial", f"{APART}@streams:inside"]
