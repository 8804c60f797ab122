"""What a trace at the level of graphs hides; a case from the field."""

from __future__ import annotations

from pathlib import Path

from megasolve.contracts.profiles import Granularity, totals
from tests.support.profiles.nsys import Export

REPLAY_NS = 5_700_000


def test_c56_a_replay_of_five_hundred_kernels_is_no_kernel_at_graph_level(tmp_path: Path) -> None:
    export = Export()
    export.call("cudaGraphLaunch_v10000", 0, 50, 1)
    export.replay(1000, 1000 + REPLAY_NS, 1)
    execution = export.read(tmp_path)
    assert (execution.granularity, totals(execution).kernels) == (Granularity.GRAPH, 0)
    assert [replay.duration_ps for replay in execution.replays] == [REPLAY_NS * 1000]
    assert "record with --cuda-graph-trace=node" in execution.notes[0]


def test_c56_the_same_replay_at_node_level_is_five_hundred_kernels(tmp_path: Path) -> None:
    export = Export()
    export.call("cudaGraphLaunch_v10000", 0, 50, 1)
    for node in range(1, 501):
        start = 1000 + (node - 1) * REPLAY_NS // 500
        export.kernel("decode", start, start + REPLAY_NS // 500, 1, graphNodeId=node)
    execution = export.read(tmp_path)
    assert (execution.granularity, execution.replays) == (Granularity.KERNEL, ())
    assert (totals(execution).kernels, totals(execution).union_ps) == (500, REPLAY_NS * 1000)
