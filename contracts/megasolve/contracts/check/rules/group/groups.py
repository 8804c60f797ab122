"""Rules for the edges between the groups of a spec."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count

from ....model.closest import nearest
from ....model.findings import Fault, Repair, Severity
from ....model.rules import rule
from ....model.spec import Edge, Spec
from ...subjects import SPEC
from ..walking import one_by_one, repeats


@rule("GRP-01", "edge-to-nowhere", "Edges join groups of the spec.", on=SPEC)
def edge_to_nowhere(spec: Spec) -> Iterator[Fault]:
    """Both ends of an edge are groups of this spec."""
    names = [group.name for group in spec.groups]
    for index, edge in one_by_one(spec.edges):
        for key, name in (("from", edge.source), ("to", edge.target)):
            if name not in names:
                yield Fault(edge_to_nowhere, ("edges", index, key), f"'{name}' is no group of this spec{nearest(name, names)}")


@rule("GRP-02", "self-edge", "A group depends on itself only from step to step.", on=SPEC)
def self_edge(spec: Spec) -> Iterator[Fault]:
    """A group that waits for itself within one step never starts."""
    for index, edge in one_by_one(spec.edges):
        if edge.source == edge.target and edge.distance == 0:
            yield Fault(
                self_edge,
                ("edges", index),
                f"'{edge.source}' waits for itself; say distance: 1 if its next step needs this one, else remove the edge",
            )


@rule("GRP-03", "edge-repeated", "Each edge is declared once.", on=SPEC)
def edge_repeated(spec: Spec) -> Iterator[Fault]:
    """Two equal edges are one dependency."""
    for index, first in repeats(spec.edges, lambda edge: (edge.source, edge.target, edge.distance, edge.kind)):
        edge = spec.edges[index]
        yield Fault(
            edge_repeated,
            ("edges", index),
            f"{edge.source} -> {edge.target} is edge {first + 1} of the list already; remove one of the two",
            repair=Repair(None),
        )


@rule("GRP-04", "cycle", "Within one step no group waits for itself.", on=SPEC)
def cycle(spec: Spec) -> Iterator[Fault]:
    """Each edge that goes back and closes a cycle within one step, with the groups of the cycle."""
    for index, edge in _backward(spec):
        if path := _path(spec, edge.target, edge.source):
            yield Fault(
                cycle,
                ("edges", index),
                f"cycle {' -> '.join((*path, edge.target))} within one step; "
                "say distance: 1 on the edge that the loop carries to the next step",
            )


@rule("GRP-05", "loop-without-steps", "A loop-carried edge joins producer groups.", on=SPEC)
def loop_without_steps(spec: Spec) -> Iterator[Fault]:
    """Only producers run step after step, so only they have a next step to carry something to."""
    roles = {group.name: group.role for group in spec.groups}
    for index, edge in one_by_one(spec.edges):
        others = [name for name in (edge.source, edge.target) if roles.get(name, "producer") != "producer"]
        if edge.distance and others:
            yield Fault(
                loop_without_steps,
                ("edges", index, "distance"),
                f"{edge.source} -> {edge.target} with distance 1, but '{others[0]}' is a group of role {roles[others[0]]}; "
                "only producers are joined from step to step: chunks follow one another anyway",
            )


@rule("GRP-06", "edge-backward", "Within one step edges follow the order of the groups.", on=SPEC)
def edge_backward(spec: Spec) -> Iterator[Fault]:
    """An edge against the order of the groups that closes no cycle: the order, or the edge, is wrong."""
    for index, edge in _backward(spec):
        if not _path(spec, edge.target, edge.source):
            yield Fault(
                edge_backward,
                ("edges", index),
                f"{edge.source} -> {edge.target} goes back: '{edge.target}' runs before '{edge.source}'; "
                "swap its ends, reorder the groups, or say distance: 1 between producers",
            )


@rule("GRP-07", "group-unconnected", "Edges, where there are any, join every group.", on=SPEC)
def group_unconnected(spec: Spec) -> Iterator[Fault]:
    """A group without an edge within a step, or a consumer that no producer leads to: an edge is missing."""
    # An edge that is wrong is repaired first: then it may be the one that is missing.
    wrong = any(any(check(spec)) for check in (edge_to_nowhere, cycle, loop_without_steps, edge_backward))
    inside = [edge for edge in spec.edges if edge.distance == 0]
    if wrong or not inside:
        return
    fed = _fed_by_producers(spec)
    joined = {name for edge in inside for name in (edge.source, edge.target)}
    for index, group in enumerate(spec.groups):
        message = ""
        if group.name not in joined:
            message = f"no edge touches {group.role} '{group.name}'; add the edges that join it, or remove all edges"
        elif group.role == "consumer" and group.name not in fed:
            message = f"no edges lead from a producer to consumer '{group.name}'; add the edge that brings its frames"
        if message:
            yield Fault(group_unconnected, ("groups", index, "name"), message, severity=Severity.WARNING)


def _fed_by_producers(spec: Spec) -> set[str]:
    """The producers, and every group that edges lead to from one of them."""
    fed = {group.name for group in spec.groups_of("producer")}
    onward = list(fed)
    while onward:
        name = onward.pop()
        new = {edge.target for edge in spec.edges if edge.source == name} - fed
        fed |= new
        onward.extend(new)
    return fed


def _backward(spec: Spec) -> Iterator[tuple[int, Edge]]:
    """The edges within one step that point from a later to an earlier group."""
    rank: Mapping[str, int] = dict(zip((group.name for group in spec.groups), count(), strict=False))
    for index, edge in one_by_one(spec.edges):
        if edge.distance == 0 and rank.get(edge.target, len(rank)) < rank.get(edge.source, -1):
            yield index, edge


def _path(spec: Spec, start: str, goal: str) -> tuple[str, ...]:
    """The groups of a shortest way from *start* to *goal* along edges within one step; empty where there is none."""
    ways: list[tuple[str, ...]] = [(start,)]
    seen = {start}
    for way in ways:
        if way[-1] == goal:
            return way
        onward = [edge.target for edge in spec.edges if edge.distance == 0 and edge.source == way[-1] and edge.target not in seen]
        seen.update(onward)
        ways.extend((*way, name) for name in dict.fromkeys(onward))
    return ()
