"""The launches in nsys's cuda_kern_exec_trace: kernels with the calls that launched them."""

from __future__ import annotations

from pathlib import Path

import pytest

from megasolve.contracts.profiles import Execution, Format, GraphNode, KernelShape, ProfileRefused, Site, read_profile
from megasolve.contracts.profiles.nsys.csv.exec_trace import LAUNCHED_TWICE
from megasolve.contracts.profiles.nsys.csv.trace import NOT_COLLECTED
from tests.support.profiles.reports import EXEC_HEADER, SUM_HEADER, TRACE_HEADER, exec_row, kernel_row, sum_row, table, written

UNFORMATTED = EXEC_HEADER.replace("Start (ns)", "Start:ts_ns").replace("Dur (ns)", "Dur:dur_ns")


def read(folder: Path, text: str) -> Execution:
    return read_profile(written(folder, text))


def reason(folder: Path, text: str) -> str:
    with pytest.raises(ProfileRefused) as caught:
        read(folder, text)
    return caught.value.reason


@pytest.mark.parametrize("header", [EXEC_HEADER, UNFORMATTED])
def test_a_row_is_a_kernel_with_its_time_shape_device_and_process(tmp_path: Path, header: str) -> None:
    execution = read(tmp_path, table(header, [exec_row(100, 1000, 500)]))
    (kernel,) = execution.kernels
    assert (execution.format, execution.is_timeline) == (Format.NSYS_EXEC_TRACE, True)
    assert kernel.shape == KernelShape("gemm<int, 4>(int)", (132, 2, 1), (256, 1, 1))
    assert (kernel.start_ps, kernel.duration_ps, kernel.row, kernel.graph) == (1_000_000, 500_000, 2, None)
    assert kernel.site == Site(device=0, process=41)
    assert any("neither streams, registers and shared memory" in note for note in execution.notes)


def test_kernels_are_in_order_of_start_while_rows_are_in_order_of_their_calls(tmp_path: Path) -> None:
    first, second = read(tmp_path, table(EXEC_HEADER, [exec_row(100, 3000), exec_row(200, 2000)])).kernels
    assert (first.start_ps, first.correlation) == (2_000_000, 2)
    assert (second.start_ps, second.correlation) == (3_000_000, 1)
    assert first.shape is second.shape


def test_the_kernels_of_a_graph_share_its_launch_call(tmp_path: Path) -> None:
    rows = [exec_row(100, start, api="cudaGraphLaunch") for start in (1000, 2000)]
    kernels = read(tmp_path, table(EXEC_HEADER, rows)).kernels
    assert [(kernel.graph, kernel.correlation) for kernel in kernels] == [(GraphNode(), 1), (GraphNode(), 1)]


def test_a_kernel_stands_once_where_a_runtime_and_a_driver_call_launched_it(tmp_path: Path) -> None:
    rows = [exec_row(100, api="cudaLaunchKernel"), exec_row(105, api="cuLaunchKernel"), exec_row(100, 4000)]
    execution = read(tmp_path, table(EXEC_HEADER, rows))
    assert [(kernel.start_ps, kernel.row) for kernel in execution.kernels] == [(1_000_000, 2), (4_000_000, 4)]
    assert execution.dropped == {LAUNCHED_TWICE: 1}


def test_equal_numbers_in_two_processes_are_two_calls(tmp_path: Path) -> None:
    rows = [exec_row(100, process=41), exec_row(100, process=42)]
    assert [kernel.correlation for kernel in read(tmp_path, table(EXEC_HEADER, rows)).kernels] == [1, 2]


def test_times_in_another_unit_and_times_that_were_not_collected(tmp_path: Path) -> None:
    in_us = EXEC_HEADER.replace("(ns)", "(us)")
    execution = read(tmp_path, table(in_us, [exec_row("0.1", "1.000", "0.500"), exec_row("0.2", 0, 0), exec_row("0.3", "2.0", "0")]))
    assert [kernel.duration_ps for kernel in execution.kernels] == [500_000, 0]
    assert execution.dropped == {NOT_COLLECTED: 1}
    assert any(note == "1 kernel without a duration, the first on line 4" for note in execution.notes)
    assert any(note.startswith("times are rounded to 1,000 ns") for note in execution.notes)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (table(EXEC_HEADER, []), "line 1: the cuda_kern_exec_trace report has no kernels"),
        (table(EXEC_HEADER, [exec_row(start="")]), "line 2: Kernel Start (ns)"),
        (table(EXEC_HEADER, [exec_row(duration="-5")]), "line 2: Kernel Dur (ns) is negative (-5)"),
        (table(EXEC_HEADER, [exec_row(name=" ")]), "line 2: Kernel Name is empty"),
        (table(EXEC_HEADER, [exec_row()[:-1]]), "line 2: has 13 columns, the header on line 1 has 14"),
        (table(EXEC_HEADER.replace("Kernel Start (ns)", "Kernel Start"), [exec_row()]), "line 1: column 'Kernel Start' names no unit"),
    ],
)
def test_what_is_no_kernel_is_refused_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    assert reason(tmp_path, text).startswith(said)


def test_a_trace_with_streams_goes_before_it_and_it_before_a_summary(tmp_path: Path) -> None:
    mine, sums, trace = table(EXEC_HEADER, [exec_row()]), table(SUM_HEADER, [sum_row()]), table(TRACE_HEADER, [kernel_row()])
    for text in (f"{mine}\n{sums}", f"{sums}\n{mine}"):
        assert read(tmp_path, text).format is Format.NSYS_EXEC_TRACE
    for text in (f"{mine}\n{trace}", f"{trace}\n{mine}"):
        assert read(tmp_path, text).format is Format.NSYS_GPU_TRACE
