"""The critical path: what the publication waited for, as segments that sum exactly to its time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from ..events.arithmetic import exact, whole
from ..events.graph import EventGraph, Node, NodeKind
from ..events.outcome import Outcome
from ..plan.sharing import Sharing
from .composition import Composition
from .lowering.lower import lower
from .lowering.writer import FIRST_CHUNK, STEP_H
from .scoring import Score

Ps = int | Fraction


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of the critical path: *label* says what ran, *elapsed_ps* how long it took there.

    Time that a task lost to its neighbours' memory traffic is a segment of its own, with *is_contention*, and so is what a kernel beside
    another stream waited for SMs or lost on fewer of them.
    """

    label: str
    elapsed_ps: Ps
    is_contention: bool = False


@dataclass(frozen=True, slots=True)
class Branches:
    """When the two things that the first publication waits for were done; the earlier one had *slack_ps* to spare.

    *in_sequence*: the chunk begins only after step h, as in every serial order, so that neither has anything to spare.
    """

    chunk_ps: Ps
    horizon_ps: Ps
    in_sequence: bool = False

    @property
    def bound_by(self) -> str:
        """The branch that decides the publication: ``consumer``, ``producer`` or ``both``."""
        if self.chunk_ps == self.horizon_ps:
            return "both"
        return "consumer" if self.chunk_ps > self.horizon_ps else "producer"

    @property
    def slack_ps(self) -> Ps:
        """How much later the waiting branch could end without moving the publication."""
        if self.in_sequence:
            return 0
        return whole(abs(Fraction(self.chunk_ps) - self.horizon_ps))


def critical_path(score: Score) -> tuple[Segment, ...]:
    """Return the segments that led to the score, first to last; they sum to it exactly.

    Raises
    ------
    ValueError
        If the score was not simulated (the additive ablation has no schedule).
    """
    if score.outcome is None or score.graph.publication is None:
        raise ValueError("only a simulated score has a critical path")
    path = list(_backwards(score.graph, score.outcome, score.graph.publication))[::-1]
    waits = dict(_waits(score.graph, score.outcome, path))
    found: list[Segment] = []
    for nodes in _between_dispatches(score.graph, path):
        pieces = (piece for node in nodes for piece in (*waits.get(node, ()), *_pieces(score.graph, score.outcome, node)))
        found += _merged([_scaled(piece, score.divisor) for piece in pieces])
    return tuple(found)


def _waits(graph: EventGraph, outcome: Outcome, path: Sequence[int]) -> Iterator[tuple[int, tuple[Segment, ...]]]:
    """Yield what nodes waited for SMs that kernels of another stream gave back: nothing on the path ran meanwhile."""
    for before, node in pairwise(path):
        if waited := exact(outcome.start[node]) - exact(outcome.finish[before]):
            yield node, (Segment(f"{_group(graph.nodes[node])} waits for SMs", whole(waited), is_contention=True),)


def _group(node: Node) -> str:
    return node.parts[0][0] if node.parts else node.name


def _backwards(graph: EventGraph, outcome: Outcome, node: int | None) -> Iterator[int]:
    finished_at: dict[Ps, list[int]] = {}
    for index, time in enumerate(outcome.finish):
        finished_at.setdefault(exact(time), []).append(index)
    seen: set[int] = set()
    while node is not None:
        yield node
        seen.add(node)
        node = _waited_for(graph, outcome, node, finished_at, seen)


