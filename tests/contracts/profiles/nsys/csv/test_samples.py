"""Reports of `nsys stats` from real programs: the figures of each, taken from the files by hand."""

from __future__ import annotations

import pytest

from megasolve.contracts.profiles import ProfileRefused, totals
from megasolve.contracts.profiles.reading import read_profile
from tests.support.profiles.samples import sample

SUMS = {
    "all-stage": (1_695_983, 4_946_064_742_000, 113),
    "clip": (387, 3_424_837_000, 19),
    "decode": (78_016, 179_072_697_000, 46),
    "projector": (2, 35_488_000, 2),
    "sam": (652, 21_895_142_000, 36),
}


@pytest.mark.parametrize("stage", SUMS)
def test_a_summary_adds_up_to_its_figures(stage: str) -> None:
    found = totals(read_profile(sample("nsys_csv", f"dsocr_rtx5090_{stage}_cuda_gpu_kern_sum.csv")))
    assert (found.kernels, found.sum_ps, found.distinct_names) == SUMS[stage]
    assert (found.union_ps, found.span_ps) == (None, None)


def test_a_trace_adds_up_to_its_figures() -> None:
    execution = read_profile(sample("derived", "cloverleaf_cuda_gpu_trace.csv"))
    found = totals(execution)
    assert (found.kernels, found.distinct_names) == (1312, 102)
    assert (found.sum_ps, found.union_ps, found.span_ps) == (294_404_540_000, 294_404_540_000, 342_340_707_000)
    assert execution.dropped == {"memory operations": 279}


@pytest.mark.parametrize(
    ("name", "said"),
    [("nbody_nvtx_pushpop_trace.csv", "holds nsys's nvtx_pushpop_trace report"), ("dsocr_decode_nsys_cmd.txt", "is text of no known tool")],
)
def test_what_has_no_kernels_is_refused(name: str, said: str) -> None:
    with pytest.raises(ProfileRefused, match=said):
        read_profile(sample("nsys_csv", name))
