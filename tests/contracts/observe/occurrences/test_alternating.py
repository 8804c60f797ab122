"""Groups by name that take turns within a step are no phases of it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from megasolve.contracts.observe import AttributedBy, GroupRule, Observation, StepsBy, observe
from megasolve.contracts.profiles import Kernel, ProfileRefused
from tests.support.profiles.executions import execution, kernel, span

_BY_NAME = (GroupRule("B", names=("b*",)), GroupRule("L", names=("l*",)))
_WITH_THE_REST = (GroupRule("B", names=("b*",)), GroupRule("L"))
_MARKED = StepsBy(marks="step *")


def step(number: int, names: str, *, streams: Sequence[int] = (7,)) -> list[Kernel]:
    """Return a marked step of kernels of 2 microseconds with one letter each, on the streams in turn."""
    mark = span(f"step {number}", number)
    return [kernel(name, 100 * number + 3 * at, 2, mark, stream=streams[at % len(streams)]) for at, name in enumerate(names)]


def seen(kernels: list[Kernel], rules: tuple[GroupRule, ...] = _BY_NAME, steps: StepsBy = _MARKED) -> Observation:
    return observe([execution(kernels)], AttributedBy(rules, steps))


@pytest.mark.parametrize("rules", [_BY_NAME, _WITH_THE_REST])
def test_groups_that_take_turns_within_a_step_are_unfit_with_what_to_give_instead(rules: tuple[GroupRule, ...]) -> None:
    found = seen([*step(0, "blbl"), *step(1, "blbl")], rules)
    (reason,) = found.unfit
    assert reason == (
        "groups B and L alternate, 4 turns within 'step 0': 'b' (B), 'l' (L), 'b' (B), 'l' (L): names do not tell phases apart here; "
        "give each its annotations (--group NAME=ranges:GLOB), or make one group of B and L"
    )
    with pytest.raises(ProfileRefused, match="groups B and L alternate"):
        found.refuse_unfit()


@pytest.mark.parametrize("names", ["bbll", "bllllllll", "lbbl", "bblb", "b", "bxlx"])
def test_groups_in_one_piece_are_phases_in_any_order(names: str) -> None:
    assert seen([*step(0, names), *step(1, names), *step(2, names)]).unfit == ()


def test_turns_over_steps_are_no_fault_and_over_a_whole_profile_they_are_with_a_hint() -> None:
    kernels = [one for n in range(4) for one in step(n, "bbl")]
    assert seen(kernels).unfit == ()
    (reason,) = seen(kernels, steps=StepsBy()).unfit
    assert "8 turns within 'the whole profile'" in reason
    assert reason.endswith("; where each turn is a step, say where steps begin (--steps)")


def test_groups_on_two_streams_take_no_turns() -> None:
    assert seen(step(0, "blblbl", streams=(7, 8))).unfit == ()


def test_annotations_tell_calls_apart_that_take_turns() -> None:
    turns = [one._replace(ranges=(*one.ranges, span(one.shape.name, place))) for place, one in enumerate(step(0, "blblbl"))]
    rules = (GroupRule("B", ranges=("b",)), GroupRule("L", ranges=("l",)))
    found = seen(turns, rules)
    assert found.unfit == ()
    assert [one.per_step for one in found.groups] == [3, 3]
