from __future__ import annotations

import gzip
import json
import tracemalloc
from pathlib import Path

import pytest

from megasolve.contracts.profiles import GraphNode, totals
from megasolve.contracts.profiles.kineto.trace import read_kineto
from megasolve.contracts.profiles.reading import read_profile
from megasolve.contracts.profiles.text.source import source
from tests.support.profiles.kineto_traces import (
    Event,
    annotation,
    call,
    event,
    kernel,
    launched,
    mirrored,
    noted,
    read_trace,
    refusal,
    rocm_kernel,
    trace_text,
    written,
)


def replay(correlation: int, ts: int, kernels: int) -> list[Event]:
    ran = [kernel(f"node{number}", ts + 10 + 10 * number, correlation=correlation) for number in range(kernels)]
    return [call("cudaGraphLaunch", ts, correlation), *ran]


def test_pitfall_02_a_replay_that_was_traced_by_node_is_said_to_be_slowed_down(tmp_path: Path) -> None:
    assert noted(read_trace(tmp_path, *replay(1, 0, 3)), "3 of 3 kernels ran in 1 graph replay ", "slows")


def test_pitfall_03_all_kernels_of_a_replay_share_its_launch_and_its_ranges(tmp_path: Path) -> None:
    events = [annotation("first", 0, 5), annotation("second", 100, 5), *replay(1, 1, 3), *replay(2, 101, 3)]

    kernels = read_trace(tmp_path, *events).kernels

    assert [one.correlation for one in kernels] == [1, 1, 1, 2, 2, 2]
    assert [one.shape.name for one in kernels] == ["node0", "node1", "node2"] * 2
    assert [one.ranges[0].name for one in kernels] == ["first"] * 3 + ["second"] * 3
    assert {one.graph for one in kernels} == {GraphNode()}


def test_pitfall_03_kernels_of_one_launch_that_is_not_in_the_file_are_of_a_graph(tmp_path: Path) -> None:
    replayed = replay(1, 0, 2)[1:]

    kernels = read_trace(tmp_path, *replayed, kernel("alone", 50, correlation=2)).kernels

    assert [one.graph for one in kernels] == [GraphNode(), GraphNode(), None]


def test_pitfall_04_launches_into_a_capture_are_no_kernels_and_the_capture_is_a_span(tmp_path: Path) -> None:
    captured = [call("cudaLaunchKernel", ts, 10 + ts) for ts in range(11, 19)]
    marks = [call("cudaStreamBeginCapture_v10000", 10, 1), call("cudaStreamEndCapture_v10000", 20, 2)]

    execution = read_trace(tmp_path, *captured, *reversed(marks), *launched("warm-up", 1, 3))

    (capture,) = execution.captures
    assert (capture.start_ps, capture.end_ps, capture.thread) == (10_000_000, 21_000_000, 1)
    assert [one.shape.name for one in execution.kernels] == ["warm-up"]
    assert noted(execution, "1 stream capture:", "did not run")
    assert not noted(execution, "no kernel in the file"), "a captured launch is not one whose kernel was lost"


def test_pitfall_04_a_capture_that_the_trace_leaves_open_lasts_to_its_end(tmp_path: Path) -> None:
    execution = read_trace(tmp_path, *launched("k", 1, 1), call("hipStreamBeginCapture", 5, 2))

    assert [(span.start_ps, span.end_ps) for span in execution.captures] == [(5_000_000, 16_000_000)]


def test_pitfall_04_a_trace_of_a_capture_alone_is_refused(tmp_path: Path) -> None:
    marks = [call("hipStreamBeginCapture", 1, 1), call("hipLaunchKernel", 2, 2), call("hipStreamEndCapture", 3, 3)]

    assert "graph capture, where launches do not execute" in refusal(tmp_path, *marks)


def test_pitfall_05_conditional_graph_nodes_are_said_to_hide_iterations(tmp_path: Path) -> None:
    execution = read_trace(tmp_path, call("cudaGraphConditionalHandleCreate", 0, 9), *launched("k", 1, 1))

    assert noted(execution, "conditional graph nodes (event 1)", "only the first iteration")


def test_pitfall_07_streams_that_overlap_are_busy_once(tmp_path: Path) -> None:
    execution = read_trace(tmp_path, kernel("a", 10, 10, stream=7), kernel("b", 15, 10, stream=9))

    found = totals(execution)
    assert (found.sum_ps, found.union_ps, found.busy_ps) == (20_000_000, 15_000_000, {0: 15_000_000})
    assert not noted(execution, "stream"), "streams may overlap"


