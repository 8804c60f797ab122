from __future__ import annotations

import gzip
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.contracts.profiles import Format, Granularity, GraphNode, Kernel, KernelShape, LaunchCall, ObservedDevice, Site
from megasolve.contracts.profiles.kineto.fields import time_ps
from megasolve.contracts.profiles.kineto.trace import read_kineto
from megasolve.contracts.profiles.text.source import source
from tests.support.profiles.kineto_traces import (
    PROCESS,
    Event,
    annotation,
    call,
    event,
    kernel,
    launched,
    mirrored,
    read_trace,
    rocm_kernel,
    trace_text,
    written,
)

H100 = {"id": 0, "name": "NVIDIA H100", "computeMajor": 9, "computeMinor": 0, "warpSize": 32, "numSms": 132}


def names(one: Kernel) -> list[str]:
    return [span.name for span in one.ranges]


def test_a_kernel_is_read_with_all_that_its_event_says(tmp_path: Path) -> None:
    launch, ran = call("cudaLaunchKernel", 1, 5), kernel("gemm", "#12.001#", "#3.5#", stream=13, correlation=5)

    execution = read_trace(tmp_path, launch, ran)

    shape = KernelShape("gemm", (4, 1, 1), (128, 1, 1), registers=32, shared_bytes=1024)
    site = Site(device=0, context=1, stream=13, process=PROCESS)
    ran_as = Kernel(shape, site, 12_001_000, 3_500_000, row=2, correlation=5, call=LaunchCall(1_000_000, 2_000_000))
    assert execution.kernels == (ran_as,)
    assert (execution.format, execution.granularity) == (Format.KINETO, Granularity.KERNEL)


def test_a_gzip_file_reads_as_the_plain_one_does(tmp_path: Path) -> None:
    text = trace_text(*launched("k", 1, 1))
    plain = read_kineto(source(written(tmp_path, text)))
    zipped = read_kineto(source(written(tmp_path, gzip.compress(text.encode()), "trace.bin")))

    assert zipped.kernels == plain.kernels
    assert zipped.sha256 != plain.sha256


def test_a_bare_array_of_events_is_a_trace(tmp_path: Path) -> None:
    text = trace_text(kernel("a"))
    bare = text[text.index("[") : text.rindex("]") + 1]

    assert [one.shape.name for one in read_kineto(source(written(tmp_path, bare))).kernels] == ["a"]


def test_kernels_are_in_order_of_start_whatever_the_order_of_the_file(tmp_path: Path) -> None:
    execution = read_trace(tmp_path, kernel("late", 30), kernel("early", 10), kernel("same", 30))

    assert [one.shape.name for one in execution.kernels] == ["early", "late", "same"]


def test_the_trace_of_early_2021_is_read(tmp_path: Path) -> None:
    launch: Event = {**call("cudaLaunchKernel", 1610366662254500, 9), "cat": "Runtime", "tid": "1890023232"}
    ran: Event = {**kernel("k", 1610366662254562, 397, correlation=9), "cat": "Kernel", "tid": "stream 7"}
    del ran["args"]["stream"]
    step: Event = {**event("Operator", "ProfilerStep#5", 1610366662254410, 159174), "tid": "1890023232"}
    properties = {"id": 0, "name": "Tesla V100", "major": 7, "minor": 0, "warpSize": 32, "multiProcessorCount": 80}

    execution = read_trace(tmp_path, launch, ran, step, computeProperties=[properties])

    (one,) = execution.kernels
    assert (one.start_ps, one.duration_ps, one.site.stream) == (1610366662254562_000_000, 397_000_000, 7)
    assert names(one) == ["ProfilerStep#5"]
    assert execution.devices == (ObservedDevice(0, "Tesla V100", 80, "7.0"),)


