"""The rank of a profile, out of the name of its file."""

from __future__ import annotations

import pytest

from megasolve.contracts.profiles.ranks import rank_in_name


@pytest.mark.parametrize(
    ("file", "rank"),
    [
        ("rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz", 0),
        ("profile_trace_rank_12.json", 12),
        ("dp0_pp0_tp1_dcp0_ep1_rank1.1773709742341309550.pt.trace.json.gz", 1),
        ("folder_rank7/trace.json", None),
        ("1747101234-TP-3.trace.json.gz", 3),
        ("rank_non_gpu.json.gz", None),
        ("frank1.json", None),
        ("worker0.pt.trace.json", None),
        ("trace_rank3.csv", 3),
        ("RANK-12.csv", 12),
        ("run.rank_0.csv", 0),
        ("rank0_of_rank7.csv", None),
        ("rank1_rank01.json", 1),
        ("rank-5-TP-3.trace.json.gz", 5),
        ("rank1234567890.json", None),
    ],
)
def test_a_rank_is_read_from_the_name_of_the_file(file: str, rank: int | None) -> None:
    assert rank_in_name(file) == rank
