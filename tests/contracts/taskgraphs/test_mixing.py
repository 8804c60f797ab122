"""A table whose columns are not of the batch that they name."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from megasolve.contracts.profiles.text.source import source
from megasolve.contracts.taskgraphs.mixing import mixed_batches
from megasolve.contracts.taskgraphs.timing_table import TimingTable, read_timing_table
from tests.support.profiles.task_graphs import ATTENTION, CONV, LINEAR, sample_times, times_text


def read(folder: Path, text: str) -> TimingTable:
    (folder / "pertask.csv").write_text(text)
    return read_timing_table(source(folder / "pertask.csv"))


def test_where_every_request_runs_nothing_is_mixed(tmp_path: Path) -> None:
    assert mixed_batches(read(tmp_path, sample_times())) == ()


def test_tasks_of_requests_that_were_not_there_tell_how_many_ran(tmp_path: Path) -> None:
    (mixed,) = mixed_batches(read(tmp_path, sample_times(live={1: Decimal(1), 4: Decimal("0.25")})))
    assert (mixed.batch, mixed.ran, mixed.kind) == (4, 1, ATTENTION)
    assert (mixed.long, mixed.tasks) == (Fraction(12), Fraction(48))


def test_one_type_that_became_quick_is_not_enough(tmp_path: Path) -> None:
    counts = {CONV: {1: 8, 4: 32}, ATTENTION: {1: 2, 4: 8}, LINEAR: {1: 4, 4: 4}, 999: {1: 2, 4: 8}}
    text = times_text(counts, {CONV: "5.5", ATTENTION: "40.0", LINEAR: "12.5", 999: "6.0"})
    quick = text.replace(",32.0,9.0", ",4.0,9.0")
    assert quick != text
    assert mixed_batches(read(tmp_path, quick)) == ()


def test_types_that_do_not_grow_with_the_batch_tell_nothing(tmp_path: Path) -> None:
    text = times_text({LINEAR: {1: 4, 4: 4}}, {LINEAR: "12.5"}, live={1: Decimal(1), 4: Decimal("0.1")})
    assert mixed_batches(read(tmp_path, text)) == ()
