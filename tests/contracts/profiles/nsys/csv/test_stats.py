"""The CSV reports of `nsys stats`: kernels, summaries, every spelling of their columns, and rows that are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from megasolve.contracts.profiles import Execution, Format, Granularity, KernelShape, ObservedDevice, ProfileRefused, Site, totals
from megasolve.contracts.profiles.nsys.csv.stats import read_nsys_csv
from megasolve.contracts.profiles.text.source import source
from tests.support.profiles.reports import GPU, SUM_HEADER, TRACE_HEADER, kernel_row, memory_row, sum_row, table, written

BYTES_HEADER = TRACE_HEADER.replace("(MB)", "(byte)")
OLD_HEADER = TRACE_HEADER.replace("GreenCtx,", "").replace("MB/s", "MBps")
UNFORMATTED = (
    "Start:ts_ns,Duration:dur_ns,CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem:mem_B,DymSMem:mem_B,"
    "Bytes:mem_B,Throughput:thru_B,SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name"
)
ONLY_MEMORY = (
    "line 1: the cuda_gpu_trace report has no kernels, only memory operations (1);"
    " record again with --cuda-graph-trace=node if the program replays CUDA graphs"
)


def read(folder: Path, text: str) -> Execution:
    return read_nsys_csv(source(written(folder, text)))


def reason(folder: Path, text: str) -> str:
    with pytest.raises(ProfileRefused) as caught:
        read(folder, text)
    assert "\n" not in str(caught.value)
    return caught.value.reason


def test_a_trace_gives_times_shapes_and_places(tmp_path: Path) -> None:
    execution = read(tmp_path, table(BYTES_HEADER, [kernel_row(1000, 500, static=1536, dynamic=49152)]))
    assert (execution.format, execution.granularity) == (Format.NSYS_GPU_TRACE, Granularity.KERNEL)
    (kernel,) = execution.kernels
    assert kernel.shape == KernelShape("gemm<int, 4>(int)", (132, 2, 1), (256, 1, 1), 64, 1536, 49152, 50688)
    assert (kernel.start_ps, kernel.duration_ps, kernel.row, kernel.correlation) == (1_000_000, 500_000, 2, 11)
    assert kernel.site == Site(device=0, context=1, stream=7)
    assert execution.devices == (ObservedDevice(0, "NVIDIA H100 NVL"),)


def test_kernels_are_in_order_of_start_and_share_what_is_equal(tmp_path: Path) -> None:
    first, second = read(tmp_path, table(TRACE_HEADER, [kernel_row(2000), kernel_row(1000)])).kernels
    assert (first.start_ps, second.start_ps) == (1_000_000, 2_000_000)
    assert (first.row, second.row) == (3, 2)
    assert first.shape is second.shape
    assert first.site is second.site


@pytest.mark.parametrize(
    ("header", "unit_ns", "sizes"),
    [
        (TRACE_HEADER, 1, ("0.002", "0.049")),
        (BYTES_HEADER, 1, ("2000", "49000")),
        (UNFORMATTED, 1, ("2000", "49000")),
        (TRACE_HEADER.replace("(ns)", "(us)").replace("(MB)", "(KB)"), 1000, ("2.000", "49.000")),
        (TRACE_HEADER.replace("(ns)", "(nsec)"), 1, ("0.002", "0.049")),
        (TRACE_HEADER.replace(" (ns)", "(nsec)"), 1, ("0.002", "0.049")),
        (TRACE_HEADER.replace(" (ns)", "(nsec)").replace(" (MB)", ""), 1, ("2000", "49000")),
    ],
)
def test_the_unit_of_each_column_stands_in_its_header(tmp_path: Path, header: str, unit_ns: int, sizes: tuple[str, str]) -> None:
    row = kernel_row("12.345" if unit_ns > 1 else 12345, "1.5" if unit_ns > 1 else 1500, static=sizes[0], dynamic=sizes[1])
    (kernel,) = read(tmp_path, table(header, [row])).kernels
    assert (kernel.start_ps, kernel.duration_ps) == (12_345_000, 1_500_000)
    assert (kernel.shape.static_shared_bytes, kernel.shape.dynamic_shared_bytes) == (2000, 49000)


def test_reports_before_green_contexts_have_a_column_less(tmp_path: Path) -> None:
    row = kernel_row()
    del row[-3]
    (kernel,) = read(tmp_path, table(OLD_HEADER, [row])).kernels
    assert kernel.site == Site(device=0, context=1, stream=7)


def test_memory_operations_are_counted_and_are_no_kernels(tmp_path: Path) -> None:
    rows = [memory_row(), kernel_row(), memory_row(name="[CUDA memset]")]
    execution = read(tmp_path, table(TRACE_HEADER, rows))
    assert len(execution.kernels) == 1
    assert execution.dropped == {"memory operations": 2}


def test_the_trace_says_that_replays_of_whole_graphs_are_not_in_it(tmp_path: Path) -> None:
    assert any("leaves out CUDA graphs" in note for note in read(tmp_path, table(TRACE_HEADER, [kernel_row()])).notes)


def test_a_captured_output_is_read_past_what_nsys_says_around_the_table(tmp_path: Path) -> None:
    said = "Generating SQLite file x.sqlite from x.nsys-rep\nProcessing [x.sqlite] with [cuda_gpu_trace.py]... \n\n"
    title = " ** CUDA GPU Trace (cuda_gpu_trace):\n\n"
    execution = read(tmp_path, said + title + table(TRACE_HEADER, [kernel_row()]) + "\nProcessing [x.sqlite] with [y.py]...\n\n")
    assert [kernel.row for kernel in execution.kernels] == [7]


def test_of_several_reports_in_one_output_the_trace_is_read(tmp_path: Path) -> None:
    api = table("Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name", [sum_row(name="cudaMalloc")])
    both = f"{api}\n{table(SUM_HEADER, [sum_row()])}\n{table(TRACE_HEADER, [kernel_row()])}"
    assert read(tmp_path, both).format is Format.NSYS_GPU_TRACE
    assert read(tmp_path, f"{api}\n{table(SUM_HEADER, [sum_row()])}\n").format is Format.NSYS_KERN_SUM


def test_two_traces_in_one_file_are_refused(tmp_path: Path) -> None:
    one = table(TRACE_HEADER, [kernel_row()])
    assert reason(tmp_path, f"{one}\n{one}") == "line 4: a second cuda_gpu_trace report begins; import one recording at a time"


def test_a_row_below_an_empty_line_is_not_lost(tmp_path: Path) -> None:
    first, second = kernel_row(1000), kernel_row(2000)
    torn = table(TRACE_HEADER, [first]) + "\n" + table(TRACE_HEADER, [second]).partition("\n")[2]
    assert reason(tmp_path, torn) == "line 4: a row below the empty line that ends its table"


def test_a_summary_gives_sums_and_what_is_known_of_their_spread(tmp_path: Path) -> None:
    execution = read(tmp_path, table(SUM_HEADER, [sum_row(3000, 3)]))
    (summary,) = execution.summaries
    assert execution.format is Format.NSYS_KERN_SUM
    assert not execution.is_timeline
    assert (summary.instances, summary.total_ps, summary.row) == (3, 3_000_000, 2)
    assert (summary.mean_ps, summary.median_ps, summary.minimum_ps, summary.maximum_ps) == (1_000_000, 900_500, 800_000, 1_300_000)
    assert summary.shape == KernelShape("gemm<int, 4>(int)")
    assert totals(execution).kernels == 3


@pytest.mark.parametrize(("shares", "missing"), [((60.0, 40.0), False), ((99.9,), False), ((60.0, 1.2), True)])
def test_rows_that_are_missing_from_a_summary_show_in_its_shares(tmp_path: Path, shares: tuple[float, ...], missing: bool) -> None:
    rows = [sum_row(name=f"kernel{number}", share=share) for number, share in enumerate(shares)]
    notes = read(tmp_path, table(SUM_HEADER, rows)).notes
    assert ("the rows add up to 61.2 % of the time of all kernels, so some are missing" in notes) == missing


@pytest.mark.parametrize("row", [sum_row("", 3), sum_row(3000, 0), sum_row(name=" ")])
def test_a_row_of_a_summary_without_name_number_or_time_is_refused(tmp_path: Path, row: list[object]) -> None:
    assert reason(tmp_path, table(SUM_HEADER, [row])) == "line 2: a kernel needs Name, Instances and Total Time (ns)"


def test_the_summary_of_2022_that_tells_grids_apart_gives_them(tmp_path: Path) -> None:
    header = SUM_HEADER.replace("Name", "GridXYZ,BlockXYZ,Name")
    row = [*sum_row()[:-1], " 264    2    1", " 128    1    1", "gemm"]
    (summary,) = read(tmp_path, table(header, [row])).summaries
    assert summary.shape == KernelShape("gemm", (264, 2, 1), (128, 1, 1))


def test_the_summary_of_2020_names_its_unit_once(tmp_path: Path) -> None:
    header = "Time(%),Total Time (ns),Instances,Average,Minimum,Maximum,StdDev,Name"
    (summary,) = read(tmp_path, table(header, [[100.0, 3000, 3, "1000.0", 800, 1300, 1.0, "gemm"]])).summaries
    assert (summary.mean_ps, summary.median_ps, summary.maximum_ps) == (1_000_000, None, 1_300_000)


def test_columns_may_be_missing_and_then_nothing_is_known(tmp_path: Path) -> None:
    (kernel,) = read(tmp_path, table("Start (ns),Duration (ns),Strm,Name", [[10, 5, 7, "gemm"]])).kernels
    assert kernel.shape == KernelShape("gemm")
    assert kernel.site == Site(stream=7)
    assert kernel.correlation is None


def test_thousands_are_grouped_only_by_threes(tmp_path: Path) -> None:
    (kernel,) = read(tmp_path, table(TRACE_HEADER, [kernel_row("1,234,567", "12,345")])).kernels
    assert (kernel.start_ps, kernel.duration_ps) == (1_234_567_000, 12_345_000)
    expected = "line 3: Duration (ns): the comma of '1,5' is ambiguous: only groups of three digits are told from a decimal comma"
    assert reason(tmp_path, table(TRACE_HEADER, [kernel_row(), kernel_row(2000, "1,5")])) == expected


def test_a_semicolon_may_divide_the_cells_but_a_decimal_comma_stays_ambiguous(tmp_path: Path) -> None:
    text = table(TRACE_HEADER, [kernel_row(name="gemm")]).replace(",", ";")
    assert read(tmp_path, text).kernels[0].duration_ps == 500_000
    assert "ambiguous" in reason(tmp_path, text.replace("500", "500,5"))


def test_times_in_a_coarse_unit_are_exact_as_printed_and_their_rounding_is_noted(tmp_path: Path) -> None:
    execution = read(tmp_path, table(TRACE_HEADER.replace("(ns)", "(ms)"), [kernel_row("12.345", "0.001")]))
    assert execution.kernels[0].start_ps == 12_345_000_000
    assert "times are rounded to 1,000 ns by the unit of the report: make it without --timeunit" in execution.notes


def test_pitfall_10_times_that_were_not_collected_are_dropped_and_counted(tmp_path: Path) -> None:
    execution = read(tmp_path, table(TRACE_HEADER, [kernel_row(0, 0), kernel_row(2000, 0), kernel_row(3000, 5)]))
    assert [kernel.start_ps for kernel in execution.kernels] == [2_000_000, 3_000_000]
    assert execution.dropped == {"kernels whose times were not collected": 1}
    assert "1 kernel without a duration, the first on line 3" in execution.notes


def test_pitfall_21_names_stay_as_the_tool_writes_them(tmp_path: Path) -> None:
    name = 'void internal::gemvx::kernel<(int)7, (bool)0>::[lambda() (instance 1)]("é")'
    assert read(tmp_path, table(TRACE_HEADER, [kernel_row(name=name)])).kernels[0].shape.name == name


def test_pitfall_27_shared_memory_in_megabytes_is_known_to_half_a_step(tmp_path: Path) -> None:
    execution = read(tmp_path, table(TRACE_HEADER, [kernel_row(static="0.002", dynamic="0.049")]))
    shape = execution.kernels[0].shape
    assert (shape.static_shared_bytes, shape.dynamic_shared_bytes, shape.shared_bytes) == (2000, 49000, 51000)
    assert shape.shared_tolerance_bytes == 2 * 500
    assert any("import the sqlite export for exact bytes" in note for note in execution.notes)


def test_pitfall_27_whole_bytes_need_no_tolerance(tmp_path: Path) -> None:
    execution = read(tmp_path, table(BYTES_HEADER, [kernel_row(static=1536, dynamic=2400)]))
    assert execution.kernels[0].shape.shared_tolerance_bytes == 0
    assert not any("rounded" in note for note in execution.notes)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([kernel_row(grid=(132, "", 1))], "line 2: a grid and a block need three sizes above 0 (GrdX 132, GrdY empty, GrdZ 1)"),
        ([kernel_row(block=(0, 1, 1))], "line 2: a grid and a block need three sizes above 0 (BlkX 0, BlkY 1, BlkZ 1)"),
        ([kernel_row(name="")], "line 2: Name is empty"),
        ([kernel_row("", 5)], "line 2: Start (ns): '' is not a decimal number"),
        ([kernel_row(registers=-1)], "line 2: Reg/Trd is negative (-1)"),
        ([kernel_row(registers="64.5")], "line 2: Reg/Trd: '64.5' is not a whole number"),
        ([], "line 1: the cuda_gpu_trace report has no kernels"),
        (
            [memory_row()],
            ONLY_MEMORY,
        ),
    ],
)
def test_rows_that_are_no_kernels_are_refused_with_their_line(tmp_path: Path, rows: list[list[object]], expected: str) -> None:
    assert reason(tmp_path, table(TRACE_HEADER, rows)) == expected


def test_a_unit_that_nobody_knows_is_refused_and_never_guessed(tmp_path: Path) -> None:
    text = table(TRACE_HEADER.replace("Start (ns)", "Start (ticks)"), [kernel_row()])
    assert reason(tmp_path, text) == "line 1: column 'Start (ticks)' has the unknown unit 'ticks'; one like (us) is needed"
    text = table(TRACE_HEADER.replace("Start (ns)", "Start"), [kernel_row()])
    assert reason(tmp_path, text) == "line 1: column 'Start' names no unit; one like (us) is needed"


def test_a_trace_of_2021_has_seconds_and_bytes(tmp_path: Path) -> None:
    header = TRACE_HEADER.replace("Start (ns)", "Start(sec)").replace("(ns)", "(nsec)").replace(" (MB)", "").replace("GreenCtx,", "")
    row = kernel_row("1.234567", 1500, static=0, dynamic=49152)
    del row[-3]
    execution = read(tmp_path, table(header, [row]))
    (kernel,) = execution.kernels
    assert (kernel.start_ps, kernel.duration_ps, kernel.shape.shared_bytes) == (1_234_567_000_000, 1_500_000, 49152)
    assert any(note.startswith("times are rounded to 1,000 ns") for note in execution.notes)


def test_no_registers_are_unknown_ones(tmp_path: Path) -> None:
    assert read(tmp_path, table(TRACE_HEADER, [kernel_row(registers=0)])).kernels[0].shape.registers is None


def test_a_last_line_without_an_end_was_cut_off_unless_its_last_cell_is_closed(tmp_path: Path) -> None:
    text = table(TRACE_HEADER, [kernel_row(), kernel_row(2000)])
    assert reason(tmp_path, text[:-8]).startswith("line 3: the last line has no end, so the file is truncated")
    assert read(tmp_path, text[:-1]).kernels == read(tmp_path, text).kernels
    bare = table(TRACE_HEADER, [kernel_row(name="gemm")])
    assert reason(tmp_path, bare[:-1]).endswith("copy or export it again, or end the line if it is whole")


def test_quotes_that_do_not_pair_and_text_that_is_not_utf8_are_refused_with_their_line(tmp_path: Path) -> None:
    text = table(TRACE_HEADER, [kernel_row(name="gemm")])
    assert reason(tmp_path, text.replace("gemm", '"ge"mm')).startswith("line 2: is no row of a table")
    (tmp_path / "latin").write_bytes(text.replace("gemm", "gémm").encode("latin-1"))
    with pytest.raises(ProfileRefused, match=r"line 2: byte \d+ is not UTF-8"):
        read_nsys_csv(source(tmp_path / "latin"))


def test_a_byte_order_mark_and_windows_line_ends_change_nothing(tmp_path: Path) -> None:
    text = table(TRACE_HEADER, [kernel_row()])
    assert read(tmp_path, "\ufeff" + text.replace("\n", "\r\n")).kernels == read(tmp_path, text).kernels


def test_several_devices_are_told_apart_by_their_number(tmp_path: Path) -> None:
    rows = [kernel_row(1000), kernel_row(1200, device="NVIDIA H100 NVL (1)"), kernel_row(1300, device="")]
    execution = read(tmp_path, table(TRACE_HEADER, rows))
    assert [device.number for device in execution.devices] == [0, 1]
    assert [kernel.site.device for kernel in execution.kernels] == [0, 1, None]
    assert GPU == "NVIDIA H100 NVL (0)"
