"""Kernels that a profile hides, or that last no time; cases from the field."""

from __future__ import annotations

import pytest

from megasolve.contracts.observe.observation import AttributedBy, GroupRule
from megasolve.contracts.observe.observe import observe
from megasolve.contracts.profiles import Granularity, GraphReplay, ProfileRefused, Site
from tests.support.profiles.executions import US, execution, in_a_row, kernel

_ALL = AttributedBy((GroupRule("B"),))


# C56: a graph replay as one opaque block of 5.7 ms.
def replay(duration_us: int = 5700) -> GraphReplay:
    """Return one replay on the device of the kernels."""
    return GraphReplay(Site(0, 1, 7, 1), 0, duration_us * US, 1)


def test_c56_a_graph_level_trace_gives_no_kernel_and_says_how_to_record_one() -> None:
    with pytest.raises(ProfileRefused) as refused:
        observe([execution(granularity=Granularity.GRAPH, replays=(replay(),))], _ALL)
    assert str(refused.value) == (
        "run.sqlite: graph-level trace: 1 graph replay (5,700.000 us) without its kernels, so neither those nor their launch cost can be "
        "learnt; record again with --cuda-graph-trace=node"
    )


def test_c56_a_few_kernels_beside_the_replay_do_not_make_it_one_operator() -> None:
    with pytest.raises(ProfileRefused, match="graph-level trace: 2 graph replays"):
        observe([execution(in_a_row(("a", 1)), granularity=Granularity.GRAPH, replays=(replay(), replay()))], _ALL)


def test_c56_the_same_run_at_node_level_has_all_its_kernels() -> None:
    found = observe([execution(in_a_row(*[("gemm", 11)] * 500))], _ALL)
    assert found.kernels[0].launches == 500


# C58: durations of zero.
def test_c58_a_kernel_without_any_positive_duration_is_an_error_that_names_kernel_and_row() -> None:
    launches = [kernel("gemm", 0, 5), kernel("copy", 10, 0), kernel("copy", 20, 0)]
    with pytest.raises(ProfileRefused, match="row 10: kernel 'copy' has no positive duration in 2 launches"):
        observe([execution(launches)], _ALL)
