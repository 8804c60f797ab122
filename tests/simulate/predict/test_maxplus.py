"""The max-plus algebra of serial launches."""

from __future__ import annotations

from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from megasolve.simulate.predict.maxplus import Matrix, Parts, advance, identity, launch, power, sequence, then

entries = st.one_of(st.none(), st.integers(0, 50))
matrices = st.tuples(entries, entries, entries, entries)
durations = st.integers(0, 20)
launches = st.tuples(durations, durations, durations, st.booleans())
states = st.tuples(durations, durations)


def _matrix(host: int, exposed: int, work: int, waits: bool) -> Matrix[int]:
    return launch(host, exposed, work, host_waits=waits)


@given(matrices, matrices, matrices)
def test_then_is_associative(a: Matrix[int], b: Matrix[int], c: Matrix[int]) -> None:
    assert then(then(a, b), c) == then(a, then(b, c))


@given(matrices)
def test_doing_nothing_changes_nothing(a: Matrix[int]) -> None:
    assert then(identity(0), a) == a == then(a, identity(0))


@given(matrices, st.integers(0, 40))
def test_a_power_is_repeated_application(step: Matrix[int], times: int) -> None:
    assert power(step, times, 0) == reduce(then, [step] * times, identity(0))


@given(states, st.lists(launches, max_size=8))
def test_a_sequence_of_launches_is_the_recurrence_of_host_and_device(
    state: tuple[int, int], runs: list[tuple[int, int, int, bool]]
) -> None:
    host, device = state
    for host_part, exposed, work, waits in runs:
        host = (max(host, device) if waits else host) + host_part
        device = max(host, device) + exposed + work
    assert advance(state, sequence([_matrix(*run) for run in runs], 0)) == (host, device)


@given(st.lists(launches, max_size=5), st.integers(0, 9))
def test_labelled_durations_give_the_same_total_and_parts_that_sum_to_it(runs: list[tuple[int, int, int, bool]], times: int) -> None:
    labelled = [launch(Parts.of("host", h), Parts.of("exposed", e), Parts.of("work", w), host_waits=waits) for h, e, w, waits in runs]
    host, device = advance((Parts(), Parts()), power(sequence(labelled, Parts()), times, Parts()))
    plain = advance((0, 0), power(sequence([_matrix(*run) for run in runs], 0), times, 0))
    assert (host.total_ps, device.total_ps) == plain
    assert all(sum(ps for _, ps in one.parts) == one.total_ps for one in (host, device))


def test_a_host_that_does_not_wait_hides_its_part_behind_the_device() -> None:
    ahead = power(_matrix(3, 1, 10, waits=False), 4, 0)
    behind = power(_matrix(3, 1, 10, waits=True), 4, 0)
    assert advance((0, 0), ahead) == (12, 3 + 4 * 11)
    assert advance((0, 0), behind) == (3 * 14 + 3, 4 * 14)
