"""The line about r and h: what each field of the stream schedule did to them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from megasolve.report import explanation_json, explanation_text, solve_json, solve_markdown, solve_table
from megasolve.report.solve.steps import steps_line
from megasolve.solver import Explanation, explain, solve
from tests.support.planning.studies import conventional, group, megakernel, record, spec, study

MODEL = [group("B", "producer"), group("C", "consumer")]
KERNELS = [conventional("B"), conventional("C")]
KNOWN = [record(KERNELS[0], "B", 100), record(KERNELS[1], "C", 10)]


def line(objective: str = "first_publication", **stream: Any) -> str:
    asked = spec(MODEL, stream={"first_chunk": 2, **stream}, policies=["serial"])
    return steps_line(solve(study(asked, KERNELS, KNOWN), objective=objective).results[0].steps)


def test_the_look_ahead_moves_h_alone() -> None:
    assert line(delay=3, lookahead=4) == (
        "steps: first chunk after step r = 5 (delay 3 + first_chunk 2 + right_context 0), "
        "first publication after step h = 9 (delay 3 + first_chunk 2 + lookahead 4)"
    )


def test_a_look_ahead_within_the_right_context_moves_nothing() -> None:
    assert line(right_context=3, lookahead=1) == (
        "steps: first chunk after step r = 5 (delay 0 + first_chunk 2 + right_context 3), "
        "first publication after step h = r (delay 0 + first_chunk 2 + lookahead 1 = 3 is no later)"
    )


def test_interleaved_frames_are_counted_in_steps() -> None:
    assert "r = 3 (delay 0 + first_chunk 3 [2 frames, 4 steps for 3 frames] + right_context 0)" in line(
        interleave={"steps": 4, "frames": 3}
    )


@pytest.mark.parametrize(("stream", "cycle"), [({"next_chunk": 4}, "4 steps (next_chunk 4)"), ({}, "2 steps (first_chunk 2)")])
def test_a_steady_objective_says_what_its_cycle_is(stream: dict[str, int], cycle: str) -> None:
    assert line("producer_step", **stream).startswith(f"steps: a steady cycle is {cycle} and a chunk; first chunk after step r = 2 ")


@pytest.mark.parametrize(
    ("publication", "told"),
    [
        ({"group": "P"}, "steps: the first publication waits for group P and no step (h = 0)"),
        ({"group": "B", "step": 8}, "steps: the first publication waits for group B in step h = 8 (publication.step)"),
    ],
)
def test_without_a_stream_the_publication_says_what_is_waited_for(publication: dict[str, object], told: str) -> None:
    kernels = [conventional("P"), conventional("B")]
    asked = spec([group("P", "admission"), group("B", "producer")], publication=publication, policies=["serial"])
    known = [record(kernels[0], "P", 5), record(kernels[1], "B", 7)]
    assert steps_line(solve(study(asked, kernels, known)).results[0].steps) == told


def test_every_form_says_it() -> None:
    asked = study(spec(MODEL, stream={"first_chunk": 2, "lookahead": 1}, policies=["serial"]), KERNELS, KNOWN)
    result, found = solve(asked), explain(asked, "c:B/c:C@serial")
    assert isinstance(found, Explanation)
    told = steps_line(result.results[0].steps)
    assert all(told in text for text in (solve_table(result), solve_markdown(result), explanation_text(found, spec="model", device="h100")))
    explained = json.loads(explanation_json(found, spec="model", device="h100"))
    for facts in (json.loads(solve_json(result))["results"][0]["steps"], explained["steps"]):
        assert (facts["ready_step"], facts["horizon_step"], facts["first_chunk_steps"]) == (2, 3, 2)
        assert facts["stream"]["lookahead"] == 1


# C94: in serial order the chunk begins after step h; "the producers have slack" was said of 94 % of the time.


def branch_line(candidate: str, **stream: Any) -> str:
    stage, vocoder = megakernel("B", budgets=(132, 88), host_us=0), megakernel("C", budgets=(132, 44), host_us=0)
    known = [record(stage, "B", 77_500, ctas) for ctas in (132, 88)] + [record(vocoder, "C", 4_760, ctas) for ctas in (132, 44)]
    pair = {"producer_ctas": 88, "consumer_ctas": 44}
    found = explain(study(spec(MODEL, stream={"first_chunk": 1, **stream}, budget_pairs=[pair]), [stage, vocoder], known), candidate)
    assert isinstance(found, Explanation)
    return next(one for one in explanation_text(found, spec="model", device="h100").splitlines() if "slack" in one)


@pytest.mark.parametrize("candidate", ["m:B/m:C@serial", "m:B/m:C@fixed:88/44", "m:B/m:C@dynamic:88/44"])
def test_c94_what_runs_one_after_the_other_has_no_slack(candidate: str) -> None:
    told = "one after the other, neither has slack: 77.500 ms up to step h (94.21 %), then 4.760 ms for the chunk (5.79 %)"
    assert branch_line(candidate) == told


@pytest.mark.parametrize("policy", ["fixed", "dynamic"])
def test_steps_beside_the_chunk_have_slack_or_give_it(policy: str) -> None:
    assert branch_line(f"m:B/m:C@{policy}:88/44", lookahead=1) == "producer-bound: the consumer has 72.740 ms of slack"


def test_json_calls_neither_of_two_that_follow_each_other_the_bound() -> None:
    asked = study(spec(MODEL, stream={"first_chunk": 2}, policies=["serial"]), KERNELS, KNOWN)
    found = explain(asked, "c:B/c:C@serial")
    assert isinstance(found, Explanation)
    facts = json.loads(explanation_json(found, spec="model", device="h100"))["branches"]
    assert (facts["bound_by"], facts["in_sequence"], facts["slack_ps"]) == ("both", True, 0)
