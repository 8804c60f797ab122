"""A call of a group on several streams takes the union of its intervals, whichever stream starts first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from megasolve.contracts.observe.timelines.beside import beside
from megasolve.contracts.observe.timelines.timeline import timeline
from megasolve.contracts.profiles import union_ps
from tests.support.profiles.executions import US, execution, kernel

INTERVALS = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 9), st.sampled_from([7, 13, 21])), min_size=1, max_size=14)


@given(INTERVALS)
def test_what_is_not_early_is_the_union_of_all_launches_of_a_group(intervals: list[tuple[int, int, int]]) -> None:
    ran = timeline(execution(kernel("k", start, lasts, stream=stream) for start, lasts, stream in intervals))
    shared = beside(ran, ["group"] * len(ran.kernels), "launch")
    busy_ps = sum(ran.end_ps(launch) - ran.start_ps(launch) - early for launch, early in enumerate(shared.early_ps))
    assert busy_ps == union_ps((start * US, (start + lasts) * US) for start, lasts, _ in intervals)
    assert all(early >= 0 for early in shared.early_ps)


def test_the_busiest_stream_keeps_its_time_and_the_other_one_has_what_is_left() -> None:
    first = [kernel("gemm", 0, 10), kernel("copy", 12, 6, stream=13), kernel("attention", 14, 8)]
    later = [kernel("gemm", 0, 10), kernel("attention", 14, 8), kernel("copy", 19, 6, stream=13)]
    for kernels, early_us in ((first, [0, 4, 0]), (later, [0, 0, 3])):
        ran = timeline(execution(kernels))
        assert [early // US for early in beside(ran, ["g"] * 3, "launch").early_ps] == early_us
