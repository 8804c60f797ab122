"""Entries that were built for some devices: on those they are part of a study, on any other they do not exist."""

from __future__ import annotations

from pathlib import Path

from megasolve.contracts import check_paths, load_spec, load_study
from tests.support.disk.files import CONTRACT, DEVICE, SPEC, codes, write, write_study

SECOND = CONTRACT.replace("entry: talker", "entry: second_talker\ndevices: [second]")
TOO_LARGE = "shared_bytes: 1024"


def _study(folder: Path, second: str = SECOND, **changed: str) -> str:
    spec = SPEC.replace("device: h100.yaml", "device: h100.yaml\nother_devices: [two.yaml]")
    write(folder, "two.yaml", DEVICE.replace("name: h100", "name: second"))
    write(folder, "contracts/second.yaml", second)
    return write_study(folder, **{"spec": spec, **changed})


def test_an_entry_exists_on_the_devices_that_it_was_built_for(tmp_path: Path) -> None:
    spec = _study(tmp_path)
    here, there = load_spec(spec), load_spec(spec, device="second")
    assert [one.value.entry for one in here.contracts] == ["talker"]
    assert [one.value.entry for one in here.elsewhere] == ["second_talker"]
    assert [one.value.entry for one in there.contracts] == ["second_talker", "talker"]
    assert there.elsewhere == ()


def test_a_limit_of_a_device_says_nothing_of_an_entry_that_was_not_built_for_it(tmp_path: Path) -> None:
    spec = _study(tmp_path, SECOND.replace(TOO_LARGE, "shared_bytes: 240000"))
    assert codes(check_paths([spec]).findings) == []
    assert codes(check_paths([spec], device=str(tmp_path / "two.yaml")).findings) == ["LIM-10"]


def test_a_contract_checked_alone_is_held_against_its_own_devices_only(tmp_path: Path) -> None:
    alone = write(tmp_path, "alone.yaml", SECOND.replace(TOO_LARGE, "shared_bytes: 240000").replace("second]", "h200]"))
    assert [codes(check_paths([alone], device=name).findings) for name in ("h100_nvl", "h200")] == [[], ["LIM-10"]]


def test_what_is_wrong_in_a_contract_itself_is_found_on_every_device(tmp_path: Path) -> None:
    spec = _study(tmp_path, SECOND.replace("members: [P]", "members: [P, P]"))
    assert codes(check_paths([spec]).findings) == ["CON-01"]


def test_two_entries_have_different_names_also_on_different_devices(tmp_path: Path) -> None:
    _, findings = load_study(spec := _study(tmp_path, SECOND.replace("second_talker", "talker")))
    assert findings == ()
    assert codes(check_paths([spec]).findings) == ["REF-03"]


def test_a_record_may_name_an_entry_of_another_device(tmp_path: Path) -> None:
    records = """\
megasolve: records/v1
records:
  - group: P
    backend: megakernel
    entries: [second_talker]
    budget_ctas: 132
    batch: 1
    precision: bf16
    device: second
    context: {launch: {threads: 512, registers: 128, shared_bytes: 1024}}
    duration_us: 5
    hbm_bytes: 1000
    provenance: {kind: published, source: a table}
"""
    assert codes(check_paths([_study(tmp_path, records=records)]).findings) == []


def test_a_misspelt_device_is_named_with_the_nearest(tmp_path: Path) -> None:
    (finding,) = check_paths([_study(tmp_path, SECOND.replace("[second]", "[secund]"))]).findings
    assert finding.rule.code == "REF-16"
    assert finding.message.endswith("did you mean 'second'?")
