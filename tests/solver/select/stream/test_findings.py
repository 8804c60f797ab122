"""What is wrong with a plan is a finding for every objective and under every policy, with the chunk at which the sound stops (case C94)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from megasolve.contracts import Study
from megasolve.report import explanation_json, explanation_text, solve_csv, solve_json, solve_markdown, solve_table
from megasolve.simulate import Objective
from megasolve.solver import PLAN_RULES, Explanation, PlanFinding, explain, solve
from megasolve.solver.select.stream.findings import FALLS_BEHIND, HOST_SATURATES, REQUESTS_PILE_UP, SOUND_STOPS
from tests.support.planning.studies import GRAPH, Fields, conventional, group, megakernel, record, spec, study

UNITS: Fields = {"unit_sms": 8, "minimum_sms": 8, "sizes_sms": (88,)}
PAIRS: Fields = {
    "budget_pairs": [{"producer_ctas": 88, "consumer_ctas": 44}],
    "partition_pairs": [{"producer_sms": 88, "consumer_sms": "rest"}],
}
NEEDS: dict[str, tuple[str, ...]] = {"fixed": ("budget_pairs",), "dynamic": ("budget_pairs",), "partition": ("partition_pairs",)}
"""The keys that a policy goes with."""


def working(policy: str, first_chunk: int, step_us: int, chunk_us: int, **stream: Any) -> Study:
    """Steps and chunks that take so long however they run, one frame of 80 ms a step, under *policy*."""
    contracts = [megakernel("B", budgets=(132, 88), host_us=0), megakernel("C", budgets=(132, 44), host_us=0)]
    contracts += [conventional(name, kernels=1, grid_ctas=44, dispatch={**GRAPH, "host_waits": False}) for name in "BC"]
    times = {"B": step_us, "C": chunk_us}
    known = [record(one, one["members"][0], times[one["members"][0]], size) for one in contracts for size in (132, 88, 44)]
    schedule = {"first_chunk": first_chunk, "next_chunk": 1, "frame_us": 80_000, **stream}
    pairs = {key: PAIRS[key] for key in NEEDS.get(policy, ())}
    groups = [group("B", "producer"), group("C", "consumer")]
    return study(spec(groups, stream=schedule, policies=[policy], **pairs), contracts, known, partition=UNITS)


def slow(policy: str, first_chunk: int, **stream: Any) -> Study:
    """82.3 ms of work for each frame: one after the other in serial order, else of the producer alone with the chunk beside it."""
    step_us, chunk_us = (77_540, 4_760) if policy == "serial" else (82_300, 1_000)
    return working(policy, first_chunk, step_us, chunk_us, **stream)


# Chunk k is late if (k - 1) * 82.3 > first * 80 + (k - 2) * 80, which is (k - 1) * 2.3 > (first - 1) * 80: k - 1 is the next whole
# number above 0, 34.8, 104.3 and 834.8.
STOPS = {1: 2, 2: 36, 4: 106, 25: 836}


@pytest.mark.parametrize("policy", ["serial", "fixed", "dynamic", "partition", "streams"])
@pytest.mark.parametrize("objective", Objective)
def test_c94_what_takes_longer_than_its_sound_is_a_finding_and_never_continuous(policy: str, objective: Objective) -> None:
    for first_chunk, stop in STOPS.items():
        (found,) = solve(slow(policy, first_chunk), objective=objective).results
        assert found.best
        (finding,) = found.findings
        assert (finding.rule, finding.subject) == (FALLS_BEHIND, found.best[0])
        assert f"real-time factor 1.029, the sound stops at chunk {stop} (" in finding.because
        assert not any("playback goes on" in note for note in found.notes)
        assert {(row.playback.rate, row.playback.stop, row.keeps_up) for row in found.ranking if row.playback} == {("1.029", stop, False)}


@pytest.mark.parametrize("objective", Objective)
def test_an_utterance_that_ends_in_time_is_not_called_continuous_either(objective: Objective) -> None:
    (found,) = solve(slow("serial", 2, length_steps=36), objective=objective).results
    (finding,) = found.findings
    assert finding.rule == FALLS_BEHIND
    assert finding.because.startswith("playback falls behind, and the utterance ends before the sound does (35 chunks): ")
    assert "in a longer one the sound stops at chunk 36 " in finding.because
    assert found.ranking[0].keeps_up


def test_c52_a_first_chunk_that_is_played_out_too_early_is_a_finding_of_its_own() -> None:
    (finding,) = solve(working("serial", 1, 40_000, 41_000, next_chunk=2)).results[0].findings
    assert finding.rule == SOUND_STOPS
    assert "real-time factor 0.756, the sound stops at chunk 2 " in finding.because


def test_a_plan_that_keeps_up_has_no_finding() -> None:
    result = solve(working("streams", 1, 79_000, 1_000))
    assert result.results[0].findings == ()
    assert not result.has_findings
    assert "findings" not in json.loads(solve_json(result))["results"][0]


def test_a_thread_that_saturates_and_requests_that_pile_up_are_findings_too() -> None:
    eager = [conventional(name, kernels=205, dispatch={**GRAPH, "kind": "stream", "host_us": 400, "exposed_us": 0}) for name in "BC"]
    known = [record(one, one["members"][0], 1_000) for one in eager]
    fields = {"stream": {"first_chunk": 1, "next_chunk": 1, "frame_us": 80_000, "length_steps": 5}, "arrivals": {"requests_per_s": 5}}
    groups = [group("B", "producer"), group("C", "consumer")]
    result = solve(study(spec(groups, policies=["serial"], **fields), eager, known))
    assert [one.rule for one in result.results[0].findings] == [FALLS_BEHIND, HOST_SATURATES, REQUESTS_PILE_UP]
    assert "3 threads would do" in result.results[0].findings[1].because
    assert result.has_findings


def test_every_form_of_the_result_names_the_rule_and_shows_the_real_time_factor() -> None:
    result = solve(slow("serial", 2))
    because = result.results[0].findings[0].because
    facts = json.loads(solve_json(result))["results"][0]
    assert facts["findings"] == [{"rule": "PLN-01", "name": "falls-behind", "because": because, "subject": "c:B+C@serial"}]
    assert facts["notes"] == [f"PLN-01 {because}"]
    text = solve_table(result)
    assert f"\nFINDING: PLN-01 {because}\n" in text
    head, best = (next(line for line in text.splitlines() if word in line) for word in ("  rtf  ", "  best  "))
    assert best[: head.index("rtf") + 3].endswith("1.029")
    markdown = solve_markdown(result)
    assert f"> **Finding:** PLN-01 {because}" in markdown.replace("\\", "")
    assert "| rtf |" in markdown
    assert "1.029" in markdown
    assert f"PLN-01 {because}" in solve_csv(result)


def test_without_frames_the_ranking_has_no_such_column() -> None:
    asked = working("serial", 1, 1_000, 1_000, frame_us=None)
    assert "rtf" not in solve_table(solve(asked))
    assert "rtf" not in solve_markdown(solve(asked))


def test_an_explanation_has_the_findings_of_its_candidate() -> None:
    found = explain(slow("serial", 2), "m:B/m:C@serial")
    assert isinstance(found, Explanation)
    (finding,) = found.findings
    assert finding.subject == "m:B/m:C@serial"
    assert f"FINDING: {finding}" in explanation_text(found, spec="model", device="h100")
    assert json.loads(explanation_json(found, spec="model", device="h100"))["findings"][0]["rule"] == "PLN-01"


def test_the_rules_of_plans_are_all_of_them() -> None:
    assert PLAN_RULES == (FALLS_BEHIND, SOUND_STOPS, HOST_SATURATES, REQUESTS_PILE_UP)
    assert str(PlanFinding(FALLS_BEHIND, "it does", "c:B@serial")) == "PLN-01 it does"
