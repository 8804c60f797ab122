"""Tables of Nsight Compute from real programs: the figures of each, taken from the files by hand."""

from __future__ import annotations

import pytest

from megasolve.contracts.profiles import Format, ProfileRefused, totals
from megasolve.contracts.profiles.reading import read_profile
from tests.support.profiles.samples import sample

# Kernels, summed time of their replays in nanoseconds (0: the capture has none), distinct names.
FIGURES = {
    "bert_torch_a100_details_metrics.csv": (26, 0, 12),
    "dropout_metrics_only.csv": (162, 5_689_984, 1),
    "gpt2_flashattn_a100_details_metrics.csv": (10, 0, 7),
    "gpt2_torch_a100_details_metrics.csv": (26, 0, 13),
    "gpt_a100_with_PROF_preamble.csv": (26, 0, 13),
}
SINGLE_NS = (
    6750, 18_340, 23_420, 4700, 111_810, 2880, 3140, 7580, 160_740, 94_910,
    6910, 4830, 10_340, 6340, 6780, 404_700, 9820, 7970, 18_080, 4990,
)  # fmt: skip


@pytest.mark.parametrize("name", FIGURES)
def test_a_table_has_the_kernels_of_its_capture(name: str) -> None:
    found = totals(read_profile(sample("ncu_csv", name)))
    assert (found.kernels, found.sum_ps // 1000, found.distinct_names) == FIGURES[name]
    assert (found.union_ps, found.span_ps) == (None, None)


@pytest.mark.parametrize("page", ["details", "metrics"])
@pytest.mark.parametrize("number", range(1, 21))
def test_a_file_of_one_kernel_has_its_time_and_its_bytes(number: int, page: str) -> None:
    execution = read_profile(sample("ncu_csv", "dsocr_rtx5090", f"kernel_{number:04}_ncu.{page}.csv"))
    (kernel,) = execution.kernels
    assert kernel.duration_ps == SINGLE_NS[number - 1] * 1000
    assert None not in {kernel.hbm_bytes, kernel.shape.grid, kernel.shape.block}


def test_units_of_single_rows_decide_over_the_bytes() -> None:
    first = read_profile(sample("ncu_csv", "dsocr_rtx5090", "kernel_0001_ncu.metrics.csv")).kernels[0]
    tenth = read_profile(sample("ncu_csv", "dsocr_rtx5090", "kernel_0010_ncu.metrics.csv")).kernels[0]
    assert (first.hbm_bytes, tenth.hbm_bytes) == (2_330_000, 17_231_280)


def test_a_raw_page_tells_the_same_as_the_details_of_each_kernel() -> None:
    execution = read_profile(sample("derived", "dsocr_ncu_raw_page.csv"))
    found = totals(execution)
    assert (execution.format, found.kernels, found.distinct_names) == (Format.NCU_RAW, 20, 20)
    assert [kernel.duration_ps for kernel in execution.kernels] == [time_ns * 1000 for time_ns in SINGLE_NS]


def test_old_captures_have_registers_and_shared_memory_but_no_three_sizes() -> None:
    shapes = [kernel.shape for kernel in read_profile(sample("ncu_csv", "gpt2_flashattn_a100_details_metrics.csv")).kernels]
    assert (shapes[0].registers, shapes[0].shared_bytes, shapes[0].grid) == (48, 0, None)
    assert all(shape.registers and shape.shared_bytes is not None for shape in shapes)


def test_a_failed_capture_is_refused() -> None:
    with pytest.raises(ProfileRefused, match="is a failed capture: it has only ==ERROR== lines"):
        read_profile(sample("ncu_csv", "dsocr_failed_capture_raw.csv"))
