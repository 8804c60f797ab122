"""The region graph in text: lanes from each group to what waits for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hypothesis import given

from megasolve.report.explain.graph import drawn
from megasolve.simulate.plan.region_graph import RegionGraph, region_graph
from megasolve.solver import PicturedGroup
from tests.support.judges.literal_covers import Groups
from tests.support.planning.random_graphs import graphs, spec_of


def pictured(graph: RegionGraph) -> list[PicturedGroup]:
    return [PicturedGroup(name, "producer", f"c:{name}", tuple(graph.flow.successors(name))) for name in graph.groups]


def lanes(*waiting: str) -> list[str]:
    """Return the drawing of groups, each written with those that wait for it: `AB` for A with B behind it."""
    groups = [PicturedGroup(one[0], "producer", f"c:{one[0]}", tuple(one[1:])) for one in waiting]
    return [line for line, _ in drawn(groups)]


def test_a_chain_is_one_lane() -> None:
    assert lanes("AB", "BC", "C") == ["o", "o", "o"]


def test_lanes_open_behind_a_branch_and_join_above_what_waits_for_them() -> None:
    assert lanes("ABC", "BD", "CD", "D") == ["o", "├─┐", "o │", "│ o", "├─┘", "o"]


def test_a_lane_goes_on_beside_those_that_end() -> None:
    assert lanes("AC", "BCD", "C", "D") == ["o", "│ o", "│ ├─┐", "├─┘ │", "o   │", "    o"]


def test_nothing_stands_right_below_a_group_that_nothing_waits_for() -> None:
    assert lanes("AB", "B", "C", "D") == ["o", "o", "  o", "o"]


def ends_of(lines: Sequence[tuple[str, PicturedGroup | None]]) -> Iterator[tuple[str, str]]:
    """Yield the edges that a reader follows down from each group: along lanes, and through joints to the left or right."""
    width = max(len(line) for line, _ in lines) + 1
    cells = [line.ljust(width) for line, _ in lines]
    for row, (_, group) in enumerate(lines):
        if group is not None:
            yield from ((group.group, target) for target in _below(lines, cells, row, cells[row].index("o")))


def _below(lines: Sequence[tuple[str, PicturedGroup | None]], cells: Sequence[str], row: int, column: int) -> Iterator[str]:
    if row + 1 == len(cells):
        return
    mark, below = cells[row + 1][column], lines[row + 1][1]
    if mark == "o" and below is not None:
        yield below.group
    elif mark in "│┼":
        yield from _below(lines, cells, row + 1, column)
    elif mark == "├" and ("┐" in cells[row + 1] or "┬" in cells[row + 1]):
        yield from _below(lines, cells, row + 1, column)
        for place, other in enumerate(cells[row + 1]):
            if other in "┬┐":
                yield from _below(lines, cells, row + 1, place)
    elif mark in "├┴┘":
        yield from _below(lines, cells, row + 1, cells[row + 1].index("├"))


@given(graphs(7))
def test_following_the_lanes_gives_the_edges_back(groups: Groups) -> None:
    graph = region_graph(spec_of(groups))
    assert sorted(ends_of(drawn(pictured(graph)))) == sorted(graph.flow.edges)
