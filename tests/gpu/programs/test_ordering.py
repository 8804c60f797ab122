"""Order: a conflict is reported exactly where two tiles meet in memory, one of them writing, with no way from one to the other."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.gpu.programs.arenas import ArenaName
from megasolve.gpu.programs.instructions import Instruction
from megasolve.gpu.programs.ordering import conflicts, elements_of
from megasolve.gpu.programs.tile import Access, ArenaRegion
from tests.support.kernels.bare_programs import bare

SIZES: Mapping[ArenaName, int] = {"floats": 24, "ids": 24, "weights": 24}

regions = st.builds(
    ArenaRegion, st.sampled_from(["floats", "ids"]), st.integers(0, 6), st.integers(1, 5), st.integers(1, 3), st.integers(1, 4)
).filter(lambda region: region.runs == 1 or region.stride >= region.length)
touches = st.lists(st.builds(Access, st.just("x"), regions, st.booleans()), max_size=3)


@st.composite
def programs(draw: st.DrawFn) -> tuple[list[set[int]], list[list[Access]]]:
    """For each of a few instructions, earlier ones that it waits for and what it touches."""
    count = draw(st.integers(2, 7))
    waits = [draw(st.sets(st.integers(0, index - 1), max_size=2)) if index else set() for index in range(count)]
    return waits, [draw(touches) for _ in range(count)]


def reachable(waits: list[set[int]]) -> list[set[int]]:
    found: list[set[int]] = []
    for direct in waits:
        found.append(direct.union(*(found[index] for index in direct)))
    return found


def meet(left: list[Access], right: list[Access]) -> set[tuple[str, int]]:
    """The elements that both touch, at least one of them writing."""
    return {
        (one.region.arena, int(element))
        for one in left
        for other in right
        if (one.writes or other.writes) and one.region.arena == other.region.arena
        for element in set(elements_of(one.region)) & set(elements_of(other.region))
    }


def with_counters(waits: list[set[int]]) -> list[Instruction]:
    """Each instruction arrives at a counter of its own."""
    return [bare([(awaited, 1) for awaited in sorted(direct)], [index]) for index, direct in enumerate(waits)]


@settings(max_examples=200, deadline=None)
@given(programs())
def test_conflicts_are_where_tiles_meet_without_an_order(program: tuple[list[set[int]], list[list[Access]]]) -> None:
    waits, touched = program
    before = reachable(waits)
    expected = {
        (first, second): meet(touched[first], touched[second])
        for first, second in combinations(range(len(waits)), 2)
        if first not in before[second]
    }
    found = list(conflicts(with_counters(waits), range(len(waits)), dict(enumerate(touched)), SIZES))
    for conflict in found:
        assert (conflict.arena, conflict.element) in expected[conflict.earlier, conflict.later]
    assert bool(found) == any(expected.values())


def test_two_arrivals_at_one_counter_are_both_before_what_it_opens() -> None:
    shared = ArenaRegion("floats", 0, 1, 1, 2)
    instructions = [bare([], [0]), bare([], [0]), bare([(0, 2)], [])]
    touched = {
        0: [Access("y", ArenaRegion("floats", 0, 1, 1, 1), writes=True)],
        1: [Access("y", ArenaRegion("floats", 1, 1, 1, 1), writes=True)],
    }
    assert list(conflicts(instructions, (0, 1, 2), {**touched, 2: [Access("x", shared)]}, SIZES)) == []
    (conflict,) = conflicts(instructions, (0, 1, 2), {0: [Access("x", shared)], 1: touched[1], 2: [Access("x", shared)]}, SIZES)
    assert (conflict.earlier, conflict.later, conflict.element) == (0, 1, 1)
