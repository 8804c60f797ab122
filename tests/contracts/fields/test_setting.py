"""A study with other values: checked as files are, labelled, and otherwise the same."""

from __future__ import annotations

from decimal import Decimal

import pytest

from megasolve.contracts import CheckFailed, Study, load_spec
from megasolve.contracts.fields.named import named_fields
from megasolve.contracts.fields.path import UnusableField
from megasolve.contracts.fields.setting import parse_setting, with_settings, with_value
from tests.support.command import CHECKOUT
from tests.support.planning.studies import group, megakernel, record, spec
from tests.support.planning.studies import study as study_of


@pytest.fixture(scope="module")
def nh_tts() -> Study:
    return load_spec(CHECKOUT / "specs/nh_tts.yaml")


def changed(study: Study, *words: str) -> Study:
    """Return *study* with what the words of a command line set."""
    return with_settings(study, list(map(parse_setting, words)))


def test_a_value_replaces_what_the_file_has_and_nothing_else_changes(nh_tts: Study) -> None:
    study = changed(nh_tts, "stream.lookahead=3")
    assert nh_tts.spec.value.stream is not None
    assert study.spec.value == nh_tts.spec.value.model_copy(update={"stream": nh_tts.spec.value.stream.model_copy(update={"lookahead": 3})})
    assert (study.device, study.contracts, study.records) == (nh_tts.device, nh_tts.contracts, nh_tts.records)


def test_a_study_says_what_was_set_and_what_the_file_has(nh_tts: Study) -> None:
    (setting,) = changed(nh_tts, "records[group=B,entry=B+L,budget=88,batch=32].duration_us=3000.5").settings
    (field,) = setting.fields
    assert str(setting) == "records[group=B,entry=B+L,budget=88,batch=32].duration_us = 3000.5"
    assert field.before == Decimal(3130)
    assert str(field).endswith("batch_32.yaml:29:37 $.records[7].duration_us (in the file: 3130)")
    assert not nh_tts.settings


def test_times_count_in_the_units_of_files(nh_tts: Study) -> None:
    study = changed(nh_tts, "contracts[B+L].dispatch.host_us=0.000001")
    (contract,) = [one.value for one in study.contracts if one.value.entry == "B+L"]
    assert contract.dispatch.host_ps == 1


def test_a_time_stands_in_for_the_samples_of_a_record() -> None:
    prefill = megakernel("P")
    timed = {key: value for key, value in record(prefill, "P", 1).items() if key != "duration_us"} | {"samples_us": [5, 6, 9]}
    study = study_of(spec([group("P", "admission")], publication={"group": "P"}), [prefill], [timed])
    path = "records[group=P].duration_us"
    after = with_value(study, path, named_fields(study, path), 7).records[0].value.records[0]
    assert study.records[0].value.records[0].samples_ps is not None
    assert (after.samples_ps, after.time_ps) == (None, 7_000_000)


def test_a_figure_of_a_device_needs_no_source_to_be_asked_about(nh_tts: Study) -> None:
    assert changed(nh_tts, "device.hbm_latency_us=0.6").device.value.hbm_latency_ps == 600_000


def test_a_whole_number_may_be_written_with_a_point(nh_tts: Study) -> None:
    assert changed(nh_tts, "groups[B].calls=2.0").spec.value.groups[1].calls == 2


@pytest.mark.parametrize(
    ("words", "because"),
    [
        (["stream.lookahead=-1"], "stream.lookahead: found -1, expected a whole number, 0 or more"),
        (["stream.lookahead=1.5"], "expected a whole number"),
        (["contracts[B+L].dispatch.host_us=.nan"], "finite"),
        (["contracts[B+L].dispatch.host_us=0.0000001"], "at most 6 decimal places"),
        (["contracts[B+L].dispatch.host_us=much"], "write the number alone"),
        (["stream.lookahead="], "'' is no value"),
        (["stream.lookahead=[1"], "'[1' is no value"),
        (["stream.lookahead"], "sets nothing: write PATH=VALUE"),
        (["records[group=B].duration_us"], "sets nothing: write PATH=VALUE"),
        (["stream.lookahead=1", "spec.stream.lookahead=2"], "sets specs/nh_tts.yaml:25:47 $.stream.lookahead again"),
    ],
)
def test_a_value_that_the_field_does_not_take_is_refused(words: list[str], because: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)
    with pytest.raises(UnusableField) as caught:
        changed(load_spec("specs/nh_tts.yaml"), *words)
    assert because in str(caught.value)


def test_values_that_contradict_the_rest_are_findings_of_the_rules(nh_tts: Study) -> None:
    with pytest.raises(CheckFailed, match="DEV-03 9,000,000,000,000 bytes/s sustained over a peak"):
        changed(nh_tts, "device.hbm_sustained_bytes_per_s=9e12")
    with pytest.raises(CheckFailed, match="REC-09"):
        changed(nh_tts, "records[group=B,entry=B+L,budget=88,batch=32].duration_us=0.0001")


def test_two_figures_that_fit_only_together_may_be_set_together(nh_tts: Study) -> None:
    study = changed(nh_tts, "device.hbm_sustained_bytes_per_s=9e12", "device.hbm_peak_bytes_per_s=9.1e12")
    assert study.device.value.hbm_sustained_bytes_per_s == 9_000_000_000_000
