"""Field cases of the planner: each situation was met by somebody, and each number is worked out by hand."""

from __future__ import annotations

import shutil
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from megasolve.contracts import Document, Records, Study, load_spec, load_study
from megasolve.simulate import Objective
from megasolve.simulate.events.engine import simulate
from megasolve.simulate.events.outcome import Outcome
from tests.support.planning.answers import PS_PER_MS, PS_PER_US, cause_codes, explained, first, scores_ms
from tests.support.planning.studies import SHAPE, SPECS, Fields, conventional, group, megakernel, record, spec, stepped, study
from tests.support.simulation.graphs import Sketch

SWEEPS = {"20_12": ("64/64", "21.8", 32), "10_20": ("32/96", "23.6", 30), "16_16": ("48/80", "20.8", 32), "8_30": ("32/96", "35.4", 38)}


def with_accuracy(asked: Study, accuracy: Fraction | None) -> Study:
    return replace(asked, records=tuple(_restated(document, accuracy) for document in asked.records))


def _restated(document: Document[Records], accuracy: Fraction | None) -> Document[Records]:
    records = tuple(one.model_copy(update={"accuracy": accuracy}) for one in document.value.records)
    return replace(document, value=document.value.model_copy(update={"records": records}))


@pytest.mark.parametrize("mix", SWEEPS)
def test_c28_the_best_split_of_measured_sizes_moves_with_the_mix(mix: str) -> None:
    pair, rest_ms, serial_ms = SWEEPS[mix]
    result = first(load_spec(SPECS / "published" / f"tts_sm_sweep_{mix}.yaml"))
    scores = scores_ms(result)
    made_ms = scores["m:AR/m:V@serial"] - serial_ms
    assert result.best == (f"m:AR/m:V@dynamic:{pair}",)
    assert round(float(scores[result.best[0]] - made_ms), 1) == float(rest_ms)


@pytest.fixture
def sweep_copy(tmp_path: Path) -> Path:
    """A copy of one sweep with three more pairs: two that exceed the device and one of sizes that nobody measured."""
    shutil.copytree(SPECS / "published" / "tts_sm_sweep", tmp_path / "tts_sm_sweep")
    text = (SPECS / "published" / "tts_sm_sweep_20_12.yaml").read_text(encoding="utf-8")
    more = "".join(f"  - {{producer_ctas: {x}, consumer_ctas: {y}}}\n" for x, y in ((64, 80), (96, 48), (88, 44)))
    (tmp_path / "sweep.yaml").write_text(text.replace("budget_pairs:\n", f"budget_pairs:\n{more}"), encoding="utf-8")
    for contract in (tmp_path / "tts_sm_sweep" / "contracts").iterdir():
        declared = contract.read_text(encoding="utf-8")
        contract.write_text(
            declared.replace("budgets_ctas: [132, 96, 80, 64, 48, 32]", "budgets_ctas: [132, 96, 88, 80, 64, 48, 44, 32]"), encoding="utf-8"
        )
    return tmp_path / "sweep.yaml"


def test_c28_pairs_that_exceed_the_device_are_excluded(sweep_copy: Path) -> None:
    asked, _ = load_study(sweep_copy)
    assert asked is not None
    result = first(asked)
    for pair in ("64/80", "96/48"):
        assert cause_codes(result, f"m:AR/m:V@dynamic:{pair}") == ["CTA-03"]
        assert cause_codes(result, f"m:AR/m:V@fixed:{pair}") == ["CTA-03"]


def test_c28_sizes_that_nobody_measured_are_excluded_and_not_interpolated(sweep_copy: Path) -> None:
    asked, _ = load_study(sweep_copy)
    assert asked is not None
    assert set(cause_codes(first(asked), "m:AR/m:V@dynamic:88/44")) == {"EVI-01"}


TEN_FRAMES: Fields = {"delay": 0, "first_chunk": 10, "lookahead": 1}


def host_bound(**fields: Any) -> Study:
    """5.7 ms of device time and 1.8 ms of host work per step, then a codec of 12 ms."""
    dispatch = {"kind": "cooperative", "host_waits": True, "host_us": 0, "exposed_us": 1800}
    stage = megakernel("B", budgets=(132, 88), dispatch=dispatch, **fields)
    return stepped(stage, megakernel("C", budgets=(132, 44), host_us=0), 5700, 12_000, TEN_FRAMES)


def test_c44_host_work_in_each_step_is_part_of_the_score() -> None:
    scores = scores_ms(first(host_bound(loops_on_device=False)))
    assert scores["m:B/m:C@dynamic:88/44"] == max(Fraction(87), Fraction("82.5"))
    assert scores["m:B/m:C@serial"] == 11 * Fraction("7.5") + 12


