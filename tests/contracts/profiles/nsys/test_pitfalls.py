"""The known ways to misread an export of Nsight Systems, each on a small one; the numbers are those of the list of pitfalls."""

from __future__ import annotations

from pathlib import Path

import pytest

from megasolve.contracts.profiles import Granularity, GraphNode, GraphReplay, Kernel, ProfileRefused, Site, totals
from tests.support.profiles.nsys import KERNELS, PID, Export, global_id, one_kernel

NS = 1000


def names(kernel: Kernel) -> list[str]:
    """Return the names of the ranges around the launch of *kernel*."""
    return [found.name for found in kernel.ranges]


def replayed_at_node_level() -> Export:
    """Return two replays of a graph of three kernels; the graph was captured, instantiated, and cloned once more."""
    export = Export()
    export.row("META_DATA_CAPTURE", name="PROCESS_0:CUDA_GRAPH_TRACE_OPTIONS:MODE", value="Node")
    for captured in (11, 12, 13):
        for node, origin in ((captured, None), (captured + 10, captured), (captured + 20, captured + 10)):
            export.row("CUDA_GRAPH_NODE_EVENTS", start=5, end=5, globalTid=global_id(), graphNodeId=node, originalGraphNodeId=origin)
    for replay, launched in enumerate((1000, 5000)):
        export.range(f"step {replay}", launched - 10, launched + 50)
        export.call("cudaGraphLaunch_v10000", launched, launched + 40, 70 + replay)
        for position, node in enumerate((31, 32, 33)):
            start = launched + 200 + 100 * position
            export.kernel(f"kernel {position}", start, start + 80, 70 + replay, graphNodeId=node, graphId=4)
    return export


def test_pitfall_01_graph_replays_hide_kernels_and_are_never_idle(tmp_path: Path) -> None:
    export = one_kernel()
    export.row("META_DATA_CAPTURE", name="CUDA_GRAPH_TRACE_OPTIONS:MODE", value="Graph")
    for start in (6000, 4000):
        export.call("cudaGraphLaunch_v10000", start - 100, start - 50, start)
        export.replay(start, start + 1500, start)
    execution = export.read(tmp_path)
    assert (execution.granularity, execution.versions["graph trace"]) == (Granularity.GRAPH, "Graph")
    site = Site(device=0, context=1, stream=7, process=PID)
    assert execution.replays == (GraphReplay(site, 4000 * NS, 1500 * NS, 2, graph=3), GraphReplay(site, 6000 * NS, 1500 * NS, 1, graph=3))
    assert len(execution.kernels) == 1
    assert execution.notes == (
        "2 CUDA graph replays in one row each, with hidden kernels: busy time, not idle; record with --cuda-graph-trace=node",
    )


def test_pitfall_01_a_profile_of_nothing_but_replays_is_read(tmp_path: Path) -> None:
    export = Export()
    export.replay(4000, 5500)
    execution = export.read(tmp_path)
    assert (execution.kernels, len(execution.replays), execution.granularity) == ((), 1, Granularity.GRAPH)


def test_pitfall_01_graph_launches_that_left_no_row_are_noticed(tmp_path: Path) -> None:
    export = one_kernel()
    export.call("cudaGraphLaunch_v10000", 4000, 4100, 2)
    export.call("cudaGraphLaunch_v10000", 4200, 4300, 3, returned=700)
    execution = export.read(tmp_path)
    assert execution.granularity is Granularity.GRAPH
    assert execution.notes == (
        "1 launch of CUDA graphs with neither kernels nor a replay in the file: kernels are hidden; record with --cuda-graph-trace=node",
    )


def test_pitfall_01_a_recorded_mode_without_graphs_hides_nothing(tmp_path: Path) -> None:
    export = one_kernel()
    export.row("META_DATA_CAPTURE", name="CUDA_GRAPH_TRACE_OPTIONS:MODE", value="Graph")
    execution = export.read(tmp_path)
    assert (execution.granularity, execution.notes) == (Granularity.KERNEL, ())


def test_pitfall_02_kernels_recorded_inside_replays_carry_a_warning(tmp_path: Path) -> None:
    execution = replayed_at_node_level().read(tmp_path)
    assert (execution.granularity, execution.versions["graph trace"]) == (Granularity.KERNEL, "Node")
    (note,) = execution.notes
    assert note.startswith("6 kernels recorded inside CUDA graph replays (node level), which lengthens the replays:")


def test_pitfall_02_replays_whose_kernels_are_listed_too_are_not_counted_twice(tmp_path: Path) -> None:
    export = replayed_at_node_level()
    export.replay(1200, 1480, 70)
    execution = export.read(tmp_path)
    assert (len(execution.kernels), execution.replays, execution.granularity) == (6, (), Granularity.KERNEL)


