"""Measured files: runs by line, what they say of each other, and that no plan takes them for evidence."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from megasolve.contracts import Measured, Place, check_paths, read_document
from tests.support.disk.rule_files import SPEC, check_files

HEAD = '{"megasolve": "measured/v1", "title": "an evening"}\n'
RUN: dict[str, Any] = {
    "session": "an evening",
    "batch": 4,
    "precision": "bf16",
    "device": "gpu",
    "qualified": True,
    "provenance": {"kind": "measured", "source": "a bench", "tool": "cuda events", "date": "2026-11-04"},
}
COMPOSITION = {"candidate": "m:P/m:B@serial", "entries": [["prefill"], ["decode"]], "samples_us": [412.5, 410], "places": [2, 1]}
SIDE = {"groups": ["B"], "backend": "megakernel", "entries": ["decode"], "ctas": 2, "solo_us": [30, 29, 31, 50], "pair_us": [36, 39, 39]}
CONVENTIONAL = {"groups": ["C"], "backend": "conventional", "entries": ["codes", "project"], "solo_us": [8], "pair_us": [60.56]}


def line(**changes: Any) -> str:
    return json.dumps({**RUN, **changes}) + "\n"


def co_run(*, met: int = 2, **producer: Any) -> dict[str, Any]:
    side = {**SIDE, "sms": [0, 1], **producer}
    return {"producer": side, "consumer": CONVENTIONAL, "cooperative": True, "wanted_ctas": 2, "met_ctas": met, "order": ["pair"]}


def measured(text: str) -> Measured:
    document, findings = read_document("runs.jsonl", text)
    assert findings == ()
    assert document is not None
    assert isinstance(document.value, Measured)
    return document.value


def test_a_line_holds_one_run_and_has_its_place() -> None:
    text = HEAD + line(composition=COMPOSITION) + line(co_run=co_run())
    document, findings = read_document("runs.jsonl", text)
    assert findings == ()
    assert document is not None
    assert len(document.value.runs) == 2
    assert document.place(("runs", 1, "batch")) == Place("runs.jsonl", 3, line().index("4") + 1)


def test_an_unfinished_run_never_happened() -> None:
    document, findings = read_document("runs.jsonl", HEAD + line(composition=COMPOSITION) + line(composition=COMPOSITION)[:90])
    assert [finding.rule.code for finding in findings] == ["YML-13"]
    assert document is not None
    assert len(document.value.runs) == 1


def test_a_broken_line_is_a_finding_among_the_runs() -> None:
    _, findings = read_document("runs.jsonl", HEAD + line(composition=COMPOSITION)[:50] + "\n")
    assert [(finding.rule.code, finding.place.line, finding.path) for finding in findings] == [("YML-12", 2, "$.runs")]


def test_runs_in_the_first_line_are_refused_as_records_are() -> None:
    _, findings = read_document("runs.jsonl", '{"megasolve": "measured/v1", "runs": []}\n' + line(composition=COMPOSITION))
    assert [finding.message for finding in findings] == ["the first line is the head: write each run on a line of its own"]


def test_samples_are_exact_and_the_slowdown_is_of_lower_medians() -> None:
    runs = measured(HEAD + line(composition=COMPOSITION) + line(co_run=co_run())).runs
    assert runs[0].composition is not None
    assert runs[0].composition.samples_ps == (412_500_000, 410_000_000)
    assert runs[1].co_run is not None
    assert runs[1].co_run.producer.slowdown == Fraction(39, 30)
    assert runs[1].co_run.consumer.slowdown == Fraction("7.57")


def test_a_side_without_a_time_has_no_slowdown() -> None:
    (run,) = measured(HEAD + line(co_run=co_run(solo_us=[]))).runs
    assert run.co_run is not None
    assert run.co_run.producer.slowdown is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, "MEA-01 a run of nothing; give composition or co_run, exactly one of the two"),
        (
            {"composition": COMPOSITION, "co_run": co_run()},
            "MEA-01 composition and co_run in one run; exactly one of the two: write a run for each",
        ),
        ({"composition": {**COMPOSITION, "samples_us": [], "places": []}}, "MEA-02 qualified, but samples_us is empty; give the times,"),
        (
            {"composition": {**COMPOSITION, "samples_us": [], "places": []}, "qualified": False},
            "MEA-02 did not qualify, without a reason; say why in because",
        ),
        (
            {"composition": COMPOSITION, "qualified": False, "because": "it hangs"},
            "MEA-02 2 times of a run that did not qualify; remove samples_us",
        ),
        ({"co_run": co_run(pair_us=[])}, "MEA-02 qualified, but pair_us is empty; give the times, or remove the run"),
        ({"composition": {**COMPOSITION, "places": [1]}}, "MEA-03 1 place for 2 samples; one for each, from 1"),
        ({"co_run": co_run(met=1)}, "MEA-04 1 of 2 CTAs met; such a run did not qualify"),
        ({"co_run": co_run(sms=[0])}, "MEA-04 the producer has 2 CTAs, and 1 SM for them; such a run did not qualify"),
        (
            {"composition": COMPOSITION, "provenance": {**RUN["provenance"], "kind": "reconstructed"}},
            "MEA-05 reconstructed; only what was measured",
        ),
        ({"composition": COMPOSITION, "provenance": {**RUN["provenance"], "fake": True}}, "MEA-06 run on a stand-in for the hardware"),
    ],
)
def test_a_run_that_cannot_be_believed_is_a_finding(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    (finding,) = check_files(tmp_path, {"runs.jsonl": HEAD + line(**changes)})
    assert finding.startswith(message)


def test_sides_on_one_sm_are_no_co_run(tmp_path: Path) -> None:
    ran = {**co_run(), "consumer": {**SIDE, "sms": [1, 2]}, "wanted_ctas": 4, "met_ctas": 4}
    assert check_files(tmp_path, {"runs.jsonl": HEAD + line(co_run=ran)}) == ["MEA-04 both sides ran on SM 1; such a run did not qualify"]


def test_a_run_without_times_that_says_why_is_clean(tmp_path: Path) -> None:
    ran = co_run(met=1, solo_us=[], pair_us=[], sms=[])
    ran["consumer"] = {**CONVENTIONAL, "solo_us": [], "pair_us": []}
    assert check_files(tmp_path, {"runs.jsonl": HEAD + line(co_run=ran, qualified=False, because="not co-resident: 1 of 2 CTAs met")}) == []


def test_a_measured_file_among_the_records_of_a_spec_is_of_the_wrong_kind(tmp_path: Path) -> None:
    (tmp_path / "runs.jsonl").write_text(HEAD + line(composition=COMPOSITION))
    (tmp_path / "spec.yaml").write_text(SPEC.replace("device.yaml", "h200").replace("records: []", 'records: ["*.jsonl"]'))
    wrong = [finding.message for finding in check_paths([tmp_path / "spec.yaml"]).findings if finding.rule.code == "FIL-03"]
    assert wrong == [f"{tmp_path / 'runs.jsonl'} is a measured/v1 file, expected records/v1"]
