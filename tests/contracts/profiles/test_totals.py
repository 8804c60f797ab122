"""What a whole profile adds up to."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from megasolve.contracts.profiles import Format, Granularity, Site, Summary, totals, union_ps
from tests.support.profiles.executions import US, execution, in_a_row, kernel, shape

INTERVALS = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 20)).map(lambda pair: (pair[0], sum(pair))), max_size=12)


@given(INTERVALS)
def test_the_union_counts_each_moment_once(intervals: list[tuple[int, int]]) -> None:
    assert union_ps(intervals) == len({moment for start, end in intervals for moment in range(start, end)})


def test_overlapping_kernels_add_to_the_sum_and_not_to_the_union() -> None:
    found = totals(execution([kernel("a", 0, 10), kernel("b", 4, 10, stream=8), kernel("a", 20, 1)]))
    assert (found.kernels, found.sum_ps, found.union_ps, found.span_ps, found.distinct_names) == (3, 21 * US, 15 * US, 21 * US, 2)


def test_each_device_has_a_busy_time_of_its_own() -> None:
    first, second = kernel("a", 0, 10), kernel("a", 5, 10)
    found = totals(execution([first, second._replace(site=Site(1, 1, 7, 1))]))
    assert dict(found.busy_ps) == {0: 10 * US, 1: 10 * US}
    assert found.union_ps == 15 * US


def test_a_kernel_without_a_time_counts_and_adds_nothing() -> None:
    unknown = kernel("a", 0, 1)._replace(start_ps=None, duration_ps=None)
    found = totals(execution([unknown, *in_a_row(("b", 3))]))
    assert (found.kernels, found.sum_ps, found.span_ps) == (2, 3 * US, 3 * US)


def test_a_summary_stands_for_all_its_launches_and_has_no_span() -> None:
    summary = Summary(shape("a"), 5, 50 * US, 2, mean_ps=10 * US)
    found = totals(execution(format=Format.NSYS_KERN_SUM, summaries=(summary,)))
    assert (found.kernels, found.sum_ps, found.union_ps, found.span_ps) == (5, 50 * US, None, None)


def test_a_layer_counts_once_with_its_time_in_one_iteration() -> None:
    layer = Summary(shape("conv"), 4216, 4216 * 7 * US, 2, mean_ps=7 * US)
    found = totals(execution(format=Format.TENSORRT_PROFILE, granularity=Granularity.LAYER, summaries=(layer,)))
    assert (found.kernels, found.sum_ps) == (1, 7 * US)
