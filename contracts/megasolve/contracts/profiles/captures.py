"""A capture beside a run: what was captured into a graph says what its replays run, launch by launch, in the order of the calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..model.wording import counted
from .execution import Captured, Execution, Kernel
from .names import normalized

# Replays may order branches of a graph otherwise than they were captured; one name in twenty may differ.
_EQUAL_PER_DIFFERING = 20

_Replay = tuple[int | None, int]


def with_captures(executions: Sequence[Execution]) -> tuple[Execution, ...]:
    """Return *executions* without those that are captures alone, their operators with the kernels of the replays in the others.

    A capture that matches no replay is said, and so are replays that match none; without a run beside them, captures stay as they are.
    """
    captures = [execution for execution in executions if execution.is_capture]
    runs = [execution for execution in executions if not execution.is_capture]
    if not captures or not any(run.is_timeline for run in runs):
        return tuple(executions)
    graphs = [launches for capture in captures for launches in _graphs(capture.captured)]
    return tuple(_joined(run, graphs) if run.is_timeline else run for run in runs)


def _graphs(captured: Sequence[Captured]) -> Iterator[Sequence[Captured]]:
    for number in dict.fromkeys(launch.capture for launch in captured):
        yield [launch for launch in captured if launch.capture == number]


def _joined(run: Execution, graphs: Sequence[Sequence[Captured]]) -> Execution:
    gained: dict[int, Kernel] = {}
    replays = _replays(run.kernels)
    unmatched = 0
    for launches in replays.values():
        graph = next((graph for graph in graphs if _matches(graph, [run.kernels[launch] for launch in launches])), None)
        unmatched += graph is None
        for launch, captured in zip(launches, graph or (), strict=False):
            gained[launch] = run.kernels[launch]._replace(operator=captured.operator)
    kernels = tuple(gained.get(launch, kernel) for launch, kernel in enumerate(run.kernels))
    return replace(run, kernels=kernels, notes=(*run.notes, _told(len(replays), unmatched, graphs)))


def _replays(kernels: Sequence[Kernel]) -> Mapping[_Replay, list[int]]:
    """Return the kernels of each replay, by the call that launched it."""
    found: dict[_Replay, list[int]] = {}
    for launch, kernel in enumerate(kernels):
        if kernel.graph is not None and kernel.correlation is not None:
            found.setdefault((kernel.site.process, kernel.correlation), []).append(launch)
    return found


def _matches(graph: Sequence[Captured], kernels: Sequence[Kernel]) -> bool:
    """Whether *kernels* are a replay of *graph*: as many, and of the same names where the capture has them."""
    if len(graph) != len(kernels):
        return False
    named = [(one.kernel, kernel.shape.name) for one, kernel in zip(graph, kernels, strict=True) if one.kernel is not None]
    differing = sum(normalized(captured) != normalized(ran) for captured, ran in named)
    return _EQUAL_PER_DIFFERING * differing <= len(named)


def _told(replays: int, unmatched: int, graphs: Sequence[Sequence[Captured]]) -> str:
    captured = ", ".join(counted(len(graph), "launch", "launches") for graph in graphs)
    if not replays:
        return f"a capture ({captured}) is beside it, but no graph was replayed: nothing of it was taken"
    if unmatched:
        which = f"{unmatched:,} of {counted(replays, 'replay')} {'matches' if replays == 1 else 'match'} no capture ({captured})"
        return f"{which} in number and names of kernels: they stay opaque"
    return f"what its {counted(replays, 'replay')} run is taken from the capture beside it ({captured})"
