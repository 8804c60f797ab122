"""Field cases that the files themselves decide: devices and their records, streams and objectives."""

from __future__ import annotations

from pathlib import Path

import pytest

from megasolve.contracts import Spec, StreamSchedule, read_document
from tests.support.disk.rule_files import CONTRACT, DEVICE, RECORDS, SPEC, changed, check_study, check_text


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


def stream(text: str) -> StreamSchedule:
    """Return the stream schedule that a spec with `stream: {text}` declares."""
    document, findings = read_document("spec.yaml", changed(SPEC, ("{first_chunk: 2}", f"{{{text}}}")))
    assert findings == ()
    assert document is not None
    assert isinstance(document.value, Spec)
    assert document.value.stream is not None
    return document.value.stream


def codec_of(tmp_path: Path, schedule: str, group: str = "{name: C, role: consumer}") -> list[str]:
    """Return what `check` says about a spec with this stream and this consumer."""
    return check_study(tmp_path, changed(SPEC, ("{first_chunk: 2}", f"{{{schedule}}}"), ("{name: C, role: consumer}", group)))


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


# C50: 7 tokens a frame, first emission at 28 tokens.


@pytest.mark.parametrize(("length", "publishes"), [(27, False), (28, True), (34, True), (35, True)])
def test_c50_an_utterance_shorter_than_its_first_chunk_publishes_nothing(tmp_path: Path, length: int, publishes: bool) -> None:
    findings = codec_of(tmp_path, f"first_chunk: 4, interleave: {{steps: 7, frames: 1}}, length_steps: {length}")
    never = "STR-01 no publication: the utterance has 27 steps, the first chunk needs 28"
    assert [finding.split(";")[0] for finding in findings] == ([] if publishes else [never])


# C51: 25 audio tokens take 32 steps, because text tokens are interleaved.


def test_c51_interleaved_text_tokens_take_steps_too() -> None:
    schedule = stream("first_chunk: 25, interleave: {steps: 32, frames: 25}")
    assert schedule.ready_step == 32
    assert schedule.ready_step * 22 + 300 == 1_004
    assert stream("first_chunk: 10, interleave: {steps: 32, frames: 25}").ready_step == 13
    assert stream("first_chunk: 25").ready_step == 25


# C52: a first chunk of 1, 4 or 8 frames of 83 ms, later chunks of 8, steps of 40 ms.


@pytest.mark.parametrize(("first_chunk", "is_continuous"), [(1, False), (4, True), (8, True)])
def test_c52_the_stream_declares_what_continuity_needs(first_chunk: int, is_continuous: bool) -> None:
    schedule = stream(f"first_chunk: {first_chunk}, next_chunk: 8, frame_us: 83000")
    assert schedule.next_chunk is not None
    assert schedule.frame_ps is not None
    next_chunk_after_ms = schedule.steps_for(schedule.next_chunk) * 40
    assert next_chunk_after_ms == 320
    assert (schedule.first_chunk * schedule.frame_ps // 10**9 >= next_chunk_after_ms) is is_continuous
    assert schedule.ready_step == first_chunk


# C53: the hand-over between stages and the window of the decoder are two numbers.


def test_c53_the_window_of_the_decoder_does_not_move_the_first_chunk(tmp_path: Path) -> None:
    window = "{name: C, role: consumer, left_context_frames: 25}"
    assert codec_of(tmp_path, "first_chunk: 25, next_chunk: 25, length_steps: 25", window) == []
    assert codec_of(tmp_path, "first_chunk: 25, next_chunk: 300, length_steps: 25", window) == []


def test_c53_one_number_for_both_is_refused(tmp_path: Path) -> None:
    (finding,) = codec_of(tmp_path, "first_chunk: 25", "{name: C, role: consumer, left_context_frames: 25}")
    assert finding.startswith("STR-03 'C' decodes 25 frames of left context, but no next_chunk says how many frames a later chunk has")
    findings = codec_of(tmp_path, "codec_chunk_frames: 25")
    assert "SCH-01" in [finding.split()[0] for finding in findings]


# C55: first token and first audio rank the options differently.


def test_c55_the_objective_is_one_of_three_named_times(tmp_path: Path) -> None:
    (finding,) = check_study(tmp_path, changed(SPEC, ("stream:", "objective: latency\nstream:")))
    assert finding.startswith("SCH-04 found 'latency', expected 'first_publication', 'producer_step' or 'chunk_interval'")


def test_c55_first_token_and_first_audio_are_two_specs(tmp_path: Path) -> None:
    first_token = changed(SPEC, ("  - {name: C, role: consumer}\nstream: {first_chunk: 2}\n", "publication: {group: P}\n"))
    assert check_study(tmp_path, first_token) == []
    (finding,) = check_study(tmp_path, changed(SPEC, ("stream:", "publication: {group: P}\nstream:")))
    assert finding.startswith("SPC-12 publication beside a consumer")
