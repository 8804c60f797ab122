"""Records and the device that they were taken on; cases from the field."""

from __future__ import annotations

from pathlib import Path

import pytest

from megasolve.contracts import Severity, check_paths
from tests.support.disk.rule_files import CONTRACT, DEVICE, KERNEL, RECORDS, SPEC, changed, check_study, check_text, codes_of


def device(name: str, sms: int, *lines: str) -> str:
    """Return a device of compute capability 9.0 with *sms* SMs."""
    return changed(DEVICE, ("name: gpu", f"name: {name}"), ("sms: 132", "\n".join((f"sms: {sms}", *lines))))


def record(on: str, sms: int, budget_ctas: int) -> str:
    """Return a record of `decode` that was taken on device *on* while a process saw *sms* SMs."""
    return changed(
        RECORDS,
        ("device: gpu", f"device: {on}"),
        ("budget_ctas: 132", f"budget_ctas: {budget_ctas}"),
        ("source: invented", f"source: invented, device_sms: {sms}"),
    )


# C10: one architecture, 132 or 78 SMs.
def test_c10_a_device_file_must_say_its_sm_count(tmp_path: Path) -> None:
    (finding,) = check_text(tmp_path, changed(DEVICE, ("sms: 132\n", "")))
    assert finding.startswith("SCH-02 missing key 'sms'")


def test_c10_a_record_of_another_board_of_the_same_architecture_is_refused(tmp_path: Path) -> None:
    contract = changed(CONTRACT, ("[132, 88]", "[78]"))
    findings = check_study(tmp_path, device=device("h20", 78), contract=contract, records=record("h100", 132, 78))
    assert findings == ["REC-17 a record from device 'h100', which is none of this spec; known: h20"]
    assert check_study(tmp_path, device=device("h20", 78), contract=contract, records=record("h20", 78, 78)) == []


# C11: planned on the GPU with 82 SMs, run on the one with 76.
def test_c11_a_record_carries_the_fingerprint_of_its_device(tmp_path: Path) -> None:
    contract = changed(CONTRACT, ("[132, 88]", "[152]"), ("registers: 128", "registers: 64, ctas_per_sm: 2"))
    context = ("registers: 128", "registers: 64, ctas_per_sm: 2")
    taken_on_a, taken_on_b = (changed(record("gpu", sms, 152), context) for sms in (82, 76))
    (finding,) = check_study(tmp_path, device=device("gpu", 76), contract=contract, records=taken_on_a)
    assert finding.startswith("REC-18 taken with 82 SMs visible, device 'gpu' has 76 usable ones; records of both never mix")
    assert check_study(tmp_path, device=device("gpu", 76), contract=contract, records=taken_on_b) == []


# C16: ten MPS replicas on 40 SMs.
def test_c16_records_of_the_whole_device_never_mix_with_those_of_an_mps_share(tmp_path: Path) -> None:
    share = device("t4", 40, "mps_active_thread_percentage: 10")
    contract = changed(CONTRACT, ("[132, 88]", "[4]"))
    (finding,) = check_study(tmp_path, device=share, contract=contract, records=record("t4", 40, 4))
    assert finding.startswith("REC-18 taken with 40 SMs visible, device 't4' has 4 usable ones")
    assert check_study(tmp_path, device=share, contract=contract, records=record("t4", 4, 4)) == []


def test_c16_a_conventional_record_stands_at_the_sms_of_the_share(tmp_path: Path) -> None:
    share = device("t4", 40, "mps_active_thread_percentage: 10")
    budgets = ("budgets_ctas: [132, 88]\n", "")
    contract = changed(CONTRACT, ("backend: megakernel", "backend: conventional"), budgets)
    whole, part = (changed(record("t4", 4, ctas), ("backend: megakernel", "backend: conventional")) for ctas in (40, 4))
    (finding,) = check_study(tmp_path, device=share, contract=contract, records=whole)
    assert finding.startswith("REC-14 40 CTAs is no budget of 'decode'")
    assert check_study(tmp_path, device=share, contract=contract, records=part) == []


def check_record(folder: Path, *changes: tuple[str, str], **companions: str) -> list[str]:
    """Check the record of B on the megakernel `decode`, changed, in the study of P, B, L and C."""
    return check_study(folder, **({"contract": CONTRACT} | companions), records=changed(RECORDS, *changes))


