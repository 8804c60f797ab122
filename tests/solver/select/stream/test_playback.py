"""At which chunk the sound stops: the closed form against a walk over all chunks."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megasolve.contracts import StreamSchedule
from megasolve.solver.select.stream.playback import Playback, chunks_of

CHUNKS = 60
times = st.integers(1, 40)


def first_late(played: Playback, chunks: int) -> int | None:
    """Return the first of *chunks* chunks that arrives after all earlier ones were played, walking over them."""
    arrival, played_until = Fraction(0), Fraction(played.first_ps)
    for chunk in range(2, chunks + 1):
        arrival += Fraction(played.interval_ps)
        if arrival > played_until:
            return chunk
        played_until += played.next_ps
    return None


@given(times, times, st.fractions(Fraction(1, 9), 60, max_denominator=9), st.integers(1, CHUNKS))
def test_the_stall_is_where_a_walk_over_the_chunks_finds_it(first: int, later: int, interval: Fraction, chunks: int) -> None:
    played = Playback(first, later, interval, chunks)
    assert played.stop == first_late(played, chunks)


@given(times, times, st.fractions(Fraction(1, 9), 60, max_denominator=9))
def test_without_an_end_what_a_walk_finds_is_found_and_nothing_before_it(first: int, later: int, interval: Fraction) -> None:
    stop = Playback(first, later, interval).stop
    walked = first_late(Playback(first, later, interval), CHUNKS)
    assert stop == walked if walked else stop is None or stop > CHUNKS


@given(times, times, st.integers(1, 60))
def test_at_the_stall_the_sound_is_gone_and_a_chunk_earlier_it_was_not(first: int, later: int, interval: int) -> None:
    played = Playback(first, later, interval)
    if played.stop is None:
        assert played.real_time_factor <= 1
    else:
        assert played.gap_ps(played.stop) > 0
        assert played.stop == 2 or played.gap_ps(played.stop - 1) <= 0


def test_a_stall_after_a_thousand_million_chunks_is_found_without_walking_there() -> None:
    assert Playback(2 * 10**9, 10**9, 10**9 + 1).stop == 10**9 + 2
    assert Playback(2 * 10**9, 10**9, 10**9 + 1, chunks=10**9 + 1).stop is None


@pytest.mark.parametrize(
    ("fields", "chunks"),
    [
        ({"next_chunk": 4}, None),
        ({"length_steps": 30}, None),
        ({"next_chunk": 4, "length_steps": 10}, 1),
        ({"next_chunk": 4, "length_steps": 11}, 2),
        ({"next_chunk": 4, "length_steps": 18, "delay": 4}, 2),
        ({"next_chunk": 4, "length_steps": 19, "delay": 4}, 3),
        ({"next_chunk": 4, "length_steps": 3, "delay": 4}, 1),
        ({"next_chunk": 4, "length_steps": 28, "interleave": {"steps": 2, "frames": 1}}, 2),
        ({"next_chunk": 1, "length_steps": 10**9 + 10}, 10**9 + 1),
    ],
)
def test_the_chunks_of_an_utterance_follow_from_its_steps(fields: dict[str, object], chunks: int | None) -> None:
    assert chunks_of(StreamSchedule.model_validate({"first_chunk": 10, **fields})) == chunks
