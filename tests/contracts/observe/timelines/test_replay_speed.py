from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.contracts.observe.observation import AttributedBy, GroupRule, Observation
from megasolve.contracts.observe.observe import observe
from megasolve.contracts.profiles import Execution, Granularity, GraphNode, GraphReplay, Kernel, Site
from tests.support.profiles.executions import US, execution, in_a_row

_ALL = AttributedBy((GroupRule("B"),))


def replayed(*durations_us: int, start_us: int = 0, gap_us: int = 0, graph: int | None = 1, correlation: int = 9) -> list[Kernel]:
    """Return the kernels of one replay, all with the correlation of its launch."""
    names = [(f"kernel {number}", duration) for number, duration in enumerate(durations_us)]
    kernels = in_a_row(*names, start_us=start_us, gap_us=gap_us)
    return [one._replace(graph=GraphNode(graph, number), correlation=correlation) for number, one in enumerate(kernels)]


def whole(*durations_us: int, graph: int | None = 1) -> Execution:
    """Return the same run at graph level."""
    replays = tuple(GraphReplay(Site(0, 1, 7, 1), 0, duration * US, row, graph) for row, duration in enumerate(durations_us))
    return replace(execution(replays=replays, granularity=Granularity.GRAPH), file="graphs.sqlite")


def seen(kernels: list[Kernel], *beside: Execution) -> Observation:
    """Return what a node-level trace says beside graph-level ones."""
    return observe([execution(kernels), *beside], _ALL)


def test_pitfall_03_kernels_that_share_the_correlation_of_their_replay_stay_apart_and_its_launch_cost_counts_once() -> None:
    kernels = [*replayed(4, 6, correlation=1), *replayed(4, 6, start_us=30, correlation=2)]
    first, second = seen(kernels).kernels
    assert (first.launches, second.launches) == (2, 2)
    assert (first.gap_samples_ps, second.gap_samples_ps) == ((20 * US,), (0,))


def test_pitfall_02_kernels_of_a_replay_count_at_the_speed_of_the_whole_replay() -> None:
    found = seen(replayed(40, 60, gap_us=20), whole(100, 90, 90))
    assert [(one.samples_ps[0] / US, one.gap_samples_ps[0] / US) for one in found.kernels] == [(30, 0), (45, 15)]
    assert found.span_samples_ps == (90 * US,)
    assert found.notes[0] == "graph 1: a replay takes 90.000 us, with its kernels recorded 120.000 us; they count at its speed"
    assert [source.granularity for source in found.sources] == ["kernel", "graph"]


def test_pitfall_02_what_is_launched_outside_of_graphs_and_the_wait_before_a_replay_keep_their_time() -> None:
    found = seen([*in_a_row(("eager", 10)), *replayed(50, 50, start_us=25)], whole(50))
    assert [(one.shape.name, one.samples_ps[0] / US, one.gap_samples_ps[0] / US) for one in found.kernels] == [
        ("eager", 10, 0),
        ("kernel 0", 25, 15),
        ("kernel 1", 25, 0),
    ]


def test_graphs_are_told_apart_by_number() -> None:
    kernels = [*replayed(100, graph=1), *replayed(100, 100, start_us=200, graph=2, correlation=10)]
    both = replace(whole(50), replays=(*whole(50, graph=1).replays, *whole(100, graph=2).replays))
    first, second = seen(kernels, both).kernels
    assert (first.samples_ps, second.samples_ps) == ((100 * US,), (50 * US,))


def test_the_only_graph_on_each_side_is_the_same_one() -> None:
    assert seen(replayed(100, graph=None), whole(80, graph=5)).span_samples_ps == (80 * US,)


def test_graphs_that_do_not_match_keep_their_speed_and_it_is_said() -> None:
    kernels = [*replayed(100, graph=1), *replayed(100, start_us=200, graph=2, correlation=10)]
    found = seen(kernels, whole(50, graph=7))
    assert found.kernels[0].samples_ps == (200 * US,)
    assert found.notes[0].startswith("the graphs of the graph-level trace cannot be told apart")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 50), min_size=1, max_size=8), st.integers(0, 5), st.integers(1, 400))
def test_however_it_is_scaled_a_replay_takes_exactly_the_time_of_the_whole(durations: list[int], gap: int, true: int) -> None:
    assert seen(replayed(*durations, gap_us=gap), whole(true)).span_samples_ps == (true * US,)
