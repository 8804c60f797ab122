from __future__ import annotations

from typing import Any

import pytest

from megasolve.contracts.observe.observation import StepsBy
from megasolve.contracts.observe.occurrences.settled_steps import settled_steps
from megasolve.contracts.observe.steps.steps import FoundSteps, find_steps
from megasolve.contracts.observe.timelines.timeline import timeline
from megasolve.contracts.profiles import Execution, Kernel, ProfileRefused
from tests.support.profiles.executions import execution, in_a_row, kernel, shape, span

_STEP = (("embed", 2), ("layer", 5), ("layer", 5), ("head", 3))


def found(of: Execution, by: StepsBy) -> FoundSteps:
    """Return the steps of an execution on one device."""
    return find_steps(of, timeline(of), by)


def said(of: Execution) -> tuple[str, ...]:
    """Return what is said of the steps of an execution for which nobody chose any."""
    return tuple(settled_steps(of, timeline(of), StepsBy()).notes())


def decode(steps: int, length_us: int = 20) -> list[Kernel]:
    """Return that many equal steps of four kernels."""
    return [one for number in range(steps) for one in in_a_row(*_STEP, start_us=number * length_us)]


def test_the_whole_profile_is_one_step_unless_something_else_is_chosen() -> None:
    (step,) = found(execution(decode(3)), StepsBy()).steps
    assert step.launches == tuple(range(12))


def test_marks_give_a_step_to_each_instance() -> None:
    kernels = [one for number in range(3) for one in in_a_row(*_STEP, start_us=20 * number, ranges=[span(f"step {number}", 20 * number)])]
    steps = found(execution([*kernels, kernel("copy", 99, 1)]), StepsBy(marks="step *"))
    assert [step.label for step in steps.steps] == ["step 0", "step 1", "step 2"]
    assert [step.launches for step in steps.steps] == [(0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11)]
    assert steps.notes == ("steps are the 3 instances of 'step *'",)


def test_equal_names_at_different_times_are_different_steps() -> None:
    kernels = [kernel("a", 0, 1, span("decode", 0, 5)), kernel("a", 10, 1, span("decode", 10, 15))]
    assert len(found(execution(kernels), StepsBy(marks="decode")).steps) == 2


def test_the_outermost_annotation_that_matches_is_the_step() -> None:
    outer = span("step", 0, 100)
    kernels = [kernel("a", 0, 1, outer, span("step inner", 0, 9)), kernel("b", 10, 1, outer)]
    assert [step.label for step in found(execution(kernels), StepsBy(marks="step*")).steps] == ["step"]


def test_pitfall_18_a_kernel_belongs_to_the_step_that_launched_it_and_not_to_the_one_it_runs_in() -> None:
    first, second = span("step 1", 0, 10), span("step 2", 10, 20)
    late = kernel("late", 15, 2, first)
    steps = found(execution([kernel("a", 5, 2, first), kernel("b", 12, 2, second), late]), StepsBy(marks="step *")).steps
    assert [step.launches for step in steps] == [(0, 2), (1,)]


def test_pitfall_18_kernels_without_an_annotation_are_not_given_to_one_by_the_clock() -> None:
    of = execution([kernel("a", 5, 2, correlation=1)], annotations=(span("step 1", 0, 10),))
    with pytest.raises(ProfileRefused, match=r"1 annotation matches 'step \*', but no kernel was launched inside of one"):
        found(of, StepsBy(marks="step *"))


def test_an_instance_without_kernels_is_no_step_and_said() -> None:
    of = execution([kernel("a", 5, 2, span("step 1", 0, 10))], annotations=(span("step 1", 0, 10), span("step 2", 10, 20)))
    assert found(of, StepsBy(marks="step *")).notes == (
        "steps are the 1 instance of 'step *'",
        "1 instance of 'step *' launched no kernel on this device",
    )


def test_marks_that_match_nothing_are_refused_with_what_there_is() -> None:
    of = execution([kernel("a", 0, 1, span("prefill"), span("aten::mm"))])
    with pytest.raises(ProfileRefused, match=r"no annotation matches 'decode\*'; found 'prefill', 'aten::mm'"):
        found(of, StepsBy(marks="decode*"))
    with pytest.raises(ProfileRefused, match="found none at all"):
        found(execution(decode(1)), StepsBy(marks="decode*"))


