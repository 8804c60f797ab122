"""`pertask` tables: what is read of them, of how many workers they are, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from megasolve.contracts.profiles import ProfileRefused
from megasolve.contracts.profiles.text.source import source
from megasolve.contracts.taskgraphs.timing_table import TimingTable, read_timing_table
from tests.support.profiles.task_graphs import LINEAR, NORM, sample_mean_times, sample_times


def read(folder: Path, text: str) -> TimingTable:
    (folder / "pertask.csv").write_text(text)
    return read_timing_table(source(folder / "pertask.csv"))


def test_each_type_has_its_tasks_and_their_mean_by_batch(tmp_path: Path) -> None:
    table = read(tmp_path, sample_times())
    assert table.batches == (1, 4)
    timing = table.timings[LINEAR][1]
    assert (timing.tasks, timing.mean_ps, timing.sum_ps) == (Fraction(68), 12_500_000, 850_000_000)
    assert table.names[NORM] == "TASK_RMS_NORM_HOPPER"


@pytest.mark.parametrize("workers", [8, 128, 136])
def test_the_workers_are_what_sums_were_divided_by(tmp_path: Path, workers: int) -> None:
    assert read(tmp_path, sample_times(workers=workers)).workers == workers


def test_columns_of_several_numbers_of_workers_are_refused_by_batch(tmp_path: Path) -> None:
    at_8, at_16 = (sample_times(workers=workers).splitlines() for workers in (8, 16))
    mixed = [",".join([*one.split(",")[:10], *other.split(",")[10:]]) for one, other in zip(at_8, at_16, strict=True)]
    with pytest.raises(ProfileRefused, match=r"several numbers of workers \(batch 1: 8, batch 4: 16\)"):
        read(tmp_path, "".join(f"{line}\n" for line in mixed))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (",mean_us_bs4", ",mean", r"line 1: .*without the columns mean_us_bs4"),
        ("253,TASK", "154,TASK", r"line \d: type 154 stands there twice"),
        (",12.50,", ",99.50,", r"line 4: type 253 at batch 1: the sum is not what its tasks take at their mean"),
        (",12.50,", ",fast,", r"line 4: mean_us_bs1: 'fast' is not a decimal number"),
        (",12.50,68.0,", ",12.50,69.0,", r"nlong_bs1 69.0 is more than n_bs1 68.0"),
        (",9.0,2.0\n", ",9.0\n", "has 16 cells, the header has 17"),
        (",conc_bs4", ",mean_us_bs4", "line 1: has the columns mean_us_bs4 twice"),
        (",conc_bs4", ",name", "line 1: has the columns name twice"),
        (",480.0,60.00,", ",480.0,30.00,", "line 5: perwkr_us_bs1 of type 257 is not us_bs1 over the 8 workers of the other rows"),
        (",2.3,0.29,", ",2.3,0.50,", "line 7: perwkr_us_bs1 of type 258 is not us_bs1 over the 8 workers of the other rows"),
    ],
)
def test_a_damaged_table_is_refused_with_its_line(tmp_path: Path, old: str, new: str, reason: str) -> None:
    text = sample_times()
    assert old in text
    with pytest.raises(ProfileRefused, match=reason):
        read(tmp_path, text.replace(old, new, 1))


def test_counts_may_be_means_over_steps(tmp_path: Path) -> None:
    assert read(tmp_path, sample_mean_times()).timings[LINEAR][1].tasks == Fraction("67.9")
