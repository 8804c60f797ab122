"""The critical path: what the publication waited for, as segments that sum exactly to its time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from .arithmetic import whole
from .composition import Composition, Sharing
from .graph import EventGraph, NodeKind
from .lowering import lower
from .occurrences import DISPATCH_OF
from .outcome import Outcome
from .scoring import Score

Ps = int | Fraction


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of the critical path: *label* says what ran, *elapsed_ps* how long it took there.

    Time that a task lost to its neighbours' memory traffic is a segment of its own, with *is_contention*.
    """

    label: str
    elapsed_ps: Ps
    is_contention: bool = False


@dataclass(frozen=True, slots=True)
class Branches:
    """When the two things that the first publication waits for were done; the earlier one had *slack_ps* to spare."""

    chunk_ps: Ps
    horizon_ps: Ps

    @property
    def bound_by(self) -> str:
        """The branch that decides the publication: ``consumer``, ``producer`` or ``both``."""
        if self.chunk_ps == self.horizon_ps:
            return "both"
        return "consumer" if self.chunk_ps > self.horizon_ps else "producer"

    @property
    def slack_ps(self) -> Ps:
        """How much later the waiting branch could end without moving the publication."""
        return abs(self.chunk_ps - self.horizon_ps)


def critical_path(score: Score) -> tuple[Segment, ...]:
    """Return the segments that led to the score, first to last; they sum to it exactly.

    Raises
    ------
    ValueError
        If the score was not simulated (the additive ablation has no schedule).
    """
    if score.outcome is None or score.graph.publication is None:
        raise ValueError("only a simulated score has a critical path")
    nodes = reversed(list(_backwards(score.graph, score.outcome, score.graph.publication)))
    return _merged([_scaled(piece, score.divisor) for node in nodes for piece in _pieces(score.graph, score.outcome, node)])


def _backwards(graph: EventGraph, outcome: Outcome, node: int | None) -> Iterator[int]:
    finished_at: dict[Ps, list[int]] = {}
    for index, time in enumerate(outcome.finish):
        finished_at.setdefault(time, []).append(index)
    seen: set[int] = set()
    while node is not None:
        yield node
        seen.add(node)
        node = _waited_for(graph, outcome, node, finished_at, seen)


def _waited_for(graph: EventGraph, outcome: Outcome, node: int, finished_at: dict[Ps, list[int]], seen: set[int]) -> int | None:
    """Return the node whose completion let *node* start: a predecessor, else a release or the task before it in its pool."""
    begun = outcome.start[node]
    for predecessor in reversed(graph.predecessors[node]):
        if outcome.finish[predecessor] == begun:
            return predecessor
    others = [index for index in finished_at.get(begun, []) if index not in seen and index != node]
    freeing = [
        index for index in others if graph.nodes[index].kind is NodeKind.RELEASE or graph.nodes[index].launch == graph.nodes[node].launch
    ]
    return max(freeing, default=None) if begun else None


def _pieces(graph: EventGraph, outcome: Outcome, index: int) -> Iterator[Segment]:
    node = graph.nodes[index]
    yield from (Segment(label, ps) for label, ps in node.parts)
    lost = outcome.finish[index] - outcome.start[index] - sum(ps for _, ps in node.parts)
    if lost:
        group = node.parts[0][0] if node.parts else node.name
        yield Segment(f"{group} slowed by memory traffic beside it", whole(lost), is_contention=True)


def _scaled(segment: Segment, divisor: int) -> Segment:
    return segment if divisor == 1 else replace(segment, elapsed_ps=whole(Fraction(segment.elapsed_ps) / divisor))


def _merged(segments: list[Segment]) -> tuple[Segment, ...]:
    """Add up repeated labels between one dispatch and the next, so that the path stays in order and short."""
    merged: list[Segment] = []
    since_dispatch: dict[tuple[str, bool], int] = {}
    for segment in segments:
        key = (segment.label, segment.is_contention)
        if segment.label.startswith(DISPATCH_OF) and key not in since_dispatch:
            since_dispatch.clear()
        if key in since_dispatch:
            earlier = merged[since_dispatch[key]]
            merged[since_dispatch[key]] = replace(earlier, elapsed_ps=whole(Fraction(earlier.elapsed_ps + segment.elapsed_ps)))
        else:
            since_dispatch[key] = len(merged)
            merged.append(segment)
    return tuple(segment for segment in merged if segment.elapsed_ps)


def branches(composition: Composition, score: Score) -> Branches | None:
    """Return when the first chunk and step h were done; None where there is no consumer to wait for."""
    if not composition.consumers or score.outcome is None or score.graph.publication is None:
        return None
    finish = score.outcome.finish
    if composition.sharing is Sharing.SERIAL or len(score.graph.predecessors[score.graph.publication]) == 1:
        return Branches(finish[score.graph.publication], _producers_done(composition))
    made, taken = score.graph.predecessors[score.graph.publication]
    return Branches(finish[taken], finish[made])


def _producers_done(composition: Composition) -> Ps:
    """Return when step h ends where the chunk comes after it: the same order without the chunk."""
    alone = lower(replace(composition, consumers=(), sharing=Sharing.SERIAL))
    return sum(node.duration_ps for node in alone.nodes if node.kind is NodeKind.TASK)