def test_pitfall_08_an_overlap_on_one_stream_is_kept_and_said(tmp_path: Path) -> None:
    execution = read_trace(tmp_path, kernel("a", 10, 10), kernel("b", 18, "#10.5#"), kernel("c", 40, 1))

    assert [one.duration_ps for one in execution.kernels] == [10_000_000, 10_500_000, 1_000_000]
    assert noted(execution, "programmatic dependent launch", "1 kernel, by up to 2.000 us (event 2)")


def test_pitfall_09_a_kernel_that_outlasts_the_next_is_flagged_and_never_clipped(tmp_path: Path) -> None:
    execution = read_trace(tmp_path, kernel("long", 10, 1000), kernel("next", 20, 5))

    assert execution.kernels[0].duration_ps == 1_000_000_000
    assert noted(execution, "corrupt", "1 kernel, by up to 985.000 us (event 1)", "nothing was clipped")


def test_pitfall_10_a_kernel_of_start_and_duration_0_was_not_collected(tmp_path: Path) -> None:
    execution = read_trace(tmp_path, kernel("lost", 0, 0), kernel("a", 10, 5), kernel("short", 20, 0), kernel("first", 0, 3))

    assert [one.shape.name for one in execution.kernels] == ["first", "a", "short"]
    assert execution.dropped == {"kernels not collected (start and duration 0)": 1}
    assert noted(execution, "duration 0 of 1 kernel (event 3 first)")


def test_pitfall_10_a_trace_whose_kernels_all_last_0_is_refused(tmp_path: Path) -> None:
    assert "the duration 0 (event 2 first)" in refusal(tmp_path, annotation("a", 0, 1), kernel("k", 10, 0), kernel("k", 20, "#0.000#"))
    assert "2 kernels not collected" in refusal(tmp_path, kernel("k", 0, 0), kernel("k", 0, 0))


@pytest.mark.parametrize("dur", [-3, "#-0.001#", "-1"])
def test_pitfall_11_a_negative_duration_of_a_kernel_is_refused_with_its_event(tmp_path: Path, dur: object) -> None:
    reason = refusal(tmp_path, kernel("a", 10, 5), kernel("b", 20, dur))

    assert "event 2 at byte" in reason
    assert "negative" in reason


def test_pitfall_11_an_annotation_that_never_ended_is_left_out_and_counted(tmp_path: Path) -> None:
    execution = read_trace(tmp_path, annotation("open", 0, -1), *launched("k", 1, 1))

    assert execution.annotations == ()
    assert execution.dropped == {"annotations and overheads of negative duration": 1}


def test_pitfall_12_times_are_microseconds_whatever_the_display_unit_says(tmp_path: Path) -> None:
    for unit in ("ns", "ms"):
        (one,) = read_trace(tmp_path, kernel("k", 10, 5), displayTimeUnit=unit, baseTimeNanoseconds=1751410836000000000).kernels
        assert (one.start_ps, one.duration_ps) == (10_000_000, 5_000_000)


@pytest.mark.parametrize("ts", ["1712195495519695.812", "6520618863535.112", "10.1"])
def test_pitfall_12_no_digit_of_a_time_is_lost(tmp_path: Path, ts: str) -> None:
    (one,) = read_trace(tmp_path, kernel("k", f"#{ts}#", "#0.001#")).kernels

    whole, _, fraction = ts.partition(".")
    assert one.start_ps == int(whole) * 10**6 + int(fraction.ljust(6, "0"))
    assert one.duration_ps == 1000


