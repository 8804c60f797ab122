"""No stream runs its kernels beside or before those that it was given earlier: times that say so are no evidence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from megasolve.contracts.profiles import Execution, Format, GraphNode, Kernel, LaunchCall, read_profile
from megasolve.contracts.profiles.judging.fitness import judged
from tests.support.profiles.executions import US, execution, in_a_row, kernel
from tests.support.profiles.kineto_traces import call, trace_text, written
from tests.support.profiles.kineto_traces import kernel as event_of


def unfit(kernels: list[Kernel], **said: Any) -> tuple[str, ...]:
    """Return why nothing can be planned from *kernels*."""
    return judged(replace(execution(kernels), **said), recover=False).unfit


def called(one: Kernel, start_us: int, end_us: int | None = None) -> Kernel:
    """Return *one* as launched by a call."""
    return one._replace(call=LaunchCall(start_us * US, (start_us + 1 if end_us is None else end_us) * US))


def corrupt(duration_us: int) -> list[Kernel]:
    """Return 9 launches of 10 microseconds in a row, the third of which lasts as long as is said."""
    launches = in_a_row(*[("gemm", 10)] * 9)
    launches[2] = kernel("gemm", launches[2].row, duration_us)
    return launches


def test_an_end_far_behind_kernels_that_came_and_went_since_is_no_evidence() -> None:
    (reason,) = unfit(corrupt(50_000))
    assert reason.startswith(
        "row 20 ('gemm') lasts 50,000.000 us, but row 30 ('gemm') behind it on the stream ended 20.000 us after its start"
    )
    assert "--recover" in reason


def test_kernels_that_overlap_by_little_are_dependent_launches() -> None:
    early = [kernel("gemm", 9 * place, 10) for place in range(20)]
    assert unfit(early) == ()
    prologue_within = [kernel("gemm", 0, 10), kernel("norm", 8, 1), kernel("gemm", 11, 10)]
    assert unfit(prologue_within) == ()


def test_another_stream_may_run_any_time() -> None:
    assert unfit([kernel("prefill", 0, 100_000, stream=14), *in_a_row(*[("decode", 10)] * 9)]) == ()


def test_branches_of_a_graph_under_one_number_may_run_beside_each_other() -> None:
    node = GraphNode(1, 2)
    branches = [
        kernel("attention", 0, 1000, graph=node, correlation=5),
        *(kernel("norm", 2 * n, 2, graph=node, correlation=5) for n in range(9)),
    ]
    assert unfit(branches) == ()


def test_a_kernel_of_a_graph_that_lasts_far_longer_than_its_others_is_no_evidence() -> None:
    node = GraphNode(1, 2)
    replayed = [one._replace(graph=node, correlation=5) for one in corrupt(50_000)]
    assert unfit(replayed)


def test_one_launch_a_hundred_thousand_times_its_others_is_no_evidence() -> None:
    launches = [*in_a_row(*[("gemm", 10)] * 9), kernel("gemm", 100, 1_000_000)]
    (reason,) = unfit(launches)
    assert reason.startswith("row 100 ('gemm') lasts 1,000,000.000 us, its other launches 10.000 us")


def test_a_collective_may_wait_for_its_peers_that_long() -> None:
    launches = [*in_a_row(*[("ncclDevKernel_AllReduce", 10)] * 9), kernel("ncclDevKernel_AllReduce", 100, 1_000_000)]
    assert unfit(launches) == ()


def test_recovery_clips_an_end_to_the_next_start_on_the_stream_and_says_so() -> None:
    damaged = judged(execution(corrupt(50_000)), recover=True)
    assert damaged.unfit == ()
    assert damaged.kernels[2].duration_ps == 10 * US
    assert damaged.notes[-1].endswith("ended 20.000 us after its start; clipped to 10.000 us")


def test_recovery_clips_a_launch_that_no_other_follows_to_the_time_of_its_others() -> None:
    damaged = judged(execution([*in_a_row(*[("gemm", 10)] * 9), kernel("gemm", 100, 1_000_000)]), recover=True)
    assert damaged.kernels[-1].duration_ps == 10 * US
    assert min(one.duration_ps or 0 for one in damaged.kernels) == 10 * US


def test_kernels_that_run_in_another_order_than_they_were_launched_are_no_evidence() -> None:
    replayed, eager = called(kernel("moe", 900, 10), 10), called(kernel("prep", 200, 10), 100)
    (reason,) = unfit([eager, replayed])
    assert reason.startswith("1 kernel of one stream ran in another order than they were launched")
    assert "row 900 ('moe'), launched before row 200 ('prep'), started only after its end" in reason


def test_recovery_mends_no_order() -> None:
    replayed, eager = called(kernel("moe", 900, 10), 10), called(kernel("prep", 200, 10), 100)
    assert judged(execution([eager, replayed]), recover=True).unfit


@pytest.mark.parametrize(
    "kernels",
    [
        pytest.param([called(kernel("a", 200, 10), 10, 150), called(kernel("b", 100, 10), 20)], id="calls at one time, of two threads"),
        pytest.param([called(kernel("a", 200, 10, stream=1), 10), called(kernel("b", 100, 10, stream=2), 100)], id="two streams"),
        pytest.param([kernel("a", 200, 10), called(kernel("b", 100, 10), 100)], id="no call in the file"),
        pytest.param([called(kernel("a", 100 + n, 1), 10) for n in range(5)], id="one replay"),
    ],
)
def test_what_only_looks_like_another_order_is_fine(kernels: list[Kernel]) -> None:
    assert unfit(sorted(kernels, key=lambda one: one.start_ps or 0)) == ()


def test_the_event_is_named_as_its_file_counts() -> None:
    launches = [*in_a_row(*[("gemm", 10)] * 9), kernel("gemm", 100, 1_000_000)]
    assert unfit(launches, format=Format.KINETO)[0].startswith("event 100 ")
    assert unfit(launches, format=Format.NSYS_GPU_TRACE)[0].startswith("line 100 ")


def test_a_trace_whose_replays_were_delivered_in_one_burst_is_read_and_unfit(tmp_path: Path) -> None:
    events = []
    for step in range(5):
        at, eager, replay = 1000 * step, 10 * step + 1, 10 * step + 2
        events += [call("hipLaunchKernel", at, eager), call("hipGraphLaunch", at + 2, replay)]
        events += [event_of("prep", at + 10, 5, correlation=eager), event_of("moe", 9000 + 10 * step, 8, correlation=replay)]
    found: Execution = read_profile(written(tmp_path, trace_text(*events)))
    assert len(found.kernels) == 10
    assert "4 kernels of one stream ran in another order than they were launched" in found.unfit[0]
