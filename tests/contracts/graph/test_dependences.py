"""Dependences: what edges and roles say of the order, and which sets of groups can be regions."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given

from megasolve.contracts import GroupRole, dependences, dependences_of, region_sets
from megasolve.contracts.graph.bits import mask_of, members
from megasolve.contracts.graph.regions import widest_branch
from tests.support.judges import literal_covers
from tests.support.judges.literal_covers import Groups
from tests.support.planning.random_graphs import graphs, spec_of


@given(graphs())
def test_the_regions_of_random_graphs_stand_in_a_cover_of_the_definition(groups: Groups) -> None:
    expected = {block for partition in literal_covers.covers(groups) for block in partition}
    assert {tuple(members(mask)) for mask in region_sets(dependences_of(spec_of(groups)))} == expected


@given(graphs(6))
def test_a_set_is_a_region_exactly_if_it_is_listed(groups: Groups) -> None:
    depends = dependences_of(spec_of(groups))
    listed = set(region_sets(depends))
    sets = [mask_of(some) for size in range(1, groups.count + 1) for some in combinations(range(groups.count), size)]
    assert {mask for mask in sets if depends.is_region(mask)} == listed


@given(graphs(6))
def test_an_implied_edge_changes_nothing(groups: Groups) -> None:
    depends = dependences_of(spec_of(groups))
    without = dependences_of(spec_of(Groups(groups.roles, groups.edges - set(depends.implied))))
    assert (depends.direct, depends.after, depends.joined) == (without.direct, without.after, without.joined)
    assert groups.edges - set(depends.implied) == groups.direct()


def test_a_chain_has_a_region_for_each_run_of_its_groups_those_of_the_first_group_first() -> None:
    depends = dependences(("P", "B", "C"), ("admission", "producer", "consumer"))
    assert [depends.names(mask) for mask in region_sets(depends)] == [
        ("P",),
        ("P", "B"),
        ("P", "B", "C"),
        ("B",),
        ("B", "C"),
        ("C",),
    ]


def test_listing_regions_stops_soon_after_the_limit() -> None:
    fan = dependences(tuple("abcdefghijklmnop"), ["producer"] * 16, [(0, target) for target in range(1, 16)])
    assert 1000 < len(region_sets(fan, at_most=1000)) < 1100


def test_the_widest_branch_counts_groups_of_one_role() -> None:
    roles: list[GroupRole] = ["producer", "producer", "producer", "consumer", "consumer", "consumer"]
    assert widest_branch(dependences(tuple("abcdef"), roles, [(0, target) for target in range(1, 6)])) == (0, 3)
