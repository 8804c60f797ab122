"""NVTX ranges: which kinds of event make one, and which are open when a kernel is launched."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis.strategies import integers, lists, tuples

from megasolve.contracts.profiles import Span
from megasolve.contracts.profiles.nsys.nvtx import OpenRanges, in_order
from tests.support.profiles.nsys import Export

NS = 1000
MARK, PUSH, POP, START, END, START_END = 34, 35, 36, 37, 38, 60


def launched_at(*moments: int) -> Export:
    """Return an export with a launch call of thread 1 at each of the *moments* (ns), and its kernel long after."""
    export = Export()
    for correlation, moment in enumerate(moments, 1):
        export.call("cudaLaunchKernel_v7000", moment, moment + 1, correlation)
        export.kernel("step", 10_000 + moment, 10_001 + moment, correlation)
    return export


def ranges(export: Export, folder: Path) -> list[list[str]]:
    """Return the names of the ranges of each kernel."""
    return [[found.name for found in kernel.ranges] for kernel in export.read(folder).kernels]


def test_ranges_nest_from_the_outermost_in_and_end_before_their_end(tmp_path: Path) -> None:
    export = launched_at(5, 10, 20, 29, 30, 40)
    export.range("inner", 20, 30)
    export.range("outer", 10, 40)
    export.range("middle", 10, 30)
    outer, middle, inner = ["outer"], ["outer", "middle"], ["outer", "middle", "inner"]
    assert ranges(export, tmp_path) == [[], middle, inner, inner, outer, []]


@pytest.mark.parametrize("written_as", ["INTEGER", "TEXT"])
def test_launch_calls_may_stand_in_any_order_in_the_file_also_as_text(tmp_path: Path, written_as: str) -> None:
    export = launched_at(100, 9, 25)
    export.types["CUPTI_ACTIVITY_KIND_RUNTIME.start"] = written_as
    export.range("first", 5, 20)
    export.range("second", 20, 50)
    assert ranges(export, tmp_path) == [["first"], ["second"], []]


def test_launches_between_the_same_changes_share_one_tuple(tmp_path: Path) -> None:
    export = launched_at(11, 12, 13)
    export.range("step", 10, 40)
    assert len({id(kernel.ranges) for kernel in export.read(tmp_path).kernels}) == 1


def test_a_start_end_range_holds_the_launches_of_every_thread_of_its_process(tmp_path: Path) -> None:
    export = launched_at(20)
    export.range("anywhere", 10, 40, kind=START_END, thread=9, endGlobalTid=3)
    export.range("another process", 10, 40, kind=START_END, process=12)
    export.range("own thread", 15, 25)
    assert ranges(export, tmp_path) == [["anywhere", "own thread"]]


def test_start_end_ranges_need_not_nest(tmp_path: Path) -> None:
    export = launched_at(15, 25, 35)
    export.range("first", 10, 30, kind=START_END)
    export.range("second", 20, 40, kind=START_END)
    assert ranges(export, tmp_path) == [["first"], ["first", "second"], ["second"]]


def test_ranges_of_two_domains_may_cross_on_one_thread(tmp_path: Path) -> None:
    export = launched_at(15, 25, 35)
    export.range("model", 10, 30, domainId=0)
    export.range("library", 20, 40, domainId=5)
    assert ranges(export, tmp_path) == [["model"], ["model", "library"], ["library"]]


def test_unpaired_pushes_and_pops_pair_up_by_thread_and_domain(tmp_path: Path) -> None:
    export = launched_at(25, 35, 45)
    export.range("outer", 10, None, kind=PUSH)
    export.range("inner", 20, None, kind=PUSH)
    export.range("library", 12, None, kind=PUSH, domainId=5)
    export.range("other thread", 22, None, kind=PUSH, thread=2)
    for time, cells in ((30, {}), (33, {"domainId": 5}), (40, {})):
        export.range(None, time, None, kind=POP, **cells)
    assert ranges(export, tmp_path) == [["outer", "library", "inner"], ["outer"], []]


def test_unpaired_starts_and_ends_pair_up_by_number_on_any_thread(tmp_path: Path) -> None:
    export = launched_at(15, 25, 35)
    export.range("first", 10, None, kind=START, rangeId=1)
    export.range("second", 12, None, kind=START, rangeId=2)
    export.range(None, 20, None, kind=END, rangeId=1, thread=7)
    export.range(None, 30, None, kind=END, rangeId=2, thread=7)
    assert ranges(export, tmp_path) == [["first", "second"], ["second"], []]


def test_a_pop_without_a_push_closes_nothing(tmp_path: Path) -> None:
    export = launched_at(25)
    export.range(None, 5, None, kind=POP)
    export.range("step", 20, 30)
    assert ranges(export, tmp_path) == [["step"]]


def test_a_range_that_is_never_closed_lasts_to_the_end_and_is_said(tmp_path: Path) -> None:
    export = launched_at(25, 35)
    export.range("open", 20, None)
    execution = export.read(tmp_path)
    assert [len(kernel.ranges) for kernel in execution.kernels] == [1, 1]
    assert execution.annotations[0].end_ps == 10_036 * NS
    assert execution.notes == ("1 NVTX range never closed, so taken to last until the end of the file",)


def test_a_mark_is_an_annotation_of_no_length_around_nothing(tmp_path: Path) -> None:
    export = launched_at(20)
    export.range("step 3", 20, None, kind=MARK)
    execution = export.read(tmp_path)
    assert [(found.name, found.start_ps, found.end_ps) for found in execution.annotations] == [("step 3", 20 * NS, 20 * NS)]
    assert execution.kernels[0].ranges == ()


def test_events_that_name_threads_categories_and_domains_are_no_annotations(tmp_path: Path) -> None:
    export = launched_at(20)
    for kind in (33, 39, 75, 76, 97):
        export.range("a name", 10, 30, kind=kind)
    assert export.read(tmp_path).annotations == ()


def test_events_without_a_type_are_ranges_where_they_end_and_marks_where_not(tmp_path: Path) -> None:
    export = launched_at(20)
    export.range("range", 10, 30, kind=None)
    export.range("mark", 15, None, kind=None)
    execution = export.read(tmp_path)
    assert [found.name for found in execution.annotations] == ["range", "mark"]
    assert [found.name for found in execution.kernels[0].ranges] == ["range"]


@given(
    intervals=lists(tuples(integers(0, 30), integers(0, 10)), max_size=12),
    moments=lists(integers(-2, 45), max_size=12).map(sorted),
)
def test_what_is_open_is_what_starts_at_or_before_and_ends_after(intervals: list[tuple[int, int]], moments: list[int]) -> None:
    spans = in_order([Span(f"range {number}", start, start + length) for number, (start, length) in enumerate(intervals)])
    expected = [tuple(span for span in spans if span.start_ps <= moment < span.end_ps) for moment in moments]
    around = OpenRanges(spans)
    assert [around.at(moment) for moment in moments] == expected
