"""Naming: the first candidate of a design in the order of enumeration, and how many candidates it has."""

from __future__ import annotations

from collections.abc import Sequence

from megasolve.contracts import Contract, Document
from megasolve.simulate.plan.candidate import Candidate, Choice
from megasolve.simulate.plan.cover import Backend, Cover, Region

from ...search.predicates import Variant
from ..space.arcs import Arc
from .walking import Walker


def named(walker: Walker, way: Sequence[Arc]) -> tuple[Candidate, Variant]:
    """Return the first candidate that *way* is a design of, and its choices of entries."""
    space = walker.space
    if space.graph is not None:
        of = {choice.region.groups: choice for arc in way for choice in arc.choices}
        choices = tuple(of[groups] for groups in space.graph.in_order(of) or ())
        return Candidate(Cover(tuple(choice.region for choice in choices)), space.policy), choices
    found: list[Choice] = []
    for arc, goes_on in zip(way, walker.joints.joined(way), strict=True):
        if goes_on:
            found[-1:] = [joined(found[-1], arc.choices[0]), *arc.choices[1:]]
        else:
            found += arc.choices
    return Candidate(Cover(tuple(choice.region for choice in found)), space.policy), tuple(found)


def enumeration_key(groups: Sequence[str], regions: Sequence[Region]) -> tuple[int, ...]:
    """Return what puts covers of any region graph into the order of enumeration: which region each group joins, or how it opens one."""
    key, opened = [], list[Region]()
    for group in groups:
        region = next(one for one in regions if group in one.groups)
        if region in opened:
            key.append(len(opened) - 1 - opened.index(region))
        else:
            opened.append(region)
            key.append(len(groups) + region.is_megakernel)
    return tuple(key)


def joined(one: Choice, other: Choice) -> Choice:
    """Return two choices of neighbouring conventional regions as one of a region of both."""
    contracts: tuple[Document[Contract], ...] = (*one.contracts, *other.contracts)
    return Choice(Region(Backend.CONVENTIONAL, (*one.region.groups, *other.region.groups)), contracts)


def candidates_of(walker: Walker, way: Sequence[Arc]) -> int:
    """Return how many candidates are this design: those that differ in cuts that make no difference."""
    return walker.joints.count(way) if walker.space.is_chain else 1