def test_pitfall_03_kernels_of_one_replay_share_a_correlation_and_differ_by_captured_node(tmp_path: Path) -> None:
    kernels = replayed_at_node_level().read(tmp_path).kernels
    assert [kernel.correlation for kernel in kernels] == [70, 70, 70, 71, 71, 71]
    assert [kernel.graph for kernel in kernels] == [GraphNode(4, 11), GraphNode(4, 12), GraphNode(4, 13)] * 2
    assert kernels[0].graph is kernels[3].graph


def test_pitfall_03_nodes_that_name_each_other_end_somewhere(tmp_path: Path) -> None:
    export = one_kernel()
    for node, origin in ((1, 2), (2, 1)):
        export.row("CUDA_GRAPH_NODE_EVENTS", start=5, end=5, globalTid=global_id(), graphNodeId=node, originalGraphNodeId=origin)
    export.kernel("looped", 4000, 5000, graphNodeId=1)
    assert export.read(tmp_path).kernels[-1].graph in {GraphNode(None, 1), GraphNode(None, 2)}


def test_pitfall_03_a_node_number_of_zero_is_no_graph(tmp_path: Path) -> None:
    export = one_kernel()
    export.kernel("eager", 4000, 5000, graphNodeId=0, graphId=0)
    assert export.read(tmp_path).kernels[-1].graph is None


def test_pitfall_04_calls_during_capture_launch_nothing(tmp_path: Path) -> None:
    export = one_kernel()
    export.call("cudaStreamBeginCapture_v10000", 100, 110)
    for correlation in range(20, 60):
        export.call("cudaLaunchKernel_v7000", 100 + correlation, 105 + correlation, correlation)
    export.call("cudaStreamEndCapture_v10000", 200, 210)
    execution = export.read(tmp_path)
    assert len(execution.kernels) == 1
    assert [(window.start_ps, window.end_ps) for window in execution.captures] == [(100 * NS, 210 * NS)]


def test_pitfall_05_conditional_graphs_are_warned_of(tmp_path: Path) -> None:
    export = replayed_at_node_level()
    export.call("cudaGraphConditionalHandleCreate_v12030", 1, 2)
    assert any("of a while node only the first iteration is recorded" in note for note in export.read(tmp_path).notes)


def test_pitfall_06_correlation_numbers_count_only_inside_their_process(tmp_path: Path) -> None:
    export = Export()
    for process in (10, 11):
        export.range(f"process {process}", 0, 100, process=process)
        export.call("cudaLaunchKernel_v7000", 50, 60, 5, process=process)
        export.kernel("step", 70, 80, 5, process=process, deviceId=process)
    export.kernel("step", 90, 95, 5, process=12, deviceId=0)
    execution = export.read(tmp_path)
    assert [names(kernel) for kernel in execution.kernels] == [["process 10"], ["process 11"], []]
    assert execution.notes == ("1 of 3 kernels without a launch call in the file, so no NVTX range",)


def test_pitfall_07_streams_add_up_to_more_than_the_time_that_was_busy(tmp_path: Path) -> None:
    export = Export()
    export.kernel("left", 0, 100, streamId=7)
    export.kernel("right", 20, 90, streamId=8)
    found = totals(export.read(tmp_path))
    assert (found.sum_ps, found.union_ps, found.span_ps) == (170 * NS, 100 * NS, 100 * NS)


def test_pitfall_08_kernels_that_overlap_on_one_stream_keep_their_times(tmp_path: Path) -> None:
    export = Export()
    export.kernel("primary", 0, 100)
    export.kernel("dependent", 80, 150)
    execution = export.read(tmp_path)
    assert [(kernel.start_ps, kernel.end_ps) for kernel in execution.kernels] == [(0, 100 * NS), (80 * NS, 150 * NS)]
    assert totals(execution).union_ps == 150 * NS


def test_pitfall_10_kernels_and_replays_whose_times_were_not_collected_are_dropped_and_counted(tmp_path: Path) -> None:
    export = one_kernel()
    export.kernel("lost", 0, 0)
    export.kernel("first", 0, 5)
    export.replay(0, 0)
    execution = export.read(tmp_path)
    assert [kernel.shape.name for kernel in execution.kernels] == ["first", "decode<float>(float *)"]
    assert execution.dropped == {"kernels without times": 1, "graph replays without times": 1}


def test_pitfall_10_a_profile_of_nothing_else_is_refused(tmp_path: Path) -> None:
    export = Export()
    export.kernel("lost", 0, 0)
    with pytest.raises(ProfileRefused, match=r"holds no kernels with times: start and end are 0 \(not collected\) in 1 row;"):
        export.read(tmp_path)


