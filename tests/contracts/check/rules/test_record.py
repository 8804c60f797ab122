"""Records and the device that they were taken on; cases from the field."""

from __future__ import annotations

from pathlib import Path

from tests.support.disk.rule_files import CONTRACT, DEVICE, RECORDS, changed, check_study, check_text


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
