"""Steps by the replays of a graph: each lasts until the next one begins."""

from __future__ import annotations

import pytest

from megasolve.contracts.observe.observation import StepsBy
from megasolve.contracts.observe.steps.steps import find_steps
from megasolve.contracts.observe.timelines.timeline import timeline
from megasolve.contracts.profiles import Execution, GraphNode, Kernel, ProfileRefused
from tests.support.profiles.executions import execution, kernel

REPLAYS = StepsBy(replays=True)


def replayed(start_us: int, correlation: int, kernels: int = 3) -> list[Kernel]:
    """Return the kernels of one replay."""
    return [kernel("node", start_us + place, 1, graph=GraphNode(1), correlation=correlation) for place in range(kernels)]


def lengths(of: Execution) -> list[int]:
    return [len(step.launches) for step in find_steps(of, timeline(of), REPLAYS).steps]


def test_what_runs_between_two_replays_belongs_to_the_step_of_the_first() -> None:
    ran = [kernel("encode", 0, 1), *replayed(10, 1), kernel("sample", 20, 1), *replayed(30, 2), kernel("decode", 40, 1)]
    assert lengths(execution(ran)) == [4, 3]


def test_the_graph_of_most_kernels_makes_the_steps() -> None:
    ran = [*replayed(0, 1, 2), *replayed(10, 2, 5), *replayed(20, 3, 2), *replayed(30, 4, 5), *replayed(40, 5, 2)]
    assert lengths(execution(ran)) == [7, 5]


def test_without_a_graph_that_is_replayed_twice_there_is_no_step() -> None:
    one = execution(replayed(0, 1))
    with pytest.raises(ProfileRefused, match="no graph was replayed twice"):
        find_steps(one, timeline(one), REPLAYS)