def test_pitfall_11_a_negative_duration_is_refused_and_never_turned_round(tmp_path: Path) -> None:
    export = one_kernel()
    export.replay(4000, 3999)
    with pytest.raises(ProfileRefused, match="CUPTI_ACTIVITY_KIND_GRAPH_TRACE row 1: ends at 3,999 ns, before it starts at 4,000 ns"):
        export.read(tmp_path)


def test_pitfall_11_a_range_that_ends_before_it_starts_is_dropped_and_counted(tmp_path: Path) -> None:
    export = one_kernel()
    export.range("backward", 960, 800)
    execution = export.read(tmp_path)
    assert (execution.annotations, execution.dropped) == ((), {"NVTX ranges that end before they start": 1})


def test_pitfall_19_the_old_table_of_graph_events_is_known_by_its_columns(tmp_path: Path) -> None:
    export = replayed_at_node_level()
    export.rows["CUDA_GRAPH_EVENTS"] = export.rows.pop("CUDA_GRAPH_NODE_EVENTS")
    assert export.read(tmp_path).kernels[0].graph == GraphNode(4, 11)


def test_pitfall_19_the_new_table_of_graph_events_says_nothing_about_nodes(tmp_path: Path) -> None:
    export = replayed_at_node_level()
    del export.rows["CUDA_GRAPH_NODE_EVENTS"]
    export.row("CUDA_GRAPH_EVENTS", start=5, end=5, globalTid=global_id(), graphId=4, originalGraphId=31, graphExecId=2)
    assert export.read(tmp_path).kernels[0].graph == GraphNode(4, 31)


@pytest.mark.parametrize("table", ["META_DATA_EXPORT", "EXPORT_META_DATA"])
def test_pitfall_19_versions_are_read_from_either_table_of_metadata(tmp_path: Path, table: str) -> None:
    export = one_kernel()
    del export.rows["META_DATA_EXPORT"]
    export.row(table, name="EXPORT_PRODUCT_VERSION", value="2022.2.1.31")
    export.row(table, name="EXPORT_SCHEMA_VERSION", value="2.9.1")
    assert export.read(tmp_path).versions == {"Nsight Systems": "2022.2.1.31", "schema": "2.9.1"}


@pytest.mark.parametrize("suffix", ["_V2", "_V3"])
def test_pitfall_19_a_versioned_table_is_read_and_the_newest_filled_one_counts(tmp_path: Path, suffix: str) -> None:
    export = one_kernel()
    export.range("old", 800, 960)
    export.rows["NVTX_EVENTS" + suffix] = [{**export.rows["NVTX_EVENTS"][0], "text": "new"}]
    export.rows["NVTX_EVENTS_V9"] = []
    export.rows[KERNELS + suffix] = export.rows.pop(KERNELS)
    assert names(export.read(tmp_path).kernels[0]) == ["new"]


def test_pitfall_19_an_export_of_the_fewest_columns_is_read(tmp_path: Path) -> None:
    export = Export()
    export.row(KERNELS, start=0, end=10, demangledName=export.string("step"))
    (kernel,) = export.read(tmp_path).kernels
    assert (kernel.shape.name, kernel.shape.grid, kernel.site, kernel.correlation) == ("step", None, Site(), None)


def test_pitfall_20_ranges_belong_to_the_thread_and_time_of_the_launch_call(tmp_path: Path) -> None:
    export = Export()
    export.range("of the launch", 90, 130)
    export.range("of the kernel's own time", 900, 1200)
    export.range("of another thread", 50, 500, thread=2)
    export.call("cudaLaunchKernel_v7000", 100, 120, 1)
    export.kernel("step", 1000, 1100, 1)
    assert names(export.read(tmp_path).kernels[0]) == ["of the launch"]


def test_pitfall_20_kernels_of_a_graph_take_the_ranges_of_its_launch(tmp_path: Path) -> None:
    kernels = replayed_at_node_level().read(tmp_path).kernels
    assert [names(kernel) for kernel in kernels] == [["step 0"]] * 3 + [["step 1"]] * 3
    assert kernels[0].ranges is kernels[2].ranges


def test_pitfall_20_the_outermost_of_the_calls_with_one_correlation_counts(tmp_path: Path) -> None:
    export = Export()
    export.call("cuLaunchKernel", 105, 115, 1)
    export.call("cudaLaunchKernel", 100, 120, 1)
    export.range("inside the call", 102, 119)
    export.range("around the call", 90, 130)
    export.kernel("step", 1000, 1100, 1)
    assert names(export.read(tmp_path).kernels[0]) == ["around the call"]