@pytest.mark.parametrize(("hbm_bytes", "is_refused"), [(400_000_000, False), (400_000_001, True)])
def test_the_peak_bandwidth_bounds_a_record_exactly(tmp_path: Path, hbm_bytes: int, is_refused: bool) -> None:
    # 100 us at 4e12 bytes/s move 400,000,000 bytes; one more takes a part of a picosecond longer.
    findings = check_record(tmp_path, ("duration_us: 100", f"duration_us: 100\n    hbm_bytes: {hbm_bytes}"))
    assert codes_of(findings) == (["REC-09"] if is_refused else [])


def test_physics_bounds_the_statistic_that_a_record_names(tmp_path: Path) -> None:
    samples = "samples_us: [90, 100, 110]\n    hbm_bytes: 400000000"
    assert check_record(tmp_path, ("duration_us: 100", samples)) == []
    assert codes_of(check_record(tmp_path, ("duration_us: 100", f"{samples}\n    statistic: minimum"))) == ["REC-09"]


def test_a_record_without_a_time_is_no_riddle_for_physics(tmp_path: Path) -> None:
    assert codes_of(check_record(tmp_path, ("duration_us: 100", "samples_us: []\n    hbm_bytes: 400000000"))) == ["REC-02"]


def test_a_conventional_record_stands_at_the_usable_sms(tmp_path: Path) -> None:
    contract = changed(KERNEL, ("entry: norm", "entry: decode"), ("registers: 64", "registers: 128"))
    change = ("backend: megakernel", "backend: conventional")
    assert check_record(tmp_path, change, contract=contract) == []
    (finding,) = check_record(tmp_path, change, ("budget_ctas: 132", "budget_ctas: 88"), contract=contract)
    assert finding == "REC-14 88 CTAs is no budget of 'decode'; a conventional kernel has the whole device: 132"


def test_another_context_names_every_differing_leaf(tmp_path: Path) -> None:
    contract = changed(CONTRACT, ("registers: 128}", "registers: 128}\nstorage: {forwarded: [hidden, logits]}"))
    change = ("registers: 128}}", "registers: 120}, storage: {forwarded: [hidden, scores]}}")
    (finding,) = check_record(tmp_path, change, contract=contract)
    assert "differs in launch.registers: 120 in the record, 128 in the contract; storage.forwarded[1]: scores in the record" in finding


def test_an_absent_field_matches_only_an_absent_one(tmp_path: Path) -> None:
    (finding,) = check_record(tmp_path, ("registers: 128}", "registers: 128, ctas_per_sm: 1}"))
    assert "launch.ctas_per_sm: 1 in the record, nothing in the contract" in finding


def test_a_wait_cost_in_the_context_matches_as_it_is_written(tmp_path: Path) -> None:
    contract = changed(CONTRACT, ("registers: 128}", "registers: 128}\nsynchronization: {kind: counters, cost_us: 1.5}"))
    change = ("registers: 128}}", "registers: 128}, synchronization: {kind: counters, cost_us: 1.5}}")
    assert check_record(tmp_path, change, contract=contract) == []
    (finding,) = check_record(tmp_path, (change[0], change[1].replace("1.5", "1.25")), contract=contract)
    assert "synchronization.cost_us: 1.25 in the record, 1.5 in the contract" in finding


def test_a_record_of_two_entries_repeats_a_record_of_either(tmp_path: Path) -> None:
    spec = changed(SPEC, ("stream:", "title: two entries\nstream:"))
    other = changed(CONTRACT, ("entry: decode", "entry: other"))
    both = changed(RECORDS, ("[decode]", "[decode, other]"))
    one = changed(RECORDS, ("[decode]", "[other]"))
    findings = check_study(tmp_path, spec, decode=CONTRACT, other=other, a_records=both, b_records=one)
    assert codes_of(findings) == ["REC-21"]
    elsewhere = changed(one, ("batch: 1", "batch: 1\n    shapes: {}"), ("budget_ctas: 132", "budget_ctas: 88"))
    assert check_study(tmp_path, spec, decode=CONTRACT, other=other, a_records=both, b_records=elsewhere) == []


def test_frames_are_a_shape_of_a_consumer_with_left_context_only(tmp_path: Path) -> None:
    codec = changed(CONTRACT, ("members: [B]", "members: [C]"))
    records = changed(RECORDS, ("group: B", "group: C"), ("batch: 1", "batch: 1\n    shapes: {frames: 2}"))
    window = changed(
        SPEC, ("role: consumer}", "role: consumer, left_context_frames: 4}"), ("first_chunk: 2", "first_chunk: 2, next_chunk: 4")
    )
    assert check_study(tmp_path, window, codec=codec, records=records) == []
    assert codes_of(check_study(tmp_path, codec=codec, records=records)) == ["REC-22"]