def test_c44_kernel_times_alone_would_be_21_percent_low() -> None:
    scored = scores_ms(first(host_bound(loops_on_device=False)))["m:B/m:C@dynamic:88/44"]
    assert round(float(1 - (10 * Fraction("5.7") + 12) / scored), 2) == 0.21


def test_c44_only_a_contract_that_loops_on_the_device_pays_the_host_once() -> None:
    scores = scores_ms(first(host_bound(loops_on_device=True)))
    assert scores["m:B/m:C@dynamic:88/44"] == Fraction("1.8") + 57 + 12
    assert cause_codes(first(host_bound(loops_on_device=False)), "m:B/m:C@fixed:88/44") == ["POL-03"]


def talker(with_megakernel: bool) -> Study:
    """3.36 s of audio in one go: talker, code predictor, codec and the rest."""
    kernels = [conventional("T"), conventional("Q"), conventional("C")]
    known = [record(kernel, name, ms * 1000) for kernel, name, ms in zip(kernels, "TQC", (814, 2377, 157), strict=True)]
    if with_megakernel:
        trunk = megakernel("T", host_us=0)
        kernels, known = [*kernels, trunk], [*known, record(trunk, "T", 165_000)]
    groups = [group("T", "producer"), group("Q", "producer"), group("C", "consumer")]
    return study(spec(groups, stream={"first_chunk": 1}), kernels, known)


def test_c45_a_megakernel_for_the_smaller_stage_improves_the_whole_only_a_little() -> None:
    scores = scores_ms(first(talker(with_megakernel=True)))
    assert scores["c:T/c:Q/c:C@serial"] == 3348
    assert scores["m:T/c:Q/c:C@serial"] == 2699
    assert round(float(scores["m:T/c:Q/c:C@serial"] / 3360), 3) == 0.803


def test_c45_the_group_to_cut_first_is_the_largest() -> None:
    before = explained(talker(with_megakernel=False), "c:T/c:Q/c:C@serial").largest_group
    after = explained(talker(with_megakernel=True), "m:T/c:Q/c:C@serial").largest_group
    assert (before.group, round(float(before.share), 2)) == ("Q", 0.71)
    assert (after.group, after.given_ps) == ("Q", 2377 * PS_PER_MS)


def llama(device: str) -> Study:
    return load_spec(SPECS / "published" / "llama_1b_decode.yaml", device=device)


@pytest.mark.parametrize(("device", "ratio"), [("h100_sxm", 1.0069), ("h200", 1.0459)])
def test_c46_the_measured_faster_design_comes_first(device: str, ratio: float) -> None:
    rows = first(llama(device)).ranking
    assert [row.id for row in rows] == ["m:D@serial", "c:D@serial"]
    assert round(float(Fraction(rows[1].score_ps) / Fraction(rows[0].score_ps)), 4) == ratio


def test_c46_at_2_percent_the_h100_is_too_close_to_call_and_the_h200_is_not() -> None:
    assert first(llama("h100_sxm")).too_close == ("c:D@serial",)
    assert first(llama("h200")).too_close == ()


@pytest.mark.parametrize("device", ["h100_sxm", "h200"])
def test_c46_at_5_percent_nothing_is_called(device: str) -> None:
    assert first(with_accuracy(llama(device), Fraction(5, 100))).too_close == ("c:D@serial",)


def test_c46_no_margin_is_carried_from_one_device_to_another() -> None:
    asked = llama("h100_sxm")
    (document,) = asked.records
    elsewhere = tuple(one for one in document.value.records if one.device == "h200")
    alone = replace(document, value=document.value.model_copy(update={"records": elsewhere}))
    result = first(replace(asked, records=(alone,)))
    assert result.ranking == ()
    (text,) = [cause.because for cause in result.excluded[1].causes]
    assert "device: h200 against h100_sxm" in text


@pytest.mark.parametrize(("batch", "ratio"), [(1, 292 / 185), (2, 465 / 307), (4, 703 / 453), (8, 1000 / 757)])
def test_c46_the_cohere_megakernel_is_first_at_every_batch(batch: int, ratio: float) -> None:
    rows = first(load_spec(SPECS / "published" / "cohere_decode.yaml"), batches=[batch]).ranking
    assert [row.id for row in rows] == ["m:D@serial", "c:D@serial"]
    assert float(rows[1].score_ps) / float(rows[0].score_ps) == pytest.approx(ratio, rel=1e-6)