def _waited_for(graph: EventGraph, outcome: Outcome, node: int, finished_at: dict[Ps, list[int]], seen: set[int]) -> int | None:
    """Return the node whose completion let *node* start: a predecessor, else a release or the task before it in its pool."""
    begun = exact(outcome.start[node])
    # The last in program order of those that ended just then: of equal causes, the nearest.
    for predecessor in reversed(graph.predecessors[node]):
        if outcome.finish[predecessor] == begun:
            return predecessor
    # No predecessor ended when it began: it waited for CTAs or for a slot, and whoever gave them back then is the cause.
    others = [index for index in finished_at.get(begun, []) if index not in seen and index != node]
    freeing = [index for index in others if _may_free(graph, index, node)]
    # SMs of kernels come free wave by wave, at the end of no node: the wait is a segment of its own.
    latest = max(graph.predecessors[node], key=lambda before: exact(outcome.finish[before]), default=None)
    return max(freeing, default=latest) if begun else None


def _may_free(graph: EventGraph, index: int, node: int) -> bool:
    """Whether the end of the node *index* can be what *node* waited for: a release, a kernel, or a task of its launch."""
    one, launch = graph.nodes[index], graph.nodes[node].launch
    return one.kind is NodeKind.RELEASE or one.grid is not None or (launch is not None and one.launch == launch)


def _pieces(graph: EventGraph, outcome: Outcome, index: int) -> Iterator[Segment]:
    node = graph.nodes[index]
    yield from (Segment(label, ps) for label, ps in node.parts)
    # What a task takes beyond its standalone time can only be contention: rates are the one thing that stretches a task.
    lost = exact(outcome.finish[index]) - exact(outcome.start[index]) - sum(ps for _, ps in node.parts)
    if lost:
        cause = "by memory traffic beside it" if node.grid is None else "by what ran beside it"
        yield Segment(f"{_group(node)} slowed {cause}", whole(lost), is_contention=True)


def _scaled(segment: Segment, divisor: int) -> Segment:
    return segment if divisor == 1 else replace(segment, elapsed_ps=whole(Fraction(segment.elapsed_ps) / divisor))


def _between_dispatches(graph: EventGraph, path: Sequence[int]) -> Iterator[list[int]]:
    """Cut the path where a launch is dispatched, so that what ran before and after it stay apart."""
    piece: list[int] = []
    for before, node in zip([None, *path], path, strict=False):
        opens = graph.nodes[node].kind is NodeKind.DISPATCH
        if opens and before is not None and graph.nodes[before].kind is not NodeKind.DISPATCH:
            yield piece
            piece = []
        piece.append(node)
    yield piece


def _merged(segments: Sequence[Segment]) -> list[Segment]:
    """Add up repeated labels, in order of first appearance."""
    merged: dict[tuple[str, bool], Segment] = {}
    for segment in segments:
        key = (segment.label, segment.is_contention)
        earlier = merged.get(key)
        total = segment.elapsed_ps if earlier is None else whole(Fraction(earlier.elapsed_ps) + segment.elapsed_ps)
        merged[key] = replace(segment, elapsed_ps=total)
    return [segment for segment in merged.values() if segment.elapsed_ps]


def branches(composition: Composition, score: Score) -> Branches | None:
    """Return when the first chunk and step h were done; None where there is no consumer to wait for."""
    if not composition.consumers or score.outcome is None or score.graph.publication is None:
        return None
    if composition.sharing is Sharing.INSIDE and STEP_H in score.graph.labels:
        return Branches(exact(score.outcome.finish_of(FIRST_CHUNK)), exact(score.outcome.finish_of(STEP_H)), in_sequence=True)
    if STEP_H not in score.graph.labels:
        return Branches(exact(score.outcome.finish[score.graph.publication]), _producers_done(composition), in_sequence=True)
    in_sequence = composition.schedule.horizon_step == composition.schedule.ready_step
    return Branches(exact(score.outcome.finish_of(FIRST_CHUNK)), exact(score.outcome.finish_of(STEP_H)), in_sequence)


def _producers_done(composition: Composition) -> Ps:
    """Return when step h ends where the chunk comes after it: the same order without the chunk."""
    alone = lower(replace(composition, consumers=(), sharing=Sharing.SERIAL))
    return sum(node.duration_ps for node in alone.nodes if node.kind is NodeKind.TASK)
