"""The true speed of graph replays: recording every kernel of one slows it down, recording it as a whole does not.

Where a run was recorded both ways, the kernels of a replay keep their proportions and take the time that the whole replay took.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median_low

from ...profiles.execution import Execution, GraphReplay
from ...profiles.wording import microseconds
from .gaps import Share
from .timeline import Timeline

_Graph = int | None


def at_replay_speed(ran: Timeline, whole: Iterable[Execution]) -> tuple[Timeline, tuple[str, ...]]:
    """Return *ran* with its replays as fast as in the graph-level traces *whole*, and what there is to say about it.

    The launch cost before a replay stays. Graphs are matched by their number, or as the only one on each side.
    """
    recorded = [found for execution in whole for found in execution.replays if found.site.device == ran.device]
    if not recorded:
        return ran, ()
    replays = _replays(ran)
    traced_ps = _median_spans(ran, replays)
    true_ps = _true_spans(recorded, list(traced_ps))
    if not true_ps:
        return ran, ("the graphs of the graph-level trace cannot be told apart: replays keep the speed of their recorded kernels",)
    shares = list(ran.shares)
    for (graph, _, _), launches in replays.items():
        for launch, share in _scaled(ran, launches, true_ps[graph], traced_ps[graph]):
            shares[launch] = share
    return replace(ran, shares=tuple(shares)), tuple(_notes(traced_ps, true_ps))


def _replays(ran: Timeline) -> Mapping[tuple[_Graph, int | None, int | None], list[int]]:
    """Return the launches of each replay: those of one graph with the correlation of one launch call, which counts per process."""
    found: dict[tuple[_Graph, int | None, int | None], list[int]] = {}
    for launch, kernel in enumerate(ran.kernels):
        if kernel.graph is not None and kernel.correlation is not None:
            found.setdefault((kernel.graph.graph, kernel.site.process, kernel.correlation), []).append(launch)
    return found


def _span_ps(ran: Timeline, launches: Sequence[int]) -> int:
    """Return what a replay takes from its first kernel on."""
    return sum(ran.shares[launch].gap_ps + ran.shares[launch].service_ps for launch in launches) - ran.shares[launches[0]].gap_ps


def _median_spans(ran: Timeline, replays: Mapping[tuple[_Graph, int | None, int | None], Sequence[int]]) -> dict[_Graph, int]:
    spans: dict[_Graph, list[int]] = {}
    for (graph, _, _), launches in replays.items():
        spans.setdefault(graph, []).append(_span_ps(ran, launches))
    return {graph: max(median_low(each), 1) for graph, each in spans.items()}


def _true_spans(recorded: Sequence[GraphReplay], graphs: Sequence[_Graph]) -> dict[_Graph, int]:
    """Return the median time of each of *graphs* as a whole; nothing where the two sides do not match."""
    spans: dict[_Graph, list[int]] = {}
    for replay in recorded:
        spans.setdefault(replay.graph, []).append(replay.duration_ps)
    if len(graphs) == len(spans) == 1:
        return {graphs[0]: median_low(spans.popitem()[1])}
    return {graph: median_low(each) for graph, each in spans.items()} if set(graphs) == set(spans) else {}


def _scaled(ran: Timeline, launches: Sequence[int], true_ps: int, traced_ps: int) -> Iterator[tuple[int, Share]]:
    """Yield the shares at the true speed; ends are rounded, not shares, so that no error adds up."""
    reached = 0
    for place, launch in enumerate(launches):
        share = ran.shares[launch]
        gap_ps = share.gap_ps if place else 0
        start, end = ((reached + passed) * true_ps // traced_ps for passed in (gap_ps, gap_ps + share.service_ps))
        waited_ps = start - reached * true_ps // traced_ps if place else share.gap_ps
        yield launch, Share(waited_ps, end - start, share.overlapped_ps * true_ps // traced_ps)
        reached += gap_ps + share.service_ps


def _notes(traced_ps: Mapping[_Graph, int], true_ps: Mapping[_Graph, int]) -> Iterator[str]:
    for graph, slow_ps in traced_ps.items():
        named = "the graph" if graph is None else f"graph {graph}"
        times = f"{microseconds(true_ps[graph])}, with its kernels recorded {microseconds(slow_ps)}"
        yield f"{named}: a replay takes {times}; they count at its speed"