def test_a_name_full_of_brackets_matches_itself() -> None:
    kernels = [kernel("a", 0, 1, span("step[DECODE bs=32]"))]
    assert len(found(execution(kernels), StepsBy(marks="step[DECODE bs=32]")).steps) == 1


def test_the_period_is_found_and_said() -> None:
    steps = found(execution([kernel("prefill", -30, 20), *decode(5)]), StepsBy(period="auto"))
    assert [step.launches for step in steps.steps] == [tuple(range(first, first + 4)) for first in range(1, 21, 4)]
    assert steps.notes == ("steps are 5 repetitions of 4 kernels, from 'embed' on",)


def test_a_grid_that_follows_the_sequence_does_not_hide_the_period() -> None:
    kernels = [one for n in range(6) for one in in_a_row(("embed", 1), (shape("attention", 8 + n), 4), ("head", 1), start_us=20 * n)]
    steps = found(execution(kernels), StepsBy(period="auto"))
    assert len(steps.steps) == 6
    assert "kernels that differ in grid or block count as equal in finding the steps" in steps.notes


def test_a_grid_that_tells_two_kernels_apart_counts() -> None:
    kernels = in_a_row(*[(shape("gemm", grid), 2) for _ in range(5) for grid in (64, 128, 256)])
    assert len(found(execution(kernels), StepsBy(period="auto")).steps) == 5


def test_kernels_of_another_stream_go_with_the_step_that_the_busiest_stream_is_in() -> None:
    beside = [kernel("all_reduce", 20 * number + offset, 1, stream=9) for number, offset in enumerate((3, 8, 1))]
    kernels = sorted([*decode(3), *beside], key=lambda one: one.start_ps or 0)
    steps = found(execution(kernels), StepsBy(period="auto")).steps
    names = [[kernels[launch].shape.name for launch in step.launches].count("all_reduce") for step in steps]
    assert names == [1, 1, 1]


def test_a_period_that_is_not_there_is_refused_with_the_one_that_is() -> None:
    with pytest.raises(ProfileRefused, match="the kernels do not repeat every 5 kernels; they repeat every 4 kernels"):
        found(execution(decode(5)), StepsBy(period=5))
    with pytest.raises(ProfileRefused, match="the kernels do not repeat, so no period was found"):
        found(execution(in_a_row(("a", 1), ("b", 1))), StepsBy(period="auto"))


def test_a_few_equal_kernels_in_a_row_are_no_period_unless_one_asks_for_it() -> None:
    few = execution(in_a_row(*[("fill", 1)] * 4, *[(f"kernel {n}", 1) for n in range(5)]))
    with pytest.raises(ProfileRefused, match=r"hardly repeat: 4 times 1 kernel of 9 at the most; choose period:1 to have that, else take "):
        found(few, StepsBy(period="auto"))
    assert len(found(few, StepsBy(period=1)).steps) == 4


def test_half_of_the_kernels_are_enough_of_a_period() -> None:
    half = execution(in_a_row(*[("fill", 1)] * 4, *[(f"kernel {n}", 1) for n in range(4)]))
    assert len(found(half, StepsBy(period="auto")).steps) == 4


def test_what_could_be_the_steps_is_said_where_none_were_chosen() -> None:
    kernels = [one for number in range(3) for one in in_a_row(*_STEP, start_us=20 * number, ranges=[span(f"round[{number}]", number)])]
    assert said(execution(kernels)) == (
        "the whole profile counts as one step; its annotations offer others: marks:round?*] (3 instances)",
        "the whole profile counts as one step; its kernels repeat 3 times, every 4 kernels: period:4 if that is a step, and not a layer",
    )


def test_nothing_is_said_about_a_profile_that_offers_no_choice() -> None:
    assert said(execution(in_a_row(("a", 1), ("b", 1), ranges=[span("model")]))) == ()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"marks": "a", "period": 3}, "not by both"),
        ({"period": 0}, "at least 1 kernel"),
        ({"period": "often"}, "expected a number of kernels or 'auto'"),
        ({"skip": -1}, "0 steps or more"),
    ],
)
def test_a_choice_of_steps_that_makes_no_sense_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        StepsBy(**arguments)
