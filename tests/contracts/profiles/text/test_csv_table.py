"""Tables of profilers: broken rows are named, and an empty column tells as much as a missing one; cases from the field."""

from __future__ import annotations

from pathlib import Path

import pytest

from megasolve.contracts.profiles import Execution, ProfileRefused
from megasolve.contracts.profiles.reading import read_profile
from tests.support.profiles.reports import TRACE_HEADER, kernel_row, memory_row, raw_page, table, written


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(ProfileRefused) as caught:
        read_profile(written(folder, text))
    return caught.value.reason


def read(folder: Path, text: str) -> Execution:
    return read_profile(written(folder, text))


def without(column: str, rows: list[list[object]]) -> str:
    """Return the trace without *column*, its cells gone from every row."""
    columns = TRACE_HEADER.split(",")
    at = columns.index(column)
    return table(columns[:at] + columns[at + 1 :], [row[:at] + row[at + 1 :] for row in rows])


def emptied(column: str, rows: list[list[object]]) -> str:
    """Return the trace with *column* empty in every row."""
    at = TRACE_HEADER.split(",").index(column)
    return table(TRACE_HEADER, [[*row[:at], "", *row[at + 1 :]] for row in rows])


def test_c58_a_negative_duration_is_refused_with_its_line(tmp_path: Path) -> None:
    assert refusal(tmp_path, table(TRACE_HEADER, [kernel_row(), kernel_row(2000, -3)])) == "line 3: Duration (ns) is negative (-3)"


def test_c58_a_duration_of_nothing_is_named_with_its_line(tmp_path: Path) -> None:
    notes = read(tmp_path, table(TRACE_HEADER, [kernel_row(), kernel_row(2000, 0)])).notes
    assert "1 kernel without a duration, the first on line 3" in notes


def test_c58_timestamps_keep_every_digit(tmp_path: Path) -> None:
    header = TRACE_HEADER.replace("(ns)", "(us)")
    (kernel,) = read(tmp_path, table(header, [kernel_row("1747101234567890.125", "0.001")])).kernels
    assert (kernel.start_ps, kernel.duration_ps) == (1747101234567890125000, 1000)


def test_c58_rows_of_another_width_are_an_error_and_never_skipped(tmp_path: Path) -> None:
    rows = [kernel_row(), [*kernel_row(), "", "", ""]]
    assert refusal(tmp_path, table(TRACE_HEADER, rows)) == "line 3: has 24 columns, the header on line 1 has 21"


def test_c58_a_table_without_rows_is_no_empty_profile(tmp_path: Path) -> None:
    assert refusal(tmp_path, table(TRACE_HEADER, [])) == "line 1: the cuda_gpu_trace report has no kernels"
    assert refusal(tmp_path, raw_page({"dram__bytes.sum": "byte"}, [])) == "line 1: the table has no rows, so no kernels"


@pytest.mark.parametrize("column", ["Reg/Trd", "StcSMem (MB)", "DymSMem (MB)", "CorrId", "Ctx", "Device"])
def test_c60_an_empty_column_tells_as_much_as_a_missing_one(tmp_path: Path, column: str) -> None:
    rows = [kernel_row(), kernel_row(2000), memory_row(3000)]
    gone, empty = read(tmp_path, without(column, rows)), read(tmp_path, emptied(column, rows))
    assert gone.kernels == empty.kernels
    assert gone.devices == empty.devices


def test_c60_kernels_without_any_grid_are_kernels_with_an_unknown_one(tmp_path: Path) -> None:
    blank = [kernel_row(grid=("", "", ""), block=("", "", ""), registers="")]
    (kernel,) = read(tmp_path, table(TRACE_HEADER, blank)).kernels
    assert (kernel.shape.grid, kernel.shape.ctas, kernel.shape.registers) == (None, None, None)


def test_c60_a_metric_without_values_is_unknown_and_not_zero(tmp_path: Path) -> None:
    metrics = {"dram__bytes.sum": "byte", "launch__registers_per_thread": ""}
    kernels = read(tmp_path, raw_page(metrics, [["", ""], ["", ""]])).kernels
    assert [(kernel.hbm_bytes, kernel.shape.registers) for kernel in kernels] == [(None, None)] * 2
