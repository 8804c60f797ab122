"""Stream schedules: steps, frames, chunks, and what never publishes; cases from the field."""

from __future__ import annotations

from pathlib import Path

import pytest

from megasolve.contracts import Spec, StreamSchedule, read_document
from tests.support.disk.rule_files import SPEC, changed, check_study


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


def test_one_step_is_not_one_steps(tmp_path: Path) -> None:
    spec = changed(SPEC, ("stream: {first_chunk: 2}", "stream: {first_chunk: 2, length_steps: 1}"))
    (message,) = check_study(tmp_path, spec)
    assert message.startswith("STR-01 no publication: the utterance has 1 step, the first chunk needs 2; at least 2 steps, or")
