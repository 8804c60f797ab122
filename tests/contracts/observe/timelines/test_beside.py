"""Overlap inside a group or in order on a stream is that design's own; beside another group's kernels no time is standalone."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.contracts.observe import AttributedBy, GroupRule, Observation, StepsBy, observe
from megasolve.contracts.profiles import Kernel, Site
from tests.support.profiles.executions import US, execution, kernel, span

_TWO = (GroupRule("P", names=("p*",)), GroupRule("D", names=("d*",)))
_LAUNCHES = st.lists(st.tuples(st.sampled_from(["p", "d", "d2"]), st.integers(0, 200), st.integers(1, 60), st.integers(1, 3)), min_size=1)


def seen(kernels: Iterable[Kernel], rules: tuple[GroupRule, ...] = _TWO, steps: StepsBy | None = None) -> Observation:
    """Return what is observed of *kernels* in order of start."""
    ordered = sorted(kernels, key=lambda one: one.start_ps or 0)
    return observe([execution(ordered)], AttributedBy(rules, steps or StepsBy()))


def times(found: Observation) -> dict[str, tuple[list[int], list[int]]]:
    """Return the samples and gaps of each kernel in microseconds."""
    return {one.shape.name: ([ps // US for ps in one.samples_ps], [ps // US for ps in one.gap_samples_ps]) for one in found.kernels}


def test_dependent_launch_on_one_stream_is_no_sharing_of_groups() -> None:
    found = seen([kernel("p", 0, 10), kernel("d", 8, 10), kernel("d", 17, 10)])
    assert times(found) == {"p": ([10], [0]), "d": ([20], [-3])}
    assert not found.is_shared


def test_streams_of_one_group_are_its_own_design() -> None:
    found = seen([kernel("d", 0, 10), kernel("d2", 2, 4, stream=8), kernel("d", 12, 10)], (GroupRule("D"),))
    assert times(found) == {"d": ([20], [2]), "d2": ([4], [-4])}
    assert found.groups[0].samples_ps[0] + found.groups[0].gap_samples_ps[0] == found.span_samples_ps[0] == 22 * US


def test_a_group_on_another_stream_makes_both_stand_beside_each_other() -> None:
    found = seen([kernel("p", 0, 100, stream=14), kernel("d", 10, 20), kernel("d", 40, 20)])
    assert times(found) == {"p": ([100], [0]), "d": ([40], [0])}
    assert [(one.group, one.beside) for one in found.groups] == [("P", ("D",)), ("D", ("P",))]
    assert {one.beside for one in found.kernels} == {("D",), ("P",)}


def test_where_some_launches_ran_alone_the_others_count_as_long_as_they() -> None:
    found = seen([kernel("p", 35, 100, stream=14), *(kernel("d", 20 * n, 10 if n < 2 else 17) for n in range(5))])
    assert [(one.group, one.beside) for one in found.groups] == [("P", ("D",)), ("D", ())]
    assert times(found)["d"][0] == [50]
    assert "group D: 3 of 5 launches ran beside P; they count as long as the launches of their kernels that ran alone do" in found.notes[-1]


def test_occurrences_beside_another_group_are_left_out_where_others_are_not() -> None:
    steps = [kernel("d", 100 * n, 10 if n != 1 else 30, span(f"step {n}", n)) for n in range(4)]
    found = seen([*steps, kernel("p", 105, 20, stream=14)], steps=StepsBy(marks="step *"))
    assert times(found)["d"][0] == [10, 10, 10]
    assert "group D: 1 of 4 occurrences ran beside P and are left out" in found.notes


def test_kernels_of_no_group_make_nothing_stand_beside() -> None:
    found = seen([kernel("nccl", 0, 100, stream=14), kernel("d", 10, 20)])
    assert times(found) == {"d": ([20], [0])}
    assert found.groups[0].beside == ()


def test_where_no_stream_is_named_groups_that_overlap_ran_beside_each_other() -> None:
    nowhere = Site(0, None, None, 1)
    found = seen([kernel("p", 0, 10, site=nowhere), kernel("d", 5, 10, site=nowhere)])
    assert found.is_shared


@settings(max_examples=80, deadline=None)
@given(_LAUNCHES)
def test_no_time_is_shorter_than_its_kernels_ran(launches: list[tuple[str, int, int, int]]) -> None:
    kernels = [kernel(name, start, duration, stream=stream) for name, start, duration, stream in launches]
    found = seen(kernels, steps=StepsBy())
    for one in found.kernels:
        shortest = min(duration for name, _, duration, _ in launches if name == one.shape.name)
        assert all(sample >= one.launches * shortest * US for sample in one.samples_ps)


@settings(max_examples=80, deadline=None)
@given(_LAUNCHES)
def test_launches_stand_beside_exactly_those_of_other_groups_and_streams_that_overlap(
    launches: list[tuple[str, int, int, int]],
) -> None:
    kernels = [kernel(name, start, duration, stream=stream) for name, start, duration, stream in launches]
    overlaps = any(
        one[0][0] != other[0][0] and one[3] != other[3] and one[1] < other[1] + other[2] and other[1] < one[1] + one[2]
        for one in launches
        for other in launches
    )
    assert seen(kernels).is_shared == overlaps