def test_a_record_of_another_device_of_the_spec_is_kept(tmp_path: Path) -> None:
    (tmp_path / "other.yaml").write_text(changed(DEVICE, ("name: gpu", "name: other")))
    spec = changed(SPEC, ("device: device.yaml", "device: device.yaml\nother_devices: [other.yaml]"))
    assert check_study(tmp_path, spec, contract=CONTRACT, records=changed(RECORDS, ("device: gpu", "device: other"))) == []


def test_findings_do_not_depend_on_the_order_of_patterns(tmp_path: Path) -> None:
    check_study(tmp_path, a=CONTRACT, b=CONTRACT, a_records=RECORDS, b_records=RECORDS)
    spec = tmp_path / "spec.yaml"
    first = check_paths([spec]).findings
    text = spec.read_text()
    spec.write_text(
        changed(text, ("[a.yaml, b.yaml]", "[b.yaml, a.yaml]"), ("[a_records.yaml, b_records.yaml]", "[b_records.yaml, a_records.yaml]"))
    )
    assert [finding.rule.code for finding in first] == ["REF-03", "REC-21"]
    assert check_paths([spec]).findings == first


def test_an_unplanned_batch_only_warns(tmp_path: Path) -> None:
    check_record(tmp_path, ("batch: 1", "batch: 4"))
    (finding,) = check_paths([tmp_path / "spec.yaml"]).findings
    assert (finding.rule.code, finding.severity) == ("REC-15", Severity.WARNING)


@pytest.mark.parametrize(
    ("shapes", "told"),
    [
        ("", "with no shapes is not planned, so this record is unused; its calls have frames 2 (first chunk), frames 7 (later chunk)"),
        ("    shapes: {frames: 3}\n", "with frames 3 is not planned"),
        ("    shapes: {frames: 2}\n", None),
        ("    shapes: {frames: 7}\n", None),
    ],
)
def test_a_record_of_shapes_that_no_call_has_is_unused(tmp_path: Path, shapes: str, told: str | None) -> None:
    spec = changed(
        SPEC, ("role: consumer}", "role: consumer, left_context_frames: 3}"), ("{first_chunk: 2}", "{first_chunk: 2, next_chunk: 4}")
    )
    codec = changed(CONTRACT, ("entry: decode", "entry: codec"), ("members: [B]", "members: [C]"))
    records = changed(
        RECORDS, ("group: B", "group: C"), ("entries: [decode]", "entries: [codec]"), ("    batch: 1\n", f"    batch: 1\n{shapes}")
    )
    found = check_study(tmp_path, spec, codec=codec, records=records)
    assert [one[: one.index(" ")] for one in found] == (["REC-24"] if told else [])
    assert not told or told in found[0]


def test_a_context_that_differs_in_much_names_the_first_differences(tmp_path: Path) -> None:
    many = f"geometry: {{{', '.join(f'field_{number}: {number}' for number in range(10))}}}\n"
    contract = CONTRACT + "loops_on_device: true\n"
    spec = SPEC.replace("  - {name: L, role: producer}\n", "")
    taken = changed(RECORDS, ("128}}", "128}, geometry: {}}"))
    (finding,) = check_study(tmp_path, spec, contract=contract + many, records=taken)
    assert finding.startswith("REC-19 for another context than 'decode': differs in geometry.field_0: nothing in the record, 0 in the")
    assert "geometry.field_7: nothing in the record, 7 in the contract; and 2 more; measure again" in finding
    (finding,) = check_study(tmp_path, spec, contract=contract, records=taken)
    assert "differs in geometry: {} in the record, nothing in the contract;" in finding


@pytest.mark.parametrize(("kind", "warns"), [("measured", True), ("profiled", True), ("published", False)])
def test_an_observed_record_without_a_source_hash_cannot_be_checked_for_staleness(tmp_path: Path, kind: str, warns: bool) -> None:
    contract = CONTRACT + f"source: {{file: elsewhere.cu, sha256: '{'0' * 64}'}}\n"
    records = changed(RECORDS, ("kind: published, source: invented", f'kind: {kind}, source: invented, tool: t, date: "2026-01-01"'))
    found = check_study(tmp_path, contract=contract, records=records)
    assert [message[:43] for message in found] == ["REC-23 cannot be checked for staleness: " + kind[:3]] * warns