def chunked(first_chunk: int, step_us: float, fixed_us: float) -> Fraction:
    """The first publication, in ms, of a stream with d = l = 0; prefill and first decode share the fixed part."""
    kernels = [conventional("P"), conventional("B"), conventional("C")]
    known = [record(kernel, name, us) for kernel, name, us in zip(kernels, "PBC", (fixed_us - 30_000, step_us, 30_000), strict=True)]
    groups = [group("P", "admission"), group("B", "producer"), group("C", "consumer")]
    return scores_ms(first(study(spec(groups, stream={"first_chunk": first_chunk}), kernels, known)))["c:P/c:B/c:C@serial"]


@pytest.mark.parametrize(("frames", "predicted_ms"), [(2, "232.7"), (10, "794.3"), (25, "1847.3")])
def test_c47_the_first_chunk_costs_a_step_per_frame(frames: int, predicted_ms: str) -> None:
    assert chunked(frames, 70_200, 92_300) == Fraction(predicted_ms)


def test_c47_the_measured_slope_is_the_step() -> None:
    assert chunked(25, 70_200, 92_300) - chunked(2, 70_200, 92_300) == 23 * Fraction("70.2")
    assert round((1851 - 233) / 23, 1) == pytest.approx(70.2, abs=0.15)


@pytest.mark.parametrize(
    ("frames", "from_slope", "from_component", "measured"),
    [(2, 265, 276, 266), (4, 362, 384, 362), (8, 557, 600, 556), (12, 752, 816, 753)],
)
def test_c48_an_instrumented_step_predicts_too_much(frames: int, from_slope: int, from_component: int, measured: int) -> None:
    assert int(chunked(frames, 48_700, 167_700)) == from_slope
    component = chunked(frames, 54_000, 167_700)
    assert round(component) == from_component
    assert 1.03 < float(component) / measured < 1.09


def test_c54_a_vocoder_that_holds_the_request_is_named_and_the_producer_has_slack() -> None:
    stage, vocoder = megakernel("B", budgets=(132, 88), host_us=0), megakernel("C", budgets=(132, 44), host_us=0)
    asked = stepped(stage, vocoder, 700_000, 6_800_000, {"first_chunk": 1, "lookahead": 1})
    found = explained(asked, "m:B/m:C@dynamic:88/44")
    assert found.row.score_ps == 7_500 * PS_PER_MS
    assert found.branches is not None
    assert (found.branches.bound_by, found.branches.slack_ps) == ("consumer", 6_100 * PS_PER_MS)
    assert found.largest_group.group == "C"


