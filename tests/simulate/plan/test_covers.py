"""Covers of a region graph: the oracles, and random graphs against every partition held against the definition."""

from __future__ import annotations

import pytest
from hypothesis import given

from megasolve.simulate.plan.counting import count_covers
from megasolve.simulate.plan.covers import covers, covers_of
from megasolve.simulate.plan.region_graph import RegionGraph, chain, region_graph
from tests.support.judges import literal_covers
from tests.support.judges.literal_covers import Groups
from tests.support.planning.random_graphs import NAMES, blocks, graphs, spec_of

CHAIN = ((0, 1), (1, 2), (2, 3))
TWO_ENCODERS = ((0, 2), (1, 2), (2, 3))
TWO_CONSUMERS = ((0, 1), (1, 2), (1, 3))
DIAMOND = ((0, 1), (0, 2), (1, 3), (2, 3))
CROSSED = ((0, 2), (0, 3), (1, 2), (1, 3))


def graph(*edges: tuple[int, int], roles: str = "pppp") -> RegionGraph:
    return region_graph(spec_of(Groups(_roles(roles), frozenset(edges))))


def _roles(letters: str) -> tuple[str, ...]:
    return tuple({"a": "admission", "p": "producer", "c": "consumer"}[letter] for letter in letters)


@pytest.mark.parametrize(("edges", "count"), [(CHAIN, 54), (TWO_ENCODERS, 66), (TWO_CONSUMERS, 66), (DIAMOND, 74), (CROSSED, 86)], ids=str)
def test_small_graphs_have_the_covers_that_were_counted_by_hand(edges: tuple[tuple[int, int], ...], count: int) -> None:
    found = list(covers_of(graph(*edges)))
    assert len({frozenset(cover.regions) for cover in found}) == len(found) == count_covers(graph(*edges)) == count


@pytest.mark.parametrize(("edges", "count"), [(TWO_ENCODERS, 12), (TWO_CONSUMERS, 12), (DIAMOND, 8), (CROSSED, 20)], ids=str)
def test_without_common_neighbours_there_are_fewer(edges: tuple[tuple[int, int], ...], count: int) -> None:
    def by_edges(region: tuple[str, ...]) -> int:
        return 2 * (len(region) == 1 or len(set(region) - _reached(edges, region)) == 0)

    assert count_covers(graph(*edges)) - count_covers(graph(*edges), by_edges) == count


def _reached(edges: tuple[tuple[int, int], ...], region: tuple[str, ...]) -> set[str]:
    reached = {region[0]}
    for _ in region:
        for one, other in edges:
            pair = {NAMES[one], NAMES[other]}
            if pair <= set(region) and pair & reached:
                reached |= pair
    return reached


@pytest.mark.parametrize("roles", ["aapp", "appc", "aacc", "apcc"])
def test_roles_do_not_change_what_the_oracles_count(roles: str) -> None:
    edges = {"aapp": TWO_ENCODERS, "appc": CHAIN, "aacc": CROSSED, "apcc": TWO_CONSUMERS}[roles]
    assert count_covers(graph(*edges, roles=roles)) == count_covers(graph(*edges))


@given(graphs())
def test_the_covers_of_random_graphs_are_those_of_the_definition(groups: Groups) -> None:
    found = list(covers_of(graph_of := region_graph(spec_of(groups))))
    expected = literal_covers.covers(groups)
    orders = {tuple(tuple(NAMES.index(group) for group in region.groups) for region in cover.regions) for cover in found}
    assert orders == set(expected.values())
    assert len(found) == len(set(found)) == sum(map(literal_covers.weight, expected)) == count_covers(graph_of)


@given(blocks())
def test_the_regions_of_a_block_follow_each_other_and_take_nothing_else_unless_they_take_all(groups: Groups) -> None:
    drawn = region_graph(spec_of(groups))
    expected = literal_covers.covers(groups)
    found = list(covers_of(drawn))
    assert {frozenset(tuple(NAMES.index(group) for group in one.groups) for one in cover.regions) for cover in found} == set(expected)
    assert all(literal_covers.runs(groups, [tuple(map(NAMES.index, one.groups)) for one in cover.regions]) for cover in found)
    assert len(found) == sum(map(literal_covers.weight, expected)) == count_covers(drawn)


@given(graphs())
def test_every_region_is_part_of_a_cover_and_everything_else_has_a_reason(groups: Groups) -> None:
    drawn = region_graph(spec_of(groups))
    in_covers = {region.groups for cover in covers_of(drawn) for region in cover.regions}
    assert in_covers == set(drawn.regions)
    assert not any(map(drawn.why_not, drawn.regions))


@given(graphs())
def test_regions_that_wait_for_each_other_stand_in_no_cover(groups: Groups) -> None:
    drawn = region_graph(spec_of(groups))
    together = [{region.groups for region in cover.regions} for cover in covers_of(drawn)]
    assert not any({one, other} <= cover for one, other in drawn.conflicts() for cover in together)


def test_a_set_that_is_no_region_says_which_way_leads_out_of_it_or_what_is_not_joined() -> None:
    assert graph(*DIAMOND).why_not(("A", "B", "D")) == "A -> C -> D leads out of it and back"
    expected = "no edge joins A and B+C, and no group comes directly before, or directly after, both"
    assert graph((0, 3), (1, 2), roles="aapp").why_not(("A", "B", "C")) == expected
    assert graph((0, 1), (0, 2), roles="apc").why_not(("A", "C")) == "A -> B -> C leads out of it and back"


def test_a_part_of_a_block_with_a_neighbour_says_what_it_splits() -> None:
    layers = region_graph(spec_of(Groups(_roles("pppp"), frozenset(CHAIN), (1, 2))))
    expected = "it takes B out of a block that repeats, without C, and groups outside of the block"
    assert layers.why_not(("A", "B")) == expected
    assert not layers.why_not(("A", "B", "C", "D"))
    assert [region for region in layers.regions if layers.why_not(region)] == []


def test_a_cycle_of_regions_is_named() -> None:
    assert set(graph(*CROSSED).cycle([("A", "C"), ("B", "D")])) == {("A", "C"), ("B", "D")}
    assert graph(*CROSSED).in_order([("A", "C"), ("B", "D")]) is None


def test_regions_run_in_the_order_of_the_spec_unless_one_waits_for_a_later_one() -> None:
    assert graph(*TWO_ENCODERS).in_order([("D",), ("A", "C"), ("B",)]) == (("B",), ("A", "C"), ("D",))


def test_a_spec_whose_edges_are_carried_by_the_loop_is_the_chain_in_its_order() -> None:
    looped = spec_of(Groups(_roles("pppp"), frozenset()))
    assert list(covers_of(region_graph(looped))) == list(covers("ABCD"))


def test_many_groups_are_counted_without_listing_covers() -> None:
    assert count_covers(chain([f"g{index}" for index in range(40)])) == 2 * 3**39
