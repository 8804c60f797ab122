"""The CSV of Nsight Compute: both pages, every generation, units by the row, and what a replayed time is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from megasolve.contracts.profiles import Execution, Format, KernelShape, ObservedDevice, ProfileRefused, Site, read_profile
from megasolve.contracts.profiles.ncu.pages_csv import read_ncu_csv
from megasolve.contracts.profiles.text.source import source
from tests.support.profiles.reports import (
    DETAILS_HEADER,
    IDENTITY,
    OLD_DETAILS_HEADER,
    metric_row,
    old_metric_row,
    quoted,
    raw_page,
    rule_row,
    written,
)

METRICS = [
    metric_row("dram__bytes_read.sum", "Mbyte", "2.33"),
    metric_row("dram__bytes_write.sum", "Kbyte", "1.5"),
    metric_row("Duration", "us", "6.75"),
    metric_row("Registers Per Thread", "register/thread", "168"),
    metric_row("Static Shared Memory Per Block", "byte/block", "1,024"),
    metric_row("Dynamic Shared Memory Per Block", "Kbyte/block", "49.15"),
    metric_row("Driver Shared Memory Per Block", "Kbyte/block", "1.02"),
    metric_row("Cluster Size", "", "2"),
]


def read(folder: Path, text: str) -> Execution:
    return read_ncu_csv(source(written(folder, text)))


def details(*rows: list[str]) -> str:
    return quoted(DETAILS_HEADER, rows)


def reason(folder: Path, text: str) -> str:
    with pytest.raises(ProfileRefused) as caught:
        read(folder, text)
    assert "\n" not in str(caught.value)
    return caught.value.reason


def test_the_details_page_gives_one_kernel_out_of_its_rows(tmp_path: Path) -> None:
    execution = read(tmp_path, details(*METRICS, rule_row()))
    (kernel,) = execution.kernels
    assert execution.format is Format.NCU_DETAILS
    assert kernel.shape == KernelShape("gemm<4>(int)", (264, 2, 1), (128, 1, 1), 168, 1024, 49150, 50174, 5, 2)
    assert kernel.site == Site(0, 1, 7, 1234)
    assert kernel.hbm_bytes == 2_330_000 + 1500
    assert execution.devices == (ObservedDevice(0, compute_capability="9.0"),)


def test_the_driver_s_shared_memory_is_no_part_of_the_kernel_s(tmp_path: Path) -> None:
    without = [row for row in METRICS if not row[12].startswith("Driver")]
    assert read(tmp_path, details(*METRICS)).kernels == read(tmp_path, details(*without)).kernels


def test_rows_of_a_kernel_belong_together_by_process_and_number(tmp_path: Path) -> None:
    other = ("99", *IDENTITY[1:])
    rows = [
        metric_row("Registers Per Thread", "", "64"),
        metric_row("Registers Per Thread", "", "32", number=1, name="copy"),
        metric_row("Registers Per Thread", "", "16", name="copy", identity=other),
        metric_row("Duration", "us", "2", number=0),
    ]
    kernels = read(tmp_path, details(*rows)).kernels
    assert [(kernel.shape.name, kernel.shape.registers, kernel.duration_ps, kernel.row) for kernel in kernels] == [
        ("gemm<4>(int)", 64, 2_000_000, 2),
        ("copy", 32, None, 3),
        ("copy", 16, None, 4),
    ]


def test_one_number_for_two_kernels_is_two_exports_in_one_file(tmp_path: Path) -> None:
    rows = [metric_row("Duration", "us", "2"), metric_row("Duration", "us", "2", name="copy")]
    assert reason(tmp_path, details(*rows)) == "line 3: kernel 0 is another one than on line 2: two exports in one file"
    twice = details(*METRICS) * 2
    assert reason(tmp_path, twice) == "line 10: a second header, so these are two exports in one file; import them one by one"


def test_the_header_of_2020_has_neither_grid_nor_device(tmp_path: Path) -> None:
    rows = [
        old_metric_row("Grid Size", "", "864"),
        old_metric_row("Block Size", "", "256"),
        old_metric_row("dram__bytes.sum", "byte", "4,194,688"),
        old_metric_row("gpu__time_duration.sum", "nsecond", "11,744"),
    ]
    execution = read(tmp_path, quoted(OLD_DETAILS_HEADER, rows))
    (kernel,) = execution.kernels
    assert kernel.shape == KernelShape("gemm<4>(int)", grid_ctas=864, block_threads=256)
    assert (kernel.shape.ctas, kernel.shape.threads) == (864, 256)
    assert (kernel.hbm_bytes, kernel.duration_ps, kernel.site) == (4_194_688, 11_744_000, Site(None, 1, 7, 1234))
    assert execution.devices == ()
    assert "1 kernel with the grid only as a product: export with --page raw for x, y and z" in execution.notes


def test_a_file_of_metrics_without_sections_works(tmp_path: Path) -> None:
    rows = [old_metric_row("dram__bytes.sum", "byte", "512", number=number) for number in range(3)]
    assert [kernel.hbm_bytes for kernel in read(tmp_path, quoted(OLD_DETAILS_HEADER, rows)).kernels] == [512, 512, 512]


def test_a_grid_must_have_as_many_blocks_as_its_product_says(tmp_path: Path) -> None:
    assert read(tmp_path, details(metric_row("Grid Size", "", "528"))).kernels[0].shape.ctas == 528
    expected = "line 2: Grid Size is 527, but its three sizes are (264, 2, 1)"
    assert reason(tmp_path, details(metric_row("Grid Size", "", "527"))) == expected


def test_a_product_may_stand_where_the_three_sizes_are_expected(tmp_path: Path) -> None:
    text = details(metric_row("Duration", "us", "1")).replace('"(264, 2, 1)"', '"528"').replace('"(128, 1, 1)"', '"128"')
    shape = read(tmp_path, text).kernels[0].shape
    assert (shape.grid, shape.ctas, shape.block, shape.threads) == (None, 528, None, 128)


def test_a_product_of_no_launch_is_refused(tmp_path: Path) -> None:
    rows = [old_metric_row("Grid Size", "", "0"), old_metric_row("Block Size", "", "9" * 18)]
    with pytest.raises(ProfileRefused, match=r"row 2: kernel 'gemm<4>\(int\)' cannot have run with 9{18} threads in a block"):
        read_profile(written(tmp_path, quoted(OLD_DETAILS_HEADER, rows)))


def test_the_raw_page_gives_a_kernel_a_row_in_the_units_of_its_second_row(tmp_path: Path) -> None:
    metrics = {
        "dram__bytes_read.sum": "Kbyte",
        "dram__bytes_write.sum": "byte",
        "gpu__time_duration.sum": "us",
        "launch__registers_per_thread": "register/thread",
        "launch__shared_mem_per_block_static": "byte/block",
        "launch__shared_mem_per_block_dynamic": "byte/block",
        "launch__sm_count": "SM",
        "device__attribute_display_name": "",
    }
    rows = [
        ["2,330", "512", "6.75", "168", "1,024", "49,152", "132", "NVIDIA H100 NVL"],
        ["1", "0", "n/a", "32", "0", "0", "132", "NVIDIA H100 NVL"],
    ]
    execution = read(tmp_path, "==PROF== Connected to process 1 (server)\nsaid by the program, too\n" + raw_page(metrics, rows))
    first, second = execution.kernels
    assert execution.format is Format.NCU_RAW
    assert (first.shape.registers, first.shape.shared_bytes, first.hbm_bytes) == (168, 50176, 2_330_512)
    assert (second.shape.registers, second.shape.shared_bytes, second.hbm_bytes, second.duration_ps) == (32, 0, 1000, None)
    assert (first.row, second.row) == (5, 6)
    assert execution.devices == (ObservedDevice(0, "NVIDIA H100 NVL", 132, "9.0"),)


def test_sizes_of_the_grid_may_be_metrics_of_their_own(tmp_path: Path) -> None:
    metrics = {f"launch__{part}_dim_{axis}": "" for part in ("grid", "block") for axis in "xyz"}
    text = raw_page(metrics, [["264", "2", "1", "128", "1", "1"]]).replace('"(264, 2, 1)"', '""').replace('"(128, 1, 1)"', '""')
    shape = read(tmp_path, text).kernels[0].shape
    assert (shape.grid, shape.block) == ((264, 2, 1), (128, 1, 1))


def test_a_raw_page_without_units_has_counts_but_no_times_or_bytes(tmp_path: Path) -> None:
    page = raw_page({"gpu__time_duration.sum": "us", "launch__registers_per_thread": ""}, [["6.75", "168"]]).splitlines(keepends=True)
    execution = read(tmp_path, page[0] + page[2])
    assert (execution.kernels[0].duration_ps, execution.kernels[0].shape.registers) == (None, 168)
    assert any("no row of units" in note for note in execution.notes)


def test_pitfall_22_units_are_read_from_each_row(tmp_path: Path) -> None:
    rows = [
        metric_row("dram__bytes.sum", unit, value, number=number)
        for number, (unit, value) in enumerate([("byte", "1,024"), ("Kbyte", "1.02"), ("Mbyte", "1"), ("Gbyte", "0.001")])
    ]
    assert [kernel.hbm_bytes for kernel in read(tmp_path, details(*rows)).kernels] == [1024, 1020, 10**6, 10**6]


def test_pitfall_22_one_display_name_may_stand_for_two_metrics(tmp_path: Path) -> None:
    rows = [metric_row("Memory Throughput", "%", "19.6"), metric_row("Memory Throughput", "Gbyte/s", "345.2"), METRICS[2]]
    assert read(tmp_path, details(*rows)).kernels[0].duration_ps == 6_750_000


def test_pitfall_22_an_exact_metric_goes_before_its_display_name(tmp_path: Path) -> None:
    rows = [metric_row("Duration", "us", "6.75"), metric_row("gpu__time_duration.sum", "ns", "6,752")]
    for order in (rows, rows[::-1]):
        assert read(tmp_path, details(*order)).kernels[0].duration_ps == 6_752_000


@pytest.mark.parametrize("value", ["n/a", "", "nan", "(!) n/a", "(!) nan"])
def test_pitfall_22_a_value_that_the_tool_has_not_is_unknown(tmp_path: Path, value: str) -> None:
    rows = [metric_row("dram__bytes_read.sum", "byte", value), metric_row("dram__bytes_write.sum", "byte", "5")]
    assert read(tmp_path, details(*rows)).kernels[0].hbm_bytes is None


@pytest.mark.parametrize(
    ("unit", "value", "expected"),
    [
        ("byte", "1,5", "the comma of '1,5' is ambiguous: only groups of three digits are told from a decimal comma"),
        ("byte", "1.024,5", "the comma of '1.024,5' is ambiguous: only groups of three digits are told from a decimal comma"),
        ("byte", "many", "'many' is not a decimal number"),
    ],
)
def test_pitfall_22_values_of_another_locale_are_refused_with_their_line(tmp_path: Path, unit: str, value: str, expected: str) -> None:
    assert reason(tmp_path, details(METRICS[2], metric_row("dram__bytes.sum", unit, value))) == f"line 3: dram__bytes.sum: {expected}"


def test_a_unit_that_nobody_knows_is_refused_and_never_guessed(tmp_path: Path) -> None:
    assert reason(tmp_path, details(metric_row("Duration", "fortnight", "1"))) == "line 2: Duration has the unknown unit 'fortnight'"


def test_pitfall_23_a_replayed_time_is_no_run_time(tmp_path: Path) -> None:
    execution = read(tmp_path, details(*METRICS))
    assert execution.kernels[0].duration_ps == 6_750_000
    assert execution.kernels[0].start_ps is None
    assert not execution.is_timeline
    assert any("not run times" in note for note in execution.notes)


def test_pitfall_28_computed_figures_are_kept_nowhere(tmp_path: Path) -> None:
    computed = [
        metric_row("Theoretical Occupancy", "%", "50"),
        metric_row("Achieved Occupancy", "%", "48.7"),
        metric_row("Waves Per SM", "", "1.60"),
        metric_row("Block Limit Registers", "block", "5"),
    ]
    assert read(tmp_path, details(*METRICS, *computed)).kernels == read(tmp_path, details(*METRICS)).kernels


def test_pitfall_29_no_program_and_no_host_is_kept(tmp_path: Path) -> None:
    secret = ("1234", "my_program", "my_host", *IDENTITY[3:])
    execution = read(tmp_path, details(metric_row("Duration", "us", "1", identity=secret)))
    assert "my_program" not in repr(execution)
    assert "my_host" not in repr(execution)


def test_rounded_bytes_are_noted_with_what_they_may_be_off_by(tmp_path: Path) -> None:
    assert (
        "memory is rounded, by up to 5,050 bytes: export with --print-units base for exact bytes" in read(tmp_path, details(*METRICS)).notes
    )
    exact = details(metric_row("dram__bytes.sum", "byte", "512"))
    assert not any("rounded" in note for note in read(tmp_path, exact).notes)


@pytest.mark.parametrize(
    ("rows", "traffic"),
    [
        ([("dram__bytes.sum", "byte", "2,489,616,896")], (2_489_616_896, 0)),
        ([("dram__bytes.sum", "Gbyte", "2.49")], (2_490_000_000, 5_000_000)),
        ([("dram__bytes_read.sum", "Gbyte", "2.47"), ("dram__bytes_write.sum", "Mbyte", "19.62")], (2_489_620_000, 5_005_000)),
        ([("dram__bytes_read.sum", "Gbyte", "2.47")], (None, 0)),
        ([("dram__bytes.sum", "byte", "n/a")], (None, 0)),
    ],
)
def test_traffic_has_what_its_rounding_may_be_off_by(
    tmp_path: Path, rows: list[tuple[str, str, str]], traffic: tuple[int | None, int]
) -> None:
    (kernel,) = read(tmp_path, details(*(metric_row(*row) for row in rows))).kernels
    assert (kernel.hbm_bytes, kernel.hbm_tolerance_bytes) == traffic


def test_a_file_without_traffic_says_which_metrics_have_it(tmp_path: Path) -> None:
    asked = "collect it with --metrics dram__bytes_read.sum,dram__bytes_write.sum"
    assert f"no memory traffic in the file: {asked}" in read(tmp_path, details(METRICS[2])).notes
    some = details(*METRICS, metric_row("Duration", "us", "2", number=1))
    assert f"no memory traffic in the file for 1 of 2 kernels: {asked}" in read(tmp_path, some).notes


def test_what_ncu_says_between_rows_is_skipped_and_its_errors_are_noted(tmp_path: Path) -> None:
    header, row = details(METRICS[2]).splitlines(keepends=True)
    text = header + '==PROF== Profiling "gemm": 0%....100%\n\n' + row + "==ERROR== The application returned an error code (1).\n"
    execution = read(tmp_path, text)
    assert len(execution.kernels) == 1
    assert any("reported 1 error " in note for note in execution.notes)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (details(), "line 1: the table has no rows, so no kernels"),
        (details(METRICS[0]) + "Elapsed: 3 s\n", "line 3: has 1 column, by the header on line 1 it has 15 to 18"),
        (details([*METRICS[0], "", "", "", ""]), "line 2: has 19 columns, by the header on line 1 it has 15 to 18"),
        (details(METRICS[0][:14]), "line 2: has 14 columns, by the header on line 1 it has 15 to 18"),
        (details(["x", *METRICS[0][1:]]), "line 2: ID is no number, so this is no row of ncu's table"),
        (details(METRICS[0]).replace("Metric Unit", "Unit"), "line 1: the header lacks Metric Unit"),
        (
            details(METRICS[0])[:-2],
            "line 2: the last line has no end, so the file is truncated; copy or export it again, or end the line if it is whole",
        ),
        (
            "==ERROR== no section\n",
            "is a failed capture: it has only ==ERROR== lines of ncu and no table; why stands on line 1; mend that and run ncu again",
        ),
        ("==PROF== Connected\nnothing\n", 'has no table of ncu, which begins with "ID"; export it with --csv'),
        (raw_page({"dram__bytes.sum": "byte"}, [["1", "2"]]), "line 3: has 13 columns, the header on line 1 has 12"),
    ],
)
def test_tables_that_cannot_be_trusted_are_refused_with_the_line(tmp_path: Path, text: str, expected: str) -> None:
    assert reason(tmp_path, text) == expected


def test_names_with_quotes_and_line_ends_stay_as_they_are(tmp_path: Path) -> None:
    name = 'kernel<"a, b">\n(int)'
    assert read(tmp_path, details(metric_row("Duration", "us", "1", name=name))).kernels[0].shape.name == name
