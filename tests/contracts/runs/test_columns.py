"""Columns: what a table of another tool calls what is needed, and in which unit its times are."""

from __future__ import annotations

import pytest

from megasolve.contracts.runs.columns import Columns, UnusableColumn, columns_of, unit_named_by


def test_without_words_columns_are_called_as_ours_and_times_are_microseconds() -> None:
    assert columns_of([]) == Columns()
    assert (Columns().name("candidate"), Columns().unit) == ("candidate", "us")


def test_a_word_renames_a_column_and_says_the_unit_of_times() -> None:
    columns = columns_of(["time_us=ttft_ms:ms", "candidate=tag", "block=@file", "batch==32"])
    assert (columns.name("time_us"), columns.unit, columns.name("candidate"), columns.name("block")) == ("ttft_ms", "ms", "tag", "@file")
    assert columns.constants == {"batch": "32"}


def test_the_name_of_a_column_of_times_may_hold_a_colon() -> None:
    assert columns_of(["time_us=ttft:p99:ns"]).name("time_us") == "ttft:p99"


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("time_us", "'time_us' is not OURS=THEIRS, for example time_us=ttft_ms:ms, block=@file or batch==32"),
        ("batch=", "'batch=' is not OURS=THEIRS"),
        ("batches=b", "no column 'batches'; did you mean 'batch'?"),
        ("time_us=ttft:min", "no unit 'min'; known: ms, ns, s, us"),
        ("time_us=ttft_ms", "ttft_ms is read as us, and its name says ms; say time_us=ttft_ms:ms"),
        ("time_us=latency (s):ms", "latency (s) is read as ms, and its name says s"),
    ],
)
def test_a_word_that_says_nothing_usable_is_refused_with_the_repair(word: str, said: str) -> None:
    with pytest.raises(UnusableColumn) as refused:
        columns_of([word])
    assert said in str(refused.value)


def test_a_column_is_renamed_once() -> None:
    with pytest.raises(UnusableColumn, match="batch is renamed twice"):
        columns_of(["batch=a", "batch=b"])


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("ttft_ms", "ms"),
        ("time (µs)", "us"),
        ("latency [s]", "s"),
        ("elapsed_seconds", "s"),
        ("ttfts", None),
        ("items", None),
        ("ns", "ns"),
    ],
)
def test_a_unit_is_what_a_name_ends_with(name: str, unit: str | None) -> None:
    assert unit_named_by(name) == unit
