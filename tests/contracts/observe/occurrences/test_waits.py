"""A wait that no launch costs is in no gap; it is reported once, as time outside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from megasolve.contracts.observe import AttributedBy, GroupRule, Observation, StepsBy, observe, times_outside
from megasolve.contracts.profiles import GraphNode, Interval, Kernel, LaunchCall, totals
from tests.support.profiles.executions import US, execution, kernel, span

_WHOLE = StepsBy()
_MARKED = StepsBy(marks="step *")


def seen(kernels: Iterable[Kernel], steps: StepsBy = _WHOLE, **said: Any) -> Observation:
    """Return what is observed of *kernels*, all of one group."""
    return observe([execution(kernels, **said)], AttributedBy((GroupRule("step"),), steps))


def spaced(gaps_us: Sequence[int], duration_us: int = 50, names: str = "k", start_us: int = 0, step: str = "") -> list[Kernel]:
    """Return kernels with so many microseconds of idle time before each, the names taken in turn."""
    kernels = []
    ranges = [span(step, start_us)] if step else []
    for place, gap_us in enumerate(gaps_us):
        start_us += gap_us
        kernels.append(kernel(names[place % len(names)], start_us, duration_us, *ranges))
        start_us += duration_us
    return kernels


def outside(found: Observation) -> list[tuple[str, str, list[int]]]:
    return [(one.before, one.because, [time_ps // US for time_ps in one.times_ps]) for one in found.outside]


def exact(found: Observation, span_us: int) -> None:
    """Assert that services, gaps and what is outside are the span of the one step."""
    counted = sum(sum(one.samples_ps) + sum(one.gap_samples_ps) for one in found.kernels)
    assert counted == found.span_samples_ps[0]
    assert counted + found.outside_samples_ps[0] == span_us * US


def test_a_gap_far_outside_the_others_of_its_kernel_is_a_wait() -> None:
    found = seen(spaced([0, 3, 4, 500, 3, 2]))
    assert outside(found) == [("k", "far longer than before other launches", [500])]
    exact(found, 6 * 50 + 12 + 500)


def test_gaps_of_a_host_that_is_slow_at_every_launch_are_launch_costs() -> None:
    found = seen(spaced([0, *[400] * 20, 1_500, *[400] * 20], duration_us=5))
    assert found.outside == ()


def test_a_wait_that_takes_no_tenth_of_the_kernels_is_left_where_it_is() -> None:
    assert seen(spaced([0, *[2] * 50, 200, *[2] * 50])).outside == ()


@pytest.mark.parametrize(
    ("said", "because"),
    [
        ({"synchronizations": (Interval(90 * US, 200 * US),)}, "it spans a synchronization"),
        ({"copies": (Interval(60 * US, 70 * US, 0),)}, "it spans a copy"),
        ({"copies": (Interval(60 * US, 70 * US, 1),)}, ""),
        ({"synchronizations": (Interval(0, 40 * US),)}, ""),
        ({}, ""),
    ],
)
def test_a_gap_that_spans_a_synchronization_or_a_copy_is_one_with_a_hundredth_of_the_kernels(said: dict[str, Any], because: str) -> None:
    found = seen(spaced([0, 200, *[2] * 40], duration_us=50), **said)
    assert outside(found) == ([("k", because, [200])] if because else [])


def test_a_small_gap_that_spans_a_copy_is_a_launch_cost() -> None:
    assert seen(spaced([0, 90, *[2] * 40]), copies=(Interval(60 * US, 70 * US, 0),)).outside == ()


def test_a_gap_before_a_step_is_a_wait_where_it_is_far_longer_than_before_other_launches() -> None:
    kernels = [one for n in range(5) for one in spaced([0, 2, 2, 2], start_us=30_000 * n, step=f"step {n}")]
    found = seen(kernels, _MARKED)
    assert outside(found) == [("k", "it spans the start of a step", [30_000 - 206] * 4)]
    assert {time_ps // US for time_ps in found.span_samples_ps} == {206}
    assert found.outside_samples_ps == (0, *[(30_000 - 206) * US] * 4)


def test_a_gap_before_a_step_that_a_slow_host_explains_stays() -> None:
    kernels = [one for n in range(5) for one in spaced([0, 40, 40, 40], duration_us=6, start_us=250 * n, step=f"step {n}")]
    assert seen(kernels, _MARKED).outside == ()


def test_the_start_of_a_step_by_a_profilers_mark_counts_where_the_whole_is_one_step() -> None:
    kernels = [one for n in range(5) for one in spaced([0, *[2] * 30], start_us=2_000 * n, step=f"ProfilerStep#{n}")]
    assert {because for _, because, _ in outside(seen(kernels))} == {"it spans the start of a step"}


def test_the_only_idle_times_of_back_to_back_kernels_are_waits_before_their_steps() -> None:
    kernels = [one for n in range(5) for one in spaced([0, 0, 0, 0], start_us=1_000 * n, step=f"step {n}")]
    assert outside(seen(kernels, _MARKED)) == [("k", "it spans the start of a step", [800] * 4)]


def test_a_wait_of_milliseconds_between_steps_that_nothing_marks_is_one_among_any_number() -> None:
    found = seen([one for n in range(50) for one in spaced([0, *[2] * 20], start_us=5_000 * n, names="abcdefghijklmnopqrstu")])
    assert outside(found) == [("a", "longer than any launch takes", [5_000 - 1_090] * 49)]


def test_a_wait_in_every_step_that_is_longer_than_any_launch_is_one() -> None:
    kernels = [
        one for n in range(4) for one in spaced([0, 2, 20_000, 2], duration_us=500, names="abcd", start_us=25_000 * n, step=f"step {n}")
    ]
    assert ("c", "longer than any launch takes", [20_000] * 4) in outside(seen(kernels, _MARKED))


def test_what_the_call_of_a_graphs_launch_fills_is_its_cost() -> None:
    replayed = [one._replace(graph=GraphNode(1, 2), call=LaunchCall(60 * US, 900 * US)) for one in spaced([0, 900, 1, 1, 1])]
    assert seen(replayed).outside == ()
    late = [one._replace(call=LaunchCall(0, 10 * US)) for one in replayed]
    assert len(seen(late).outside) == 1


def test_a_group_outside_of_all_steps_has_no_wait_in_its_gaps_either() -> None:
    prefill = [one._replace(ranges=(span("prefill", -90_000),)) for one in spaced([0, 2, 30_000, 2], start_us=-90_000)]
    steps = [one for n in range(3) for one in spaced([0, 2, 2], start_us=200 * n, step=f"step {n}")]
    rules = (GroupRule("P", ranges=("prefill",)), GroupRule("B"))
    found = observe([execution([*prefill, *steps])], AttributedBy(rules, _MARKED))
    assert found.groups[0].gap_samples_ps == (4 * US,)
    assert outside(found) == [("k", "longer than any launch takes", [30_000])]


def test_the_waits_of_a_whole_file_are_found_without_asking_for_groups() -> None:
    of = execution(spaced([0, 3, 4, 5_000, 3, 2]))
    assert [one.total_ps for one in times_outside(of)] == [5_000 * US]
    assert totals(of).span_ps == (6 * 50 + 12 + 5_000) * US
    assert times_outside(execution([])) == ()
