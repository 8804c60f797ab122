"""Objectives and publications of a spec; a case from the field."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.disk.rule_files import SPEC, changed, check_study, codes_of


# C55: first token and first audio rank the options differently.
def test_c55_the_objective_is_one_of_three_named_times_or_the_capacity(tmp_path: Path) -> None:
    (finding,) = check_study(tmp_path, changed(SPEC, ("stream:", "objective: latency\nstream:")))
    assert finding.startswith("SCH-04 found 'latency', expected 'first_publication', 'producer_step', 'chunk_interval' or 'capacity'")


@pytest.mark.parametrize(
    ("stated", "message"),
    [("[]", "SCH-04 found [], expected a list"), ("[first_publication, x]", "SCH-04 found 'x', expected 'first_publication'")],
)
def test_a_list_of_objectives_has_one_or_more_of_them(tmp_path: Path, stated: str, message: str) -> None:
    (finding,) = check_study(tmp_path, changed(SPEC, ("stream:", f"objective: {stated}\nstream:")))
    assert finding.startswith(message)


def test_c55_first_token_and_first_audio_are_two_specs(tmp_path: Path) -> None:
    first_token = changed(SPEC, ("  - {name: C, role: consumer}\nstream: {first_chunk: 2}\n", "publication: {group: P}\n"))
    assert check_study(tmp_path, first_token) == []
    (finding,) = check_study(tmp_path, changed(SPEC, ("stream:", "publication: {group: P}\nstream:")))
    assert finding.startswith("SPC-12 publication beside a consumer")


def test_a_spec_of_one_admission_group_works(tmp_path: Path) -> None:
    groups = "groups:\n  - {name: P, role: admission}\npublication: {group: P}\n"
    assert check_study(tmp_path, SPEC[: SPEC.index("groups:")] + groups + "contracts: []\nrecords: []\n") == []


def test_an_admission_group_publishes_without_a_step(tmp_path: Path) -> None:
    groups = "groups:\n  - {name: P, role: admission}\npublication: {group: P, step: 1}\n"
    (finding,) = check_study(tmp_path, SPEC[: SPEC.index("groups:")] + groups + "contracts: []\nrecords: []\n")
    assert finding == "SPC-16 step 1 of 'P', an admission group, which runs once; remove step"


def test_the_default_policies_apply_to_a_spec_without_a_consumer(tmp_path: Path) -> None:
    spec = changed(SPEC, ("  - {name: C, role: consumer}\nstream: {first_chunk: 2}\n", "publication: {group: L, step: 1}\n"))
    assert check_study(tmp_path, spec) == []
    assert codes_of(check_study(tmp_path, spec + "policies: [fixed, serial, dynamic]\n")) == ["SPC-08", "SPC-08"]


@pytest.mark.parametrize(
    ("stream", "missing"),
    [
        ("first_chunk: 2, next_chunk: 2, frame_us: 80000", ""),
        ("first_chunk: 2, next_chunk: 2", "stream.next_chunk and stream.frame_us, what a later chunk plays"),
        ("first_chunk: 2, frame_us: 80000", "stream.next_chunk and stream.frame_us, what a later chunk plays"),
    ],
)
@pytest.mark.parametrize("stated", ["capacity", "[first_publication, capacity]"])
def test_a_capacity_needs_to_know_what_a_later_chunk_plays(tmp_path: Path, stated: str, stream: str, missing: str) -> None:
    (written,) = (line for line in SPEC.splitlines() if line.startswith("stream:"))
    findings = check_study(tmp_path, changed(SPEC, (written, f"objective: {stated}\nstream: {{{stream}}}")))
    said = f"SPC-10 'capacity' needs {missing}; add it or choose another objective: first_publication is always possible"
    assert findings == ([said] if missing else [])


@pytest.mark.parametrize(("objective", "is_possible"), [("first_publication", True), ("producer_step", True), ("chunk_interval", False)])
def test_an_objective_is_a_time_that_the_stream_declares(tmp_path: Path, objective: str, is_possible: bool) -> None:
    findings = check_study(tmp_path, changed(SPEC, ("stream:", f"objective: {objective}\nstream:")))
    assert codes_of(findings) == ([] if is_possible else ["SPC-10"])


def test_a_publication_that_only_the_lookahead_makes_impossible_names_its_step(tmp_path: Path) -> None:
    (finding,) = check_study(tmp_path, changed(SPEC, ("{first_chunk: 2}", "{first_chunk: 2, lookahead: 3, length_steps: 4}")))
    assert "the utterance has 4 steps, its publication waits for step 5" in finding


@pytest.mark.parametrize(("policies", "named"), [("[fixed]", "'fixed'"), ("[dynamic, fixed]", "'dynamic' and 'fixed'")])
def test_splits_alone_without_a_pair_leave_no_candidate(tmp_path: Path, policies: str, named: str) -> None:
    (finding,) = check_study(tmp_path, changed(SPEC, ("stream:", f"policies: {policies}\nstream:")))
    assert finding.startswith(f"SPC-22 {named} without budget_pairs: no candidate is left")
    assert check_study(tmp_path, changed(SPEC, ("stream:", "policies: [serial, fixed]\nstream:"))) == []


@pytest.mark.parametrize(
    ("rate", "expected"),
    [("0", "a number above 0, at most 1,000,000"), ("-1", "a number from 0 to 1,000,000"), ("2e6", "a number from 0 to 1,000,000")],
)
def test_requests_that_never_come_and_too_many_are_out_of_range(tmp_path: Path, rate: str, expected: str) -> None:
    (finding,) = check_study(tmp_path, changed(SPEC, ("stream:", f"arrivals: {{requests_per_s: {rate}}}\nstream:")))
    assert finding.endswith(f"expected {expected}")