def test_the_fields_of_2026_are_read_and_an_id_of_0_is_no_graph(tmp_path: Path) -> None:
    launches = call("cudaGraphLaunch", 1, 1), call("cudaLaunchKernel", 2, 2)
    inside = kernel("inside", 10, correlation=1, more={"graph id": 6, "graph node id": 25769803777, "occupancy": {"limitingFactors": 3}})
    outside = kernel("outside", 20, correlation=2, more={"graph id": 0, "graph node id": 0})

    execution = read_trace(tmp_path, *launches, inside, outside)

    assert [one.graph for one in execution.kernels] == [GraphNode(6, 25769803777), None]


def test_equal_shapes_sites_and_ranges_are_one_object(tmp_path: Path) -> None:
    marks = [annotation("step", 0, 100)]
    first, second = read_trace(tmp_path, *marks, *launched("k", 1, 1), *launched("k", 20, 2)).kernels

    assert first.shape is second.shape
    assert first.site is second.site
    assert first.ranges[0] is second.ranges[0]


def test_copies_and_sets_are_counted_but_are_no_kernels(tmp_path: Path) -> None:
    copies = [event(category, "Memcpy DtoD", 5, 5) for category in ("gpu_memcpy", "gpu_memset", "Memcpy", "Memset")]

    execution = read_trace(tmp_path, *copies, kernel("ncclDevKernel_AllReduce"))

    assert [one.shape.name for one in execution.kernels] == ["ncclDevKernel_AllReduce"]
    assert execution.dropped == {"memory copies and sets": 4}


def test_devices_versions_and_rank_come_from_the_head_of_the_file(tmp_path: Path) -> None:
    amd = {"id": 1, "name": "", "computeMajor": 9, "computeMinor": 4, "warpSize": 64, "numSms": 304}
    ranks = {"rank": 3, "world_size": 8}

    execution = read_trace(
        tmp_path,
        kernel(),
        deviceProperties=[H100, amd],
        distributedInfo=ranks,
        cupti_version=28,
        cuda_runtime_version=12090,
        cuda_driver_version=13000,
    )

    assert execution.devices == (ObservedDevice(0, "NVIDIA H100", 132, "9.0"), ObservedDevice(1, None, 304, None))
    assert execution.versions == {"Kineto schema": "1", "CUPTI": "28", "CUDA runtime": "12.9", "CUDA driver": "13.0"}
    assert (execution.rank, execution.world_size) == (3, 8)


def test_what_the_head_says_after_the_events_counts_too(tmp_path: Path) -> None:
    text = trace_text(kernel())[:-1] + ', "distributedInfo": {"rank": 2}}'

    assert read_kineto(source(written(tmp_path, text))).rank == 2


def test_host_user_and_path_reach_no_part_of_the_execution(tmp_path: Path) -> None:
    secrets = {"host_name": "SECRET", "username": "SECRET", "INFO": ["SECRET"], "metadata": {"env": "SECRET"}}
    process = {"name": "process_name", "ph": "M", "pid": PROCESS, "tid": 0, "ts": 0, "args": {"name": "SECRET"}}
    text = trace_text(process, *launched("k", 1, 1), **secrets).replace("t.json", "/home/SECRET/t.json")

    assert "SECRET" not in repr(read_kineto(source(written(tmp_path, text))))


def test_surrogates_in_a_name_become_text_that_can_be_written(tmp_path: Path) -> None:
    (one,) = read_trace(tmp_path, kernel("a\ud800b")).kernels

    assert one.shape.name == "a?b"


@given(ns=st.integers(0, 2 * 10**18))
@settings(max_examples=50)
def test_a_time_in_nanoseconds_survives_its_decimal_text(ns: int) -> None:
    assert time_ps(f"{ns // 1000}.{ns % 1000:03}") == ns * 1000


def test_ranges_are_those_around_the_launch_outermost_first(tmp_path: Path) -> None:
    spans = (
        annotation("inner", 10, 20),
        annotation("outer", 0, 100),
        annotation("before", 0, 9),
        annotation("other thread", 0, 100, thread=2),
    )

    (one,) = read_trace(tmp_path, *spans, *launched("k", 15, 1, after=500)).kernels

    assert names(one) == ["outer", "inner"]


