"""Task graphs and tables of MPK at random, and damaged at random: each is refused in one line, or becomes tiles that run to their end."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from megasolve.contracts import MegasolveError
from megasolve.contracts.taskgraphs import TaskWishes, notes_of, read_task_files, task_study
from megasolve.contracts.taskgraphs.faults import refuse_impossible_graph
from megasolve.contracts.taskgraphs.graph import NO_EVENT, TaskGraph
from megasolve.contracts.taskgraphs.reading import GRAPH_KEYS
from megasolve.simulate.tiling import TileDeadlock, TileMachine, schedule_tiles
from tests.contracts.taskgraphs.test_program import expanded, graph_of, literal
from tests.support.profiles.task_graphs import LINEAR, NORM, NOTHING, SILU, graph_text, sample_graph, sample_times

ODD: Sequence[Any] = (-1, 0, 1, 2, 7, 10**6, 2**31, NOTHING, 2**64, 1.5, True, None, "", "7", [], {}, float("nan"))
CELLS = ("-1", "0", "1e9", "nan", "inf", "1e400", "", "x", '"', "12.50", "\u0663", "\x00")
FEW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@st.composite
def graphs(draw: st.DrawFn) -> list[tuple[int, int, int]]:
    """Draw tasks that wait for and arrive at any of a few events, in program order or against it."""
    kinds, waits, arrives = st.sampled_from((NORM, LINEAR, SILU)), st.sampled_from((NOTHING, 2, 3, 4, 5)), st.integers(2, 5)
    return draw(st.lists(st.tuples(kinds, waits, arrives), min_size=1, max_size=8))


def never_ends(graph: TaskGraph) -> bool:
    """Whether the tasks, run one by one in the order of their queues, come to one whose event is not there or not open."""
    arrived = [0] * len(graph.events)
    for at in graph.positions:
        event = graph.waits[at]
        if event != NO_EVENT and (event >= len(arrived) or arrived[event] < graph.events[event].triggers):
            return True
        arrived[graph.arrives[at]] += 1
    return False


def refused(ask: Callable[[], object]) -> str | None:
    """Return in which words *ask* is refused, None where it is not; anything but a refusal falls through."""
    try:
        ask()
    except MegasolveError as error:
        return str(error)
    return None


@FEW
@given(graphs())
def test_a_graph_is_refused_exactly_where_one_worker_could_not_run_it_in_order(tmp_path: Path, tasks: list[tuple[int, int, int]]) -> None:
    graph = graph_of(tmp_path, graph_text(tasks))
    words = refused(lambda: refuse_impossible_graph(graph))
    assert (words is not None) == never_ends(graph)
    if words is not None:
        assert "\n" not in words
        return
    made, by_hand = (schedule_tiles(one, TileMachine(3, 10**12, is_static=True)) for one in (expanded(graph), literal(graph)))
    assert not isinstance(made, TileDeadlock)
    assert made.makespan_ps == getattr(by_hand, "makespan_ps", None)


@FEW
@given(st.data())
def test_a_damaged_graph_is_refused_in_one_line_or_read(tmp_path: Path, data: st.DataObject) -> None:
    tree = json.loads(sample_graph())
    for _ in range(data.draw(st.integers(1, 3))):
        _damage(tree, data)
    text = json.dumps(tree)
    if data.draw(st.integers(0, 4)) == 0:
        text = text[: data.draw(st.integers(0, len(text)))]
    assert all(map(is_a_line, said_of(tmp_path, text, sample_times())))


@FEW
@given(st.data())
def test_a_damaged_table_is_refused_in_one_line_or_read(tmp_path: Path, data: st.DataObject) -> None:
    rows = [line.split(",") for line in sample_times().splitlines()]
    for _ in range(data.draw(st.integers(1, 3))):
        row = data.draw(st.sampled_from(rows))
        match data.draw(st.sampled_from(("cell", "cell", "cell", "cut", "twice"))):
            case "cut":
                del row[data.draw(st.integers(1, len(row))) :]
            case "twice":
                rows.append(list(row))
            case _:
                row[data.draw(st.integers(0, len(row) - 1))] = data.draw(st.sampled_from(CELLS))
    table = "".join(",".join(row) + "\n" for row in rows)
    assert all(map(is_a_line, said_of(tmp_path, sample_graph(), table)))


def said_of(folder: Path, graph: str, times: str) -> list[str]:
    """Return what is said of both files: why they are refused, which names one of them, or else notes, and why no study is made of them."""
    (folder / "graph").write_text(graph)
    (folder / "times").write_text(times)
    paths = [folder / "graph", folder / "times"]
    words = refused(lambda: read_task_files(paths).timed(1))
    if words is not None:
        assert str(folder) in words
        return [words]
    files = read_task_files(paths)
    wishes = TaskWishes("damaged", str(folder), "damaged", device="h100_sxm")
    text = refused(lambda: task_study(files.timed(1), (), wishes))
    return [note for notes in notes_of(files).values() for note in notes] + ([] if text is None else [text])


def is_a_line(words: str) -> bool:
    return bool(words) and "\n" not in words


def _damage(tree: dict[str, Any], data: st.DataObject) -> None:
    keys = sorted(GRAPH_KEYS & tree.keys())
    if not keys:
        return
    key = data.draw(st.sampled_from(keys))
    of_it = tree[key]
    if not isinstance(of_it, list) or not of_it or data.draw(st.integers(0, 9)) == 0:
        tree[key] = data.draw(st.sampled_from(ODD))
        return
    at = data.draw(st.integers(0, len(of_it) - 1))
    match data.draw(st.sampled_from(("drop", "twice", "swap", "odd", "field", "field", "field"))):
        case "drop":
            del of_it[at]
        case "twice":
            of_it.insert(at, of_it[at])
        case "swap":
            other = data.draw(st.integers(0, len(of_it) - 1))
            of_it[at], of_it[other] = of_it[other], of_it[at]
        case "odd":
            of_it[at] = data.draw(st.sampled_from(ODD))
        case _:
            if isinstance(of_it[at], dict) and of_it[at]:
                one = dict(of_it[at])
                one[data.draw(st.sampled_from(sorted(one)))] = data.draw(st.sampled_from(ODD))
                of_it[at] = one
