"""From a task graph to the program of a contract: the same tasks, in the same order, with the same waits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from megasolve.contracts import Contract, load_spec, shipped_specs
from megasolve.contracts.profiles.text.source import source
from megasolve.contracts.taskgraphs.graph import NO_EVENT, TaskGraph
from megasolve.contracts.taskgraphs.program import blocks_of
from megasolve.contracts.taskgraphs.reading import read_task_graph
from megasolve.contracts.taskgraphs.stages import repeat_of, stages_of
from megasolve.simulate.tiling import Tile, TileMachine, TileProgram, TileSchedule, TileSection, device_rates, expand, schedule_tiles
from tests.support.profiles.task_graphs import MEANS_US, Task, forked_graph, graph_text, layered

TIMES_PS = {kind: int(float(mean) * 10**6) for kind, mean in MEANS_US.items()}
LAUNCH = {"unverified": "not known"}
DISPATCH = {"kind": "stream", "host_waits": False, "host_us": 0, "exposed_us": 0}


def graph_of(folder: Path, text: str) -> TaskGraph:
    (folder / "task_graph.json").write_text(text)
    return read_task_graph(source(folder / "task_graph.json"))


def expanded(graph: TaskGraph) -> TileProgram:
    """Return the tiles of the contract that is made of *graph*."""
    stages = stages_of(graph)
    draft = {
        "megasolve": "contract/v1",
        "entry": "D_mpk",
        "backend": "megakernel",
        "members": ("D",),
        "launch": LAUNCH,
        "dispatch": DISPATCH,
        "budgets_ctas": (8,),
        "programs": {"D": blocks_of(stages, repeat_of(stages), TIMES_PS)},
    }
    contract = Contract.model_validate(draft, by_alias=True, by_name=False)
    device = load_spec(shipped_specs() / "llama_1b.yaml").device.value
    return expand(contract, "D", {"batch": 1}, device_rates(contract, device, 8))


def literal(graph: TaskGraph) -> TileProgram:
    """Return a tile for each task of *graph*, one by one, with its events as counters."""
    tiles = [
        Tile(
            str(graph.kinds[at]),
            TIMES_PS[graph.kinds[at]],
            waits=(str(graph.waits[at]),) if graph.waits[at] != NO_EVENT else (),
            signals=(str(graph.arrives[at]),),
        )
        for at in graph.positions
    ]
    counters = [(str(number), len(of_it)) for number, of_it in enumerate(graph.producers)]
    return TileProgram(prologue=TileSection(tiles, counters))


def makespan_ps(program: TileProgram, workers: int) -> int:
    schedule = schedule_tiles(program, TileMachine(workers, 10**12, staging_bytes=0))
    assert isinstance(schedule, TileSchedule)
    return schedule.makespan_ps


@pytest.mark.parametrize("workers", [1, 3, 8, 50])
@pytest.mark.parametrize("layers", [1, 2, 7])
def test_layers_written_once_run_as_the_tasks_one_by_one(tmp_path: Path, layers: int, workers: int) -> None:
    graph = graph_of(tmp_path, graph_text(layered(layers, batch=3).tasks))
    assert expanded(graph).tile_count == sum(graph.counts.values())
    assert makespan_ps(expanded(graph), workers) == makespan_ps(literal(graph), workers)


@pytest.mark.parametrize("workers", [1, 2, 4, 9])
def test_a_fork_whose_tasks_take_turns_keeps_their_order(tmp_path: Path, workers: int) -> None:
    graph = graph_of(tmp_path, forked_graph())
    program = expanded(graph)
    assert [program.tile(at).compute_ps for at in range(program.tile_count)] == [TIMES_PS[graph.kinds[at]] for at in graph.positions]
    assert makespan_ps(program, workers) == makespan_ps(literal(graph), workers)


def test_a_skip_over_a_layer_is_no_repeat_and_still_exact(tmp_path: Path) -> None:
    tasks: Sequence[Task] = layered(5).tasks
    first = next(task for task in tasks)
    skipping = [*tasks[:-1], (tasks[-1][0], first[2], tasks[-1][2])]
    graph = graph_of(tmp_path, graph_text(skipping))
    assert makespan_ps(expanded(graph), 4) == makespan_ps(literal(graph), 4)


def test_the_shipped_samples_are_what_their_builders_make() -> None:
    from tests.support.profiles import task_graphs as built

    folder = shipped_specs().parent / "examples" / "mpk"
    texts = {
        "layers/task_graph.json": built.sample_graph(),
        "layers/pertask_by_bs.csv": built.sample_times(),
        "layers/bs1_iters.csv": built.sample_steps(),
        "fork/task_graph.json": built.forked_graph(),
        "fork/pertask_by_bs.csv": built.forked_times(),
    }
    assert {name: (folder / name).read_text() for name in texts} == texts
