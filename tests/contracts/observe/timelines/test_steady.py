from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from megasolve.contracts.observe.observation import StepsBy
from megasolve.contracts.observe.steps.steps import find_steps
from megasolve.contracts.observe.timelines.steady import Steady, steady
from megasolve.contracts.observe.timelines.timeline import timeline
from megasolve.contracts.profiles import Kernel
from tests.support.profiles.executions import execution, in_a_row, span


def steps(*of_each: Sequence[tuple[str, int]]) -> list[Kernel]:
    """Return one step in each hundred microseconds, marked "step N", with the given kernels."""
    return [
        one
        for number, launches in enumerate(of_each)
        for one in in_a_row(*launches, start_us=100 * number, ranges=[span(f"step {number}", 100 * number, 100 * number + 90)])
    ]


def settled(kernels: list[Kernel], skip: int = 0, **said: Any) -> Steady:
    """Return which steps of *kernels* are steady."""
    of = execution(kernels, **said)
    ran = timeline(of)
    return steady(of, ran, find_steps(of, ran, StepsBy(marks="step *")).steps, skip)


_USUAL = [("a", 10), ("b", 10)]


def test_equal_steps_are_all_steady() -> None:
    assert settled(steps(*[_USUAL] * 4)) == Steady((0, 1, 2, 3))


def test_first_steps_with_other_kernels_are_warm_up() -> None:
    found = settled(steps([("tune", 3), *_USUAL], [("tune", 1), *_USUAL], *[_USUAL] * 4))
    assert found.kept == (2, 3, 4, 5)
    assert found.left_out == tuple(f"'step {number}': warm-up, it runs other kernels than most" for number in (0, 1))


def test_a_first_step_that_takes_clearly_longer_is_warm_up() -> None:
    found = settled(steps([("a", 25), ("b", 10)], *[_USUAL] * 3))
    assert found == Steady((1, 2, 3), ("'step 0': warm-up, it takes 35.000 us, those after it 20.000 us",))


def test_a_first_step_that_takes_one_and_a_half_times_as_long_is_not() -> None:
    assert settled(steps([("a", 20), ("b", 10)], *[_USUAL] * 3)).kept == (0, 1, 2, 3)


def test_a_slow_step_in_the_middle_stays() -> None:
    assert settled(steps(_USUAL, _USUAL, [("a", 60), ("b", 10)], _USUAL)).kept == (0, 1, 2, 3)


def test_a_step_in_the_middle_with_other_kernels_stays_and_is_said() -> None:
    found = settled(steps(_USUAL, [("c", 10), *_USUAL], _USUAL))
    assert found == Steady((0, 1, 2), (), ("1 occurrence of 3 with other kernels than most: 'step 1'",))


def test_a_last_step_that_lacks_kernels_was_cut_off() -> None:
    found = settled(steps(_USUAL, _USUAL, _USUAL[:1]))
    assert found == Steady((0, 1), ("'step 2': cut off, it lacks kernels that most have",))


def test_the_order_of_kernels_does_not_matter_as_streams_change_places() -> None:
    assert settled(steps(_USUAL[::-1], _USUAL, _USUAL)).kept == (0, 1, 2)


def test_steps_to_skip_are_left_out_first() -> None:
    found = settled(steps([("a", 50)], [("a", 50)], *[_USUAL] * 3), skip=2)
    assert found == Steady((2, 3, 4), ("'step 0', 'step 1': skipped, as asked",))


def test_pitfall_26_steps_that_overlap_profiler_overhead_are_left_out() -> None:
    found = settled(steps(*[_USUAL] * 4), overheads=(span("flush", 215, 216),))
    assert found == Steady((0, 1, 3), ("'step 2': overlaps profiler overhead",))


def test_pitfall_26_overhead_counts_on_the_host_too_where_a_step_has_a_mark() -> None:
    assert settled(steps(*[_USUAL] * 4), overheads=(span("flush", 150, 151),)).kept == (0, 2, 3)
    assert settled(steps(*[_USUAL] * 4), overheads=(span("flush", 195, 196),)).kept == (0, 1, 2, 3)


def test_steps_that_overlap_a_capture_are_left_out() -> None:
    found = settled(steps(*[_USUAL] * 3), captures=(span("cudaStreamBeginCapture", 0, 50),))
    assert found == Steady((1, 2), ("'step 0': overlaps a stream capture",))


def test_where_every_step_overlaps_overhead_all_stay_and_it_is_said() -> None:
    found = settled(steps(*[_USUAL] * 2), overheads=(span("flush", 0, 1000),))
    assert found.kept == (0, 1)
    assert found.notes == ("'step 0', 'step 1': overlaps profiler overhead, and nothing else is left: its times may be too long",)


def test_one_step_stays_whatever_it_looks_like() -> None:
    assert settled(steps([("a", 90)], [("b", 1)])).kept == (1,)
    assert settled(steps([("a", 90)])).kept == (0,)