def test_pitfall_15_memory_does_not_grow_with_frames_and_operators(tmp_path: Path) -> None:
    def peak_bytes(frames: int) -> int:
        path = tmp_path / f"{frames}.json.gz"
        frame = json.dumps({**event("python_function", "f" * 400, 1, 1), "args": {"Python id": 1}}) + ",\n"
        with gzip.open(path, "wt", compresslevel=1) as file:
            file.write('{"traceEvents": [\n')
            for _ in range(frames // 100):
                file.write(frame * 100)
            file.write(json.dumps(kernel()) + "]}")
        tracemalloc.start()
        try:
            read_kineto(source(path))
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    few, many = peak_bytes(6_000), peak_bytes(24_000)

    assert many < 1.05 * few, "12 MB of text need no more memory than 3 MB"
    assert many < 8 * 2**20


def test_pitfall_16_a_rocm_kernel_says_only_what_the_profiler_knew(tmp_path: Path) -> None:
    known = rocm_kernel("known", 10, correlation=1, grid=[77, 1, 1], block=[128, 1, 1])
    execution = read_trace(tmp_path, call("hipLaunchKernel", 1, 1), known, rocm_kernel("unknown", 20, correlation=2))

    shapes = [one.shape for one in execution.kernels]
    assert [(shape.grid, shape.block, shape.registers, shape.shared_bytes) for shape in shapes] == [
        ((77, 1, 1), (128, 1, 1), None, None),
        (None, None, None, None),
    ]
    assert noted(execution, "no grid for 1 of 2 kernels")


def test_pitfall_16_a_grid_in_work_items_is_divided_by_the_block(tmp_path: Path) -> None:
    launches = call("hipExtModuleLaunchKernel", 1, 1), call("hipLaunchKernel", 2, 2)
    shape = {"grid": [61440, 2, 1], "block": [256, 1, 1]}

    kernels = read_trace(
        tmp_path, *launches, rocm_kernel("k", 10, correlation=1, **shape), rocm_kernel("k", 20, correlation=2, **shape)
    ).kernels

    assert [one.shape.grid for one in kernels] == [(240, 2, 1), (61440, 2, 1)]


def test_pitfall_17_launches_whose_kernel_is_missing_are_counted(tmp_path: Path) -> None:
    silent = call("cudaStreamSynchronize", 3, 4), call("cudaMemsetAsync", 3, 5), call("cudaLaunchHostFunc", 3, 6)

    execution = read_trace(tmp_path, call("cudaLaunchKernel", 1, 1), call("cudaGraphLaunch", 2, 2), *silent, *launched("k", 5, 3))

    assert noted(execution, "no kernel in the file for 2 launch calls (event 1 first)")


def test_pitfall_17_launches_without_any_kernel_are_refused(tmp_path: Path) -> None:
    assert "the profiler delivered nothing from the device" in refusal(tmp_path, call("cudaLaunchKernel", 1, 1))


def test_pitfall_18_a_kernel_that_runs_in_the_next_step_belongs_to_the_step_that_launched_it(tmp_path: Path) -> None:
    steps = annotation("ProfilerStep#1", 0, 100), annotation("ProfilerStep#2", 100, 100)
    mirrors = mirrored("ProfilerStep#2", 100, 100, external=9)

    (one,) = read_trace(tmp_path, *steps, mirrors, *launched("k", 90, 1, after=60)).kernels

    assert [span.name for span in one.ranges] == ["ProfilerStep#1"]


def test_pitfall_20_an_annotation_of_another_thread_is_not_around_a_launch(tmp_path: Path) -> None:
    spans = annotation("mine", 0, 50, thread=1), annotation("other", 0, 50, thread=2)

    execution = read_trace(tmp_path, *spans, call("cudaLaunchKernel", 5, 1, thread=2), kernel("k", 200))

    assert [span.name for span in execution.kernels[0].ranges] == ["other"]
    assert [span.name for span in execution.annotations] == ["mine", "other"]


def test_pitfall_25_devices_are_kept_apart_and_said(tmp_path: Path) -> None:
    second: Event = {**kernel("b", 10, 5, device=1), "pid": 1}

    execution = read_trace(tmp_path, kernel("a", 10, 5), second)

    assert totals(execution).busy_ps == {0: 5_000_000, 1: 5_000_000}
    assert noted(execution, "kernels of 2 devices run beside each other")


def test_pitfall_25_the_rank_is_that_of_the_file_then_that_of_its_name(tmp_path: Path) -> None:
    assert read_profile(written(tmp_path, trace_text(kernel()), "trace_rank4.json")).rank == 4
    assert read_trace(tmp_path, kernel(), name="trace.json", distributedInfo={"rank": 2, "world_size": 4}).rank == 2
    assert read_trace(tmp_path, kernel()).rank is None


def test_pitfall_26_overheads_of_the_profiler_are_spans_of_their_own(tmp_path: Path) -> None:
    flush = event("overhead", "Buffer Flush", 40, "#2.5#", process=-1, thread=0)

    execution = read_trace(tmp_path, flush, *launched("k", 1, 1))

    assert [(span.name, span.start_ps, span.end_ps) for span in execution.overheads] == [("Buffer Flush", 40_000_000, 42_500_000)]
    assert noted(execution, "the profiler itself took 2.500 us in 1 place")


def test_pitfall_28_computed_occupancy_is_not_taken_and_shared_memory_stays_one_sum(tmp_path: Path) -> None:
    computed: dict[str, object] = {"est. achieved occupancy %": 42, "blocks per SM": 0.03, "warps per SM": 0.12}

    plain, rich = (read_trace(tmp_path, kernel("k", more=extra)).kernels[0].shape for extra in (None, computed))

    assert plain == rich
    assert (rich.static_shared_bytes, rich.dynamic_shared_bytes, rich.shared_bytes) == (None, None, 1024)
