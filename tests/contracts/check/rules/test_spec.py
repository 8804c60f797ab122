"""Objectives and publications of a spec; a case from the field."""

from __future__ import annotations

from pathlib import Path

from tests.support.disk.rule_files import SPEC, changed, check_study


# C55: first token and first audio rank the options differently.
def test_c55_the_objective_is_one_of_three_named_times(tmp_path: Path) -> None:
    (finding,) = check_study(tmp_path, changed(SPEC, ("stream:", "objective: latency\nstream:")))
    assert finding.startswith("SCH-04 found 'latency', expected 'first_publication', 'producer_step' or 'chunk_interval'")


def test_c55_first_token_and_first_audio_are_two_specs(tmp_path: Path) -> None:
    first_token = changed(SPEC, ("  - {name: C, role: consumer}\nstream: {first_chunk: 2}\n", "publication: {group: P}\n"))
    assert check_study(tmp_path, first_token) == []
    (finding,) = check_study(tmp_path, changed(SPEC, ("stream:", "publication: {group: P}\nstream:")))
    assert finding.startswith("SPC-12 publication beside a consumer")