def test_a_mark_of_a_step_holds_for_every_thread_of_the_process(tmp_path: Path) -> None:
    spans = annotation("ProfilerStep#3", 0, 100), annotation("forward", 0, 100)
    backward = call("cudaLaunchKernel", 15, 1, thread=2)

    (one,) = read_trace(tmp_path, *spans, backward, kernel("k", 30)).kernels

    assert names(one) == ["ProfilerStep#3"]


def test_annotations_that_only_overlap_both_count(tmp_path: Path) -> None:
    spans = annotation("first", 0, 20), annotation("second", 10, 20)

    execution = read_trace(tmp_path, *spans, *launched("a", 5, 1), *launched("b", 15, 2), *launched("c", 25, 3), *launched("d", 35, 4))

    assert [names(one) for one in execution.kernels] == [["first"], ["first", "second"], ["second"], []]


def test_the_mirror_of_an_annotation_places_a_kernel_whose_launch_is_not_in_the_file(tmp_path: Path) -> None:
    host = annotation("step", 0, 10, external=4)
    mirrors = mirrored("step", 50, 20, external=4), mirrored("step", 40, 60, stream=9, external=4)
    kernels = kernel("inside", 55), kernel("outside", 80), kernel("beside", 80, stream=9)

    execution = read_trace(tmp_path, host, *mirrors, *kernels)

    assert [names(one) for one in execution.kernels] == [["step"], [], ["step"]]
    assert [span.start_ps for span in execution.annotations] == [0], "one span, that of the host, for the annotation and its mirrors"
    assert execution.kernels[0].ranges[0] is execution.annotations[0]


def test_an_annotation_that_only_the_device_has_is_one_span_over_all_its_streams(tmp_path: Path) -> None:
    mirrors = mirrored("step", 50, 20, external=4), mirrored("step", 40, 60, stream=9, external=4)

    execution = read_trace(tmp_path, *mirrors, kernel("a", 55), kernel("b", 80, stream=9))

    (span,) = execution.annotations
    assert (span.start_ps, span.end_ps) == (40_000_000, 100_000_000)
    assert all(one.ranges == (span,) for one in execution.kernels)


def test_the_mirror_does_not_place_a_kernel_whose_launch_is_known(tmp_path: Path) -> None:
    mirrors = annotation("step", 0, 10, external=4), mirrored("step", 50, 20, external=4)

    (one,) = read_trace(tmp_path, *mirrors, call("cudaLaunchKernel", 20, 1), kernel("k", 55)).kernels

    assert one.ranges == ()


def test_an_unknown_rocm_launch_shape_is_none(tmp_path: Path) -> None:
    (one,) = read_trace(tmp_path, rocm_kernel("k")).kernels

    assert one.shape == KernelShape("k")
    assert one.site == Site(device=2, context=None, stream=0)


def test_a_rank_in_the_name_that_contradicts_the_file_is_said(tmp_path: Path) -> None:
    execution = read_trace(tmp_path, kernel(), name="rank_1.json", distributedInfo={"rank": 0})

    assert execution.rank == 0
    assert "the file is of rank 0, but its name says rank 1" in execution.notes


def test_a_trace_without_anything_odd_has_no_notes(tmp_path: Path) -> None:
    assert read_trace(tmp_path, *launched("a", 1, 1), *launched("b", 20, 2)).notes == ()


def test_a_kernel_before_its_launch_call_is_said_to_be_one_of_clocks_that_disagree(tmp_path: Path) -> None:
    execution = read_trace(tmp_path, *launched("a", 1, 1), call("cudaLaunchKernel", 40, 2), kernel("b", 30, correlation=2))

    assert [note for note in execution.notes if "clocks" in note] == [
        "start before the launch call of 1 kernel (event 4 first): the clocks of host and device disagree"
    ]


def test_a_kernel_event_that_is_not_complete_is_counted_and_left_out(tmp_path: Path) -> None:
    execution = read_trace(tmp_path, kernel("a"), {**kernel("b"), "ph": "B"})

    assert [one.shape.name for one in execution.kernels] == ["a"]
    assert execution.dropped == {"kernel events other than complete ones (ph X)": 1}