def test_pitfall_20_names_stand_in_the_row_or_among_the_strings(tmp_path: Path) -> None:
    export = Export()
    export.range("outer", 10, 200)
    export.range(None, 90, 130, textId=export.string("registered"))
    export.call("cudaLaunchKernel_v7000", 100, 120, 1)
    export.kernel("step", 1000, 1100, 1)
    execution = export.read(tmp_path)
    assert names(execution.kernels[0]) == ["outer", "registered"]
    assert [found.name for found in execution.annotations] == ["outer", "registered"]
    assert execution.kernels[0].ranges[0] is execution.annotations[0]


def test_pitfall_25_two_devices_are_summed_apart(tmp_path: Path) -> None:
    export = Export()
    for process, device in ((10, 0), (11, 1)):
        export.kernel("step", 0, 100, process=process, deviceId=device)
    execution = export.read(tmp_path)
    found = totals(execution)
    assert (found.busy_ps, found.sum_ps, found.span_ps) == ({0: 100 * NS, 1: 100 * NS}, 200 * NS, 100 * NS)
    assert {(kernel.site.process, kernel.site.device) for kernel in execution.kernels} == {(10, 0), (11, 1)}


def test_pitfall_26_the_profilers_own_time_is_kept_apart_each_once(tmp_path: Path) -> None:
    export = one_kernel()
    for table in ("PROFILER_OVERHEAD", "CUPTI_ACTIVITY_KIND_OVERHEAD"):
        export.row(table, start=10, end=40, globalTid=global_id(thread=3), nameId=export.string("CUPTI Buffer flush"))
    export.row("PROFILER_OVERHEAD", start=5, end=8, globalTid=global_id(thread=3), nameId=export.string("dlopen(/home/ada/libcuda.so.1)"))
    found = export.read(tmp_path).overheads
    assert [(span.name, span.start_ps, span.end_ps) for span in found] == [
        ("dlopen", 5 * NS, 8 * NS),
        ("CUPTI Buffer flush", 10 * NS, 40 * NS),
    ]


def test_pitfall_29_nothing_about_the_machine_and_its_users_is_read(tmp_path: Path) -> None:
    secret = "s3cret-ada"
    export = replayed_at_node_level()
    export.row("TARGET_INFO_SYSTEM_ENV", name="DeviceEnvironment", value=f"HF_TOKEN={secret}", nameEnum=1)
    export.row("TARGET_INFO_GPU", id=0, name="NVIDIA H100", uuid=secret, busLocation=secret)
    export.row("PROCESSES", globalPid=global_id(), pid=PID, name=f"/home/{secret}/serve")
    export.row("ThreadNames", nameId=export.string(f"{secret} thread"), globalTid=global_id(thread=1))
    export.row("ANALYSIS_FILE", id=1, filename=f"/home/{secret}/run.py")
    export.row("OSRT_FILE_ACCESS_DESCRIPTORS", filePath=f"/home/{secret}/.netrc")
    export.row("DIAGNOSTIC_EVENT", timestamp=1, text=f"{secret} attached")
    for key in ("EXPORT_HOST", "EXPORT_USER", "EXPORT_PARAM_INPUT_PATH_ABS"):
        export.row("META_DATA_EXPORT", name=key, value=secret)
    for key in ("PROCESS_0:COMMAND", "PROCESS_0:ENVIRONMENT_VARIABLE", "PROCESS_0:USER_NAME", "DEVICE_DISPLAY_NAME"):
        export.row("META_DATA_CAPTURE", name=key, value=secret)
    export.range(f"rank of {secret}", 1, None, kind=39)
    export.row("PROFILER_OVERHEAD", start=5, end=8, globalTid=global_id(), nameId=export.string(f"dlopen(/home/{secret}/libcuda.so.1)"))
    assert secret not in repr(export.read(tmp_path))


def test_pitfall_30_an_export_of_a_program_without_a_gpu_says_what_it_holds(tmp_path: Path) -> None:
    export = Export()
    export.row("OSRT_API", start=1, end=2)
    export.row("SAMPLING_CALLCHAINS", id=1)
    with pytest.raises(ProfileRefused, match="there are only calls of OS libraries and CPU samples; record with --trace=cuda,nvtx"):
        export.read(tmp_path)


def test_pitfall_30_a_profile_of_hidden_graphs_alone_is_asked_to_be_recorded_at_node_level(tmp_path: Path) -> None:
    export = Export()
    export.call("cudaGraphLaunch_v10000", 4000, 4100, 2)
    with pytest.raises(
        ProfileRefused, match=r"only CUDA calls \(1 launch of CUDA graphs among them: record with --cuda-graph-trace=node\)"
    ):
        export.read(tmp_path)
