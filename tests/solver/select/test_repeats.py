"""Whole studies with a block that repeats inside the step, beside the same model with every repeat written out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from megasolve.contracts import Study
from megasolve.simulate import Detail, lower
from megasolve.solver import Effort, WhyNot, explain, solve
from tests.support.planning.studies import conventional, group, megakernel, record, spec, study

TIMES = {"P": 5, "E": 3, "A": 20, "M": 31, "H": 7, "C": 50}
ROLES = {"P": "admission", "C": "consumer"}
GRAPH = {"kind": "graph", "host_waits": True, "host_us": 4, "exposed_us": 2, "gap_us": 1}
STEPS = 3
SERIAL = {"policies": ["serial"]}


def planned(names: Sequence[str], fused: Sequence[dict[str, Any]] = (), **fields: Any) -> Study:
    """Return a study of groups whose first letters say what they are; *fused* have `members` and whatever else their contracts say."""
    given = {"stream": {"delay": 0, "first_chunk": STEPS, "lookahead": 1}, **fields}
    asked = spec([group(name, ROLES.get(name[0], "producer")) for name in names], **given)
    contracts = [conventional(name, dispatch=GRAPH) for name in names]
    contracts += [megakernel(*one["members"], **{key: value for key, value in one.items() if key != "members"}) for one in fused]
    budgets = {one["entry"]: one.get("budgets_ctas", [132]) for one in contracts}
    return study(
        asked,
        contracts,
        [record(one, name, TIMES[name[0]], budget) for one in contracts for name in one["members"] for budget in budgets[one["entry"]]],
    )


def layered(times: int, fused: Sequence[dict[str, Any]] = (), **fields: Any) -> Study:
    return planned("PEAMHC", fused, repeat={"name": "layer", "times": times, "groups": ["A", "M"]}, **SERIAL | fields)


def unrolled(times: int, fused: Sequence[dict[str, Any]] = ()) -> Study:
    layers = [f"{name}{index}" for index in range(times) for name in "AM"]
    return planned(["P", "E", *layers, "H", "C"], fused, **SERIAL)


def scores(asked: Study) -> dict[str, int]:
    (result,) = solve(asked, effort=Effort(whole=True)).results
    return {row.id.partition("@")[0]: int(row.score_ps) for row in result.ranking}


@pytest.mark.parametrize(
    ("folded", "written_out"),
    [
        ("c:P/c:E/c:A/c:M/c:H/c:C", "c:P/c:E/c:A0/c:M0/c:A1/c:M1/c:H/c:C"),
        ("c:P/c:E/c:A+M/c:H/c:C", "c:P/c:E/c:A0+M0+A1+M1/c:H/c:C"),
        ("c:P/c:E+A+M/c:H/c:C", "c:P/c:E+A0+M0+A1+M1/c:H/c:C"),
        ("c:P/c:E+A+M+H/c:C", "c:P/c:E+A0+M0+A1+M1+H/c:C"),
        ("c:P+E/c:A/c:M/c:H+C", "c:P+E/c:A0/c:M0/c:A1/c:M1/c:H+C"),
    ],
)
def test_a_repeat_scores_as_the_groups_written_out(folded: str, written_out: str) -> None:
    assert scores(layered(2))[folded] == scores(unrolled(2))[written_out]


def test_a_megakernel_that_loops_over_the_repeats_is_one_launch_and_another_one_of_each() -> None:
    looping = scores(layered(2, [{"members": "AM", "loops_over": ["repeat"]}]))["c:P/c:E/m:A+M/c:H/c:C"]
    assert looping == scores(unrolled(2, [{"members": ["A0", "M0", "A1", "M1"]}]))["c:P/c:E/m:A0+M0+A1+M1/c:H/c:C"]
    again = scores(layered(2, [{"members": "AM"}]))["c:P/c:E/m:A+M/c:H/c:C"]
    apart = [{"members": ["A0", "M0"]}, {"members": ["A1", "M1"]}]
    assert again == scores(unrolled(2, apart))["c:P/c:E/m:A0+M0/m:A1+M1/c:H/c:C"]
    assert again > looping


def test_a_megakernel_of_everything_persists_over_repeats_and_steps() -> None:
    fused = [{"members": "EAMH", "loops_over": ["repeat", "steps"]}]
    written = [{"members": ["E", "A0", "M0", "A1", "M1", "H"], "loops_on_device": True}]
    assert scores(layered(2, fused))["c:P/m:E+A+M+H/c:C"] == scores(unrolled(2, written))["c:P/m:E+A0+M0+A1+M1+H/c:C"]


def test_a_block_is_cut_once_for_all_of_its_repeats() -> None:
    # Where the block is a region of a chain of five, it may also be cut in two: 162 covers, and 6 * 6 * 6 in place of 6 * 2 * 6.
    (result,) = solve(layered(28)).results
    assert result.covers == len(result.ranking) + len(result.excluded) == 162 - 72 + 216
    ids = [*(row.id for row in result.ranking), *(row.id for row in result.excluded)]
    cut = {part for name in ids for part in _parts(name) if {"A", "M"} & {*part}}
    assert cut == {"A", "M", "A+M", "E+A+M", "A+M+H", "E+A+M+H", *(f"P+E+A+M{rest}" for rest in ("", "+H", "+H+C")), "A+M+H+C", "E+A+M+H+C"}


def _parts(name: str) -> list[str]:
    return [region[2:] for region in name.partition("@")[0].split("/")]


def test_a_split_needs_a_launch_that_stays_over_the_repeats() -> None:
    pairs = [{"producer_ctas": 88, "consumer_ctas": 44}]
    more: dict[str, Any] = {"budgets": (132, 88, 44)}
    codec = {"members": "C", **more}
    names = "AMC"
    repeat = {"name": "layer", "times": 4, "groups": ["A", "M"]}
    stays = planned(names, [{"members": "AM", "loops_over": ["repeat", "steps"], **more}, codec], repeat=repeat, budget_pairs=pairs)
    assert "m:A+M/m:C@fixed:88/44" in {row.id for row in solve(stays).results[0].ranking}
    leaves = planned(names, [{"members": "AM", "loops_over": [], **more}, codec], repeat=repeat, budget_pairs=pairs)
    answer = explain(leaves, "m:A+M/m:C@dynamic:88/44")
    assert isinstance(answer, WhyNot)
    assert "POL-05" in {cause.rule.code for cause in answer.causes}


@pytest.mark.parametrize("name", ["c:P/c:E/c:A/c:M/c:H/c:C", "c:P/c:E/m:A+M/c:H/c:C", "c:P/c:E/c:A+M/c:H/c:C"])
def test_many_repeats_of_many_steps_cost_what_two_of_two_do(name: str) -> None:
    def graph(times: int, steps: int) -> int:
        asked = layered(times, [{"members": "AM", "loops_over": ["repeat"]}], stream={"first_chunk": steps})
        (row,) = (row for row in solve(asked).results[0].ranking if row.id == f"{name}@serial")
        return len(lower(row.composed.composition, detail=Detail.COMPACT).nodes)

    assert graph(2, 2) == graph(28, 4096)
