"""Tables of steps: which of them time a batch."""

from __future__ import annotations

from pathlib import Path

import pytest

from megasolve.contracts.profiles import ProfileRefused
from megasolve.contracts.profiles.text.source import source
from megasolve.contracts.taskgraphs.iterations import StepTable, read_step_table, table_of_batch
from tests.support.profiles.task_graphs import sample_steps, steps_text


def read(folder: Path, text: str, name: str = "iters.csv") -> StepTable:
    (folder / name).write_text(text)
    return read_step_table(source(folder / name))


def test_only_steps_that_decode_the_batch_and_nothing_else_time_it(tmp_path: Path) -> None:
    rows = [(1, 3, "900"), *((0, 4, f"80{at}.5") for at in range(5)), (0, 3, "700")]
    table = read(tmp_path, steps_text(rows))
    assert table.samples_ps(4) == tuple(800_500_000 + at * 10**6 for at in range(5))
    assert table.why_no_record(4) is None


def test_too_few_steps_are_no_record_and_the_others_are_named(tmp_path: Path) -> None:
    table = read(tmp_path, sample_steps())
    assert table.why_no_record(1) is None
    reason = "of 10 steps only 0 decode 16 requests and nothing else (those that only decode: 9 of batch 1)"
    assert table.why_no_record(16) == reason


def test_of_several_tables_that_of_the_batch_is_taken_wherever_it_stands(tmp_path: Path) -> None:
    one, four = (read(tmp_path, steps_text([(0, batch, "800")] * 5), f"bs{batch}.csv") for batch in (1, 4))
    for tables in ((one, four), (four, one), (one, four, four)):
        assert [table_of_batch(tables, batch) for batch in (1, 4, 8)] == [one, four, None]
    assert table_of_batch((), 1) is None


def test_two_runs_of_one_batch_are_refused(tmp_path: Path) -> None:
    runs = [read(tmp_path, steps_text([(0, 1, f"80{run}")] * 5), f"run{run}.csv") for run in range(2)]
    with pytest.raises(ProfileRefused, match=r"run1\.csv: times steps of batch 1, as .*run0\.csv does: a record is of one run"):
        table_of_batch(runs, 1)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (steps_text([]), "is a table of steps without a step"),
        (steps_text([(0, 1, "soon")]), "line 2: iter_us: 'soon' is not a decimal number"),
        (steps_text([(0, 1, "9")]) + "1,decode\n", "line 3: has 2 cells, the header has 8"),
    ],
)
def test_a_damaged_table_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(ProfileRefused, match=reason):
        read(tmp_path, text)
