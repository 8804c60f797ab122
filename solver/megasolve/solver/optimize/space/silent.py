"""Silent groups: those that do not run until the objective is reached. However they are cut, the design is one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Protocol

from megasolve.simulate.plan.candidate import Choice
from megasolve.simulate.plan.cover import Backend, Region
from megasolve.simulate.plan.region_graph import Groups

from .arcs import NOTHING, Arc, ArcCost, ArcPlace
from .builder import Builder

MOST_LISTED = 256


def folded(builder: Builder, arcs: Iterable[Arc]) -> Iterator[Arc]:
    """Yield *arcs* with those of silent groups alone folded: one for each run of cuts, which stands for the first cover of it."""
    runs = frozenset(builder.groups) - builder.running
    # Of constraints on several choices it matters which cover it is.
    if not runs or not builder.is_chain or builder.is_joint:
        yield from arcs
        return
    yield from (arc for arc in arcs if not runs.issuperset(arc.slot.groups))
    silent = _Silent(builder, tuple(groups for groups in builder.judge.graph.regions if runs.issuperset(groups)))
    places = sorted(builder.groups.index(group) for group in runs)
    begins, ends = places[0], places[-1] + 1
    # What is silent comes before all that runs, or after it, and is one run: otherwise a design would have several ways.
    spans = [(begins, end) for end in range(begins + 1, ends + 1)] if begins == 0 else [(begin, ends) for begin in range(begins, ends)]
    for first, last in spans:
        if choices := silent.cover(first, last):
            slot = ArcPlace((builder.groups[first:last],), "-")
            border = choices[-1 if begins == 0 else 0]
            kind = border_of(border, builder)
            joining = silent.joining(first, last, kind, at_end=begins == 0) if kind else 0
            yield Arc(
                slot,
                choices,
                first,
                last,
                (ArcCost(NOTHING),) * len(builder.costings),
                ways=silent.count(first, last),
                joining=joining,
                border=kind,
                covers=tuple(islice(silent.each(first, last), MOST_LISTED)),
            )


class _Silent:
    """The covers of silent groups alone."""

    def __init__(self, builder: Builder, regions: Sequence[Groups]) -> None:
        self._builder = builder
        self._known: dict[tuple[int, int], list[Choice]] = {}
        for groups in regions:
            found = (self._first(builder, Region(backend, groups)) for backend in Backend)
            self._known[builder.first(groups), builder.last(groups)] = [choice for choice in found if choice is not None]
        self.cover = cache(self._cover)
        self.count = cache(self._count)

    @staticmethod
    def _first(builder: Builder, region: Region) -> Choice | None:
        return next(builder.allowed(region), None)

    def _cover(self, first: int, last: int) -> tuple[Choice, ...] | None:
        """Return the first cover in the order of enumeration: conventional before a megakernel, longer before shorter."""
        if first == last:
            return ()
        for backend in Backend:
            for cut in range(last, first, -1):
                for choice in self._known.get((first, cut), ()):
                    if choice.region.backend is backend and (rest := self.cover(cut, last)) is not None:
                        return (choice, *rest)
        return None

    def _count(self, first: int, last: int) -> int:
        if first == last:
            return 1
        return sum(len(self._known.get((first, cut), ())) * self.count(cut, last) for cut in range(first + 1, last + 1))

    def each(self, first: int, last: int) -> Iterator[tuple[Choice, ...]]:
        """Yield every cover, one choice for each region."""
        if first == last:
            yield ()
        for cut in range(first + 1, last + 1):
            for choice in self._known.get((first, cut), ()):
                yield from ((choice, *rest) for rest in self.each(cut, last))

    def joining(self, first: int, last: int, kind: str, *, at_end: bool) -> int:
        """Return in how many covers the region at one end is conventional and launched as *kind* says."""
        spans = [(cut, last) if at_end else (first, cut) for cut in range(first + (not at_end), last + (not at_end))]
        beside = [self.count(first, begin) if at_end else self.count(end, last) for begin, end in spans]
        return sum(
            number * sum(border_of(one, self._builder) == kind for one in self._known.get(span, ()))
            for number, span in zip(beside, spans, strict=True)
        )


class Chained(Protocol):
    """Groups in a row, and the cuts around each block of them that repeats."""

    @property
    def groups(self) -> Groups:
        """The groups, in order."""

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """The cuts around each block."""


def border_of(choice: Choice, chain: Chained) -> str:
    """Return how a choice is launched that a region beside it may go on with; nothing where it may not.

    That is so of megakernels, and of a part of a block, which never goes on outside of it.
    """
    begins, ends = (chain.groups.index(choice.region.groups[place]) for place in (0, -1))
    is_part = any(first <= begins and ends < last and ends + 1 - begins < last - first for first, last in chain.spans)
    return "" if choice.region.is_megakernel or is_part else f"c:{choice.contracts[0].value.dispatch.kind}"
