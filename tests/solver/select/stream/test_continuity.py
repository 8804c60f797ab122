"""Whether the sound goes on from the first chunk to the end of the stream (cases C52 and C94)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from megasolve.contracts import Study, load_spec
from megasolve.simulate import Objective
from megasolve.solver import Explanation, explain, solve
from tests.support.planning.studies import SPECS, Fields, conventional, group, megakernel, record, spec, study

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
        "PLN-02 playback stalls: the first chunk of m:B/m:C@fixed:88/44 holds 83 ms (1 frame), each later one holds 664 ms (8 frames) and "
        "follows 320 ms after the one before: real-time factor 0.482, the sound stops at chunk 2 (the 1st after the first), 83 ms after it "
        "begins, for a gap of 237 ms"
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
    asked = replace(
        asked,
        spec=type(asked.spec)(asked.spec.file, plan, asked.spec.places),
        records=(type(records)(records.file, value, records.places),),
    )
    assert note(asked) == "continuity of playback is not modelled: there are not all records for the steady chunks of m:B/m:C@fixed:88/44"


@pytest.mark.parametrize("objective", Objective)
def test_every_objective_says_whether_playback_goes_on(objective: Objective) -> None:
    (said,) = solve(stream_of(1), objective=objective).results[0].notes
    assert said == note(stream_of(1))


def duplex(first_chunk: int, next_chunk: int, step_us: int = 77_500, **fields: Any) -> Study:
    """Steps of *step_us* and 4.76 ms of serving for each frame, which plays for 80 ms; one after the other."""
    model, serving = conventional("M"), conventional("D")
    known = [record(model, "M", step_us), record(serving, "D", 4_760 * next_chunk)]
    stream = {"first_chunk": first_chunk, "next_chunk": next_chunk, "frame_us": 80_000, **fields}
    groups = [group("M", "producer"), group("D", "consumer")]
    return study(spec(groups, stream=stream, policies=["serial"]), [model, serving], known)


@pytest.mark.parametrize(("first_chunk", "next_chunk", "late"), [(1, 1, 1), (2, 1, 36), (8, 4, 36), (25, 4, 186)])
@pytest.mark.parametrize("objective", Objective)
def test_c94_a_stream_slower_than_its_sound_stalls_however_long_its_first_chunk(
    first_chunk: int, next_chunk: int, late: int, objective: Objective
) -> None:
    (said,) = solve(duplex(first_chunk, next_chunk), objective=objective).results[0].notes
    assert said.startswith("PLN-01 playback stalls: ")
    assert "real-time factor 1.028" in said
    assert f"the sound stops at chunk {late + 1} (the {late}" in said
    assert f"falls behind by {('2.26', '9.04')[next_chunk > 1]} ms with each chunk" in said


def test_c94_the_place_of_the_stall_is_a_time_too() -> None:
    assert "chunk 37 (the 36th after the first), 2,960 ms after it begins, for a gap of 1.36 ms;" in note(duplex(2, 1))


def test_c94_the_end_of_the_utterance_bounds_the_stall() -> None:
    (short, long) = (note(duplex(2, 1, length_steps=steps)) for steps in (37, 38))
    assert short.startswith("PLN-01 playback falls behind, and the utterance ends before the sound does (36 chunks): ")
    assert "real-time factor 1.028, in a longer one the sound stops at chunk 37" in short
    assert long.startswith("PLN-01 playback stalls: ")


def test_c94_the_graph_keeps_up() -> None:
    assert note(duplex(1, 1, 30_200)).startswith("playback goes on: ")
    assert "follows 34.96 ms after the one before: real-time factor 0.437;" in note(duplex(1, 1, 30_200))


def test_an_utterance_of_one_chunk_cannot_stall() -> None:
    said = note(duplex(2, 1, length_steps=2))
    assert said == (
        "playback goes on: the first chunk of c:M+D@serial holds 160 ms (2 frames), which is the whole utterance; "
        "later ones would have real-time factor 1.028"
    )


def test_a_rate_that_only_looks_like_real_time_says_on_which_side_it_is() -> None:
    assert "real-time factor 1.000;" in note(duplex(1, 1, 75_240))
    assert "real-time factor just above 1, the sound stops at chunk 2" in note(duplex(1, 1, 75_241))
    assert "real-time factor just below 1;" in note(duplex(1, 1, 75_239))


def test_an_explanation_says_it_of_the_candidate_that_it_explains() -> None:
    found = explain(stream_of(1), "m:B/m:C@fixed:88/44")
    assert isinstance(found, Explanation)
    assert found.continuity == (note(stream_of(1)),)
