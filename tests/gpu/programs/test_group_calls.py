"""Calls of groups: their order up to the first publication, and what each of them waits for."""

from __future__ import annotations

import pytest

from megasolve.contracts import Spec, StreamSchedule
from megasolve.gpu.errors import GpuError
from megasolve.gpu.programs.group_calls import Call, dependencies, last_step, serial_calls
from tests.support.kernels.streamlet import shipped, split_streams

SPEC = shipped().spec.value


def names(calls: tuple[Call, ...]) -> str:
    return " ".join(map(str, calls))


def with_stream(**schedule: int) -> Spec:
    return SPEC.model_copy(update={"stream": StreamSchedule.model_validate(schedule)})


def test_serial_order_is_admission_each_step_and_the_chunk() -> None:
    assert names(serial_calls(SPEC)) == "P1 B1 L1 B2 L2 B3 L3 B4 L4 B5 L5 C1"


def test_only_the_calls_of_the_groups_asked_for_are_given() -> None:
    assert names(serial_calls(with_stream(first_chunk=2), ["L", "C"])) == "L1 L2 C1"


def test_a_fixed_split_admits_on_all_ctas_and_then_parts() -> None:
    streams = split_streams(with_stream(delay=1, first_chunk=1))
    assert (names(streams.common), names(streams.x), names(streams.y)) == ("P1", "B1 L1 B2 L2", "C1")


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (Call("P"), ""),
        (Call("B", 1), "P1"),
        (Call("B", 3), "B2 P1 L2"),
        (Call("L", 1), "B1"),
        (Call("L", 4), "L3 B4"),
        (Call("C", 1), "L3"),
        (Call("C", 2), "C1 L5"),
    ],
)
def test_a_call_waits_for_its_edges_and_for_the_call_of_its_group_before_it(call: Call, expected: str) -> None:
    assert names(dependencies(SPEC, call)) == expected


def test_a_chunk_needs_the_steps_of_its_frames_behind_the_delay_and_its_right_context() -> None:
    spec = with_stream(delay=2, first_chunk=1, next_chunk=3, right_context=1)
    assert [last_step(spec, chunk) for chunk in (1, 2, 3)] == [4, 7, 10]


def test_without_a_schedule_no_chunk_has_a_last_step() -> None:
    with pytest.raises(GpuError, match="no stream schedule"):
        last_step(SPEC.model_copy(update={"stream": None}), 1)