def test_c54_a_faster_producer_beside_the_vocoder_changes_nothing() -> None:
    stage, vocoder = megakernel("B", budgets=(132, 88), host_us=0), megakernel("C", budgets=(132, 44), host_us=0)
    asked = stepped(stage, vocoder, 700_000, 6_800_000, {"first_chunk": 1, "lookahead": 1})
    (document,) = asked.records
    faster = tuple(
        one.model_copy(update={"duration_ps": one.time_ps // 7}) if one.budget_ctas == 88 else one for one in document.value.records
    )
    quick = replace(asked, records=(replace(document, value=document.value.model_copy(update={"records": faster})),))
    name = "m:B/m:C@dynamic:88/44"
    assert scores_ms(first(quick))[name] == scores_ms(first(asked))[name]


def test_c55_two_objectives_rank_two_designs_differently_and_each_is_echoed() -> None:
    whole, steps, chunked_entry = conventional("P"), conventional("B"), megakernel("P", "B", host_us=0, loops_on_device=True)
    known = [
        record(whole, "P", 43_000),
        record(steps, "B", 10_000),
        record(chunked_entry, "P", 8 * 11_000),
        record(chunked_entry, "B", 5_000),
    ]
    asked = study(spec([group("P", "admission"), group("B", "producer")], publication={"group": "P"}), [whole, steps, chunked_entry], known)
    token, step = first(asked), first(asked, objective=Objective.PRODUCER_STEP)
    assert (token.objective, token.best[0]) == (Objective.FIRST_PUBLICATION, "c:P+B@serial")
    assert (step.objective, step.best) == (Objective.PRODUCER_STEP, ("m:P+B@serial",))
    assert scores_ms(token)["m:P+B@serial"] == 88


def test_c65_candidates_of_equal_score_are_all_returned_in_one_order() -> None:
    stage, codec = conventional("B"), conventional("C")
    persistent = megakernel("B", "C", host_us=0, loops_on_device=True)
    known = [record(one, name, 14_100) for one, name in ((stage, "B"), (codec, "C"), (persistent, "B"), (persistent, "C"))]
    asked = study(spec([group("B", "producer"), group("C", "consumer")], stream={"first_chunk": 1}), [persistent, stage, codec], known)
    runs = [first(asked) for _ in range(2)]
    assert runs[0].best == ("c:B+C@serial", "c:B/c:C@serial", "m:B+C@serial")
    assert {row.score_ps for row in runs[0].ranking} == {28_200 * PS_PER_US}
    assert runs[0] == runs[1]


def test_c66_three_independent_faults_are_all_listed() -> None:
    stage, codec = megakernel("B", budgets=(132, 88)), megakernel("C", budgets=(132, 52), launch={**SHAPE, "shared_bytes": 240_000})
    known = [*(record(stage, "B", 5, ctas) for ctas in (132, 88)), record(codec, "C", 5)]
    pair = {"producer_ctas": 88, "consumer_ctas": 52}
    asked = study(
        spec([group("B", "producer"), group("C", "consumer")], stream={"first_chunk": 1}, budget_pairs=[pair]), [stage, codec], known
    )
    result = first(asked)
    causes = {cause.rule.code: cause.because for cause in next(row for row in result.excluded if row.id == "m:B/m:C@fixed:88/52").causes}
    assert {"CTA-03", "LIM-10", "EVI-01"} <= set(causes)
    assert "140 SMs > 132" in causes["CTA-03"]
    assert "240,000" in causes["LIM-10"]
    assert "232,448" in causes["LIM-10"]
    assert "no record of C on megakernel entry 'C' with 52 CTAs" in causes["EVI-01"]


@pytest.mark.parametrize(("unit_us", "is_tie"), [(1, False), (1000, True)])
def test_c67_times_in_whole_milliseconds_would_tie_what_exact_times_rank(unit_us: int, is_tie: bool) -> None:
    layers_us = (276, 316)
    assert (len({us // unit_us for us in layers_us}) == 1) is is_tie
    separate, combined = (looping_layer(entry) for entry in ("separate", "combined"))
    known = [record(separate, "D", layers_us[0]), record(combined, "D", layers_us[1])]
    layers = [group("D", "producer", calls=16)]
    scores = [
        first(study(spec(layers, publication={"group": "D", "step": 1}), [one], [its])).ranking[0].score_ps
        for one, its in zip((separate, combined), known, strict=True)
    ]
    assert scores == [4416 * PS_PER_US, 5056 * PS_PER_US]
    assert round(scores[1] / scores[0], 3) == 1.145


def looping_layer(entry: str) -> Fields:
    return megakernel("D", entry=entry, host_us=0, loops_on_device=True)


def test_c70_ten_steps_of_a_tenth_are_one_and_a_tie_is_a_tie() -> None:
    steps, once = conventional("B"), conventional("C")
    stage = megakernel("B", "C", host_us=0, loops_on_device=True)
    known = [record(steps, "B", 0.1), record(once, "C", 1), record(stage, "B", 0.1), record(stage, "C", 1)]
    asked = study(spec([group("B", "producer"), group("C", "consumer")], stream={"first_chunk": 10}), [steps, once, stage], known)
    result = first(asked)
    assert {row.score_ps for row in result.ranking} == {2 * PS_PER_US}
    assert len(result.best) == 3
    assert 0.1 + 0.1 + 0.1 != 0.3


def test_c70_three_tasks_at_a_third_of_the_rate_end_together_and_exactly() -> None:
    sketch = Sketch(bandwidth_bytes_per_s=3)
    ends = [sketch.add(name, 7, demand=3) for name in "abc"]
    after = sketch.add("after", 1, *ends)
    outcome = simulate(sketch.graph())
    assert isinstance(outcome, Outcome)
    assert [outcome.finish[node] for node in (*ends, after)] == [21, 21, 21, 22]


def test_c72_each_group_is_reported_as_predicted_and_as_given() -> None:
    asked = load_spec(SPECS / "worked_example.yaml")
    found = explained(asked, "m:P/m:B+L/m:C@serial")
    predicted = {segment.label: segment.elapsed_ps for segment in found.segments if not segment.label.startswith("dispatch")}
    assert predicted == {one.group: one.given_ps for one in found.groups}
    assert sum(predicted.values()) + 3 * 100 * PS_PER_US == found.row.score_ps


def test_c72_parts_that_are_off_in_opposite_directions_do_not_hide_in_the_total() -> None:
    right, wrong = ({one.group: one.given_ps for one in explained(parts(*us), "c:P/c:B@serial").groups} for us in ((58, 35), (7, 86)))
    assert sum(right.values()) == sum(wrong.values())
    assert all(right[name] != wrong[name] for name in "PB")


def parts(prefill_us: int, step_us: int) -> Study:
    prefill, step = conventional("P"), conventional("B")
    groups = [group("P", "admission"), group("B", "producer")]
    known = [record(prefill, "P", prefill_us), record(step, "B", step_us)]
    return study(spec(groups, publication={"group": "B", "step": 1}), [prefill, step], known)
