"""Whether the first chunk lasts until the next one arrives (case C52)."""

from __future__ import annotations

from typing import Any

import pytest

from megasolve.contracts import Study, load_spec
from megasolve.simulate import Objective
from megasolve.solver import solve
from tests.support.studies import SPECS, Fields, group, megakernel, record, spec, study

STAGES = [group("B", "producer"), group("C", "consumer")]
PAIR: Fields = {"producer_ctas": 88, "consumer_ctas": 44}


def stream_of(first_chunk: int, **fields: Any) -> Study:
    """Steps of 40 ms, chunks of 8 frames after the first, 83 ms a frame, and a vocoder that takes 1 ms beside the producer."""
    stage, vocoder = megakernel("B", budgets=(132, 88), host_us=0), megakernel("C", budgets=(132, 44), host_us=0)
    known = [record(stage, "B", 40_000, ctas) for ctas in (132, 88)] + [record(vocoder, "C", 1_000, ctas) for ctas in (132, 44)]
    stream = {"first_chunk": first_chunk, "next_chunk": 8, "frame_us": 83_000, **fields}
    return study(spec(STAGES, stream=stream, budget_pairs=[PAIR], policies=["fixed"]), [stage, vocoder], known)


def note(asked: Study) -> str:
    (found,) = solve(asked).results[0].notes
    return found


def test_c52_a_first_chunk_of_one_frame_is_played_out_long_before_the_next_arrives() -> None:
    assert note(stream_of(1)) == (
        "playback stalls: the first chunk of m:B/m:C@fixed:88/44 holds 83 ms (1 frames), the next one follows 320 ms later, a gap of 237 ms"
    )


@pytest.mark.parametrize(("frames", "held"), [(4, "332 ms"), (8, "664 ms")])
def test_c52_a_longer_first_chunk_bridges_the_time_to_the_next(frames: int, held: str) -> None:
    assert f"playback goes on: the first chunk of m:B/m:C@fixed:88/44 holds {held}" in note(stream_of(frames))


def test_c52_the_first_publication_alone_still_prefers_the_short_first_chunk() -> None:
    scores = [solve(stream_of(frames)).results[0].ranking[0].score_ps for frames in (1, 4, 8)]
    assert scores == sorted(scores)


def test_a_chunk_that_arrives_just_in_time_is_no_stall() -> None:
    assert "playback goes on" in note(stream_of(1, frame_us=320_000))


def test_without_frame_and_chunk_size_continuity_is_said_not_to_be_modelled() -> None:
    notes = solve(load_spec(SPECS / "nh_tts.yaml"), batches=[32]).results[0].notes
    assert "continuity of playback is not modelled: with frame_us and next_chunk in the stream schedule it is checked" in notes


def test_without_records_of_the_steady_chunks_continuity_is_said_not_to_be_modelled() -> None:
    asked = stream_of(2)
    groups = (asked.spec.value.groups[0], asked.spec.value.groups[1].model_copy(update={"left_context_frames": 4}))
    (records,) = asked.records
    windowed = tuple(one.model_copy(update={"shapes": {"frames": 2}}) if one.group == "C" else one for one in records.value.records)
    value = records.value.model_copy(update={"records": windowed})
    plan = asked.spec.value.model_copy(update={"groups": groups})
    asked = Study(
        spec=type(asked.spec)(asked.spec.file, plan, asked.spec.places),
        device=asked.device,
        contracts=asked.contracts,
        records=(type(records)(records.file, value, records.places),),
    )
    assert note(asked) == "continuity of playback is not modelled: there are not all records for the steady chunks of m:B/m:C@fixed:88/44"


def test_a_steady_objective_needs_no_word_about_the_first_chunk() -> None:
    assert solve(stream_of(1), objective=Objective.CHUNK_INTERVAL).results[0].notes == ()
