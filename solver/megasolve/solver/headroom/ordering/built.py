"""What a design needs that does not exist: the best one with so many new entries, whichever way it is found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Protocol

from megasolve.contracts import Study
from megasolve.simulate import Ablation
from megasolve.simulate.plan.cause import TOO_MANY_NEW
from megasolve.simulate.plan.cover import Backend, Region

from ...goals.constraint import Total, built_by
from ...optimize.space.arcs import Arc, Ps, Space
from ...optimize.space.builder import Builder
from ...optimize.space.costing import SERIAL
from ...optimize.space.spaces import space_of
from ...optimize.ways.naming import named
from ...optimize.ways.walking import Walker
from ...search.predicates import Judge, Variant
from ...select.compose import Composed, compose
from ...select.result import BatchResult
from ...select.selection import stated_accuracy
from ..trying.sides import OneSide, Sides, undominated
from ..trying.trial import SerialTrial

New = frozenset[str]


@dataclass(frozen=True, slots=True)
class Built:
    """A design: its *id*, its score, the *new* entries that it needs, and how accurate its evidence says that the score is."""

    id: str
    score_ps: Ps
    new: New
    accuracy: Fraction | None = None


class Builds(Protocol):
    """Finds designs by what has to be built for them."""

    def best(self, at_most: int, allowed: New) -> Built | None:
        """Return the best design with at most so many new entries, all of them *allowed*; of equals one with fewest."""


def assumed_entries(study: Study, batch: int) -> New:
    """Return the entries of which there is only assumed evidence at *batch*."""
    records = [record for document in study.records for record in document.value.records if record.batch == batch]
    assumed = {entry for one in records if one.provenance.kind == "assumed" for entry in one.entries}
    return frozenset(assumed - {entry for one in records if one.provenance.kind != "assumed" for entry in one.entries})


def all_new(judge: Judge, entries: New) -> New:
    """Return everything that could be built for some design."""
    regions = (Region(backend, groups) for groups in judge.graph.regions for backend in Backend)
    every = [region for region in regions if region.is_megakernel or len(region.groups) == 1]
    return frozenset(one for region in every for choice in judge.choices(region) for one in built_by(choice, entries))


class RankedBuilds:
    """Designs of a space that was ranked whole."""

    def __init__(self, result: BatchResult, entries: New) -> None:
        self._every = sorted(_each(result, entries), key=lambda one: (one.score_ps, len(one.new), one.id))

    def best(self, at_most: int, allowed: New) -> Built | None:
        """Return the best design with at most so many new entries."""
        return next((one for one in self._every if len(one.new) <= at_most and one.new <= allowed), None)


def _each(result: BatchResult, entries: New) -> Iterator[Built]:
    for row in result.ranking:
        for variant in row.tied:
            yield Built(row.id, row.score_ps, new_of(variant, entries), row.accuracy)
        for one in row.slower:
            yield Built(row.id, one.score_ps, new_of(one.choices, entries), one.accuracy)


def new_of(variant: Variant, entries: New) -> New:
    """Return what has to be built for *variant*."""
    return frozenset(one for choice in variant for one in built_by(choice, entries))


def chain_builds(judge: Judge, entries: New) -> ChainBuilds:
    """Return what finds the serial designs of *judge*'s question, whose groups form a chain."""
    # Of several implementations a graph has only the quickest, which may be one that does not exist: a limit keeps the others, too.
    limit = Total("new entries", TOO_MANY_NEW, len(entries), "new entries", counted=entries)
    limited = Judge(judge.study, judge.question, judge.evidence, judge.effects, (*judge.constraints, limit))
    return ChainBuilds(judge, SerialTrial.of(Builder(limited, SERIAL, Ablation.FULL), space_of(limited, SERIAL)).sides, entries)


@dataclass(frozen=True)
class ChainBuilds:
    """Serial designs of a chain: undominated prefixes of each cut, by how many new entries they have."""

    judge: Judge
    sides: Sides
    entries: New

    @cached_property
    def _needs(self) -> list[tuple[Arc, New]]:
        return [(arc, new_of(arc.choices, self.entries)) for arc in self.space.arcs]

    @property
    def space(self) -> Space:
        """The arcs of the chain."""
        return self.sides.space

    def best(self, at_most: int, allowed: New) -> Built | None:
        """Return the best design with at most so many new entries."""
        ends = self._ends(at_most, allowed)
        scored = [(self.sides.score_of(side), count, side) for count, sides in ends.items() for side in sides]
        found = min(scored, key=lambda one: (one[0], one[1], [arc.entries for arc in one[2].arcs]), default=None)
        return None if found is None else self._built(found[0], found[2].arcs)

    def _ends(self, at_most: int, allowed: New) -> dict[int, tuple[OneSide, ...]]:
        usable = [(arc, len(needed)) for arc, needed in self._needs if needed <= allowed]
        cuts: list[dict[int, tuple[OneSide, ...]]] = [{0: self.sides.before[0]}]
        for cut in range(1, len(self.space.groups) + 1):
            grown: dict[int, list[OneSide]] = {}
            for arc, needed in usable:
                for count, sides in cuts[arc.first].items() if arc.last == cut else ():
                    if count + needed <= at_most:
                        grown.setdefault(count + needed, []).extend(self.sides.appended(side, arc) for side in sides)
            cuts.append({count: undominated(sides) for count, sides in sorted(grown.items())})
        return cuts[-1]

    def _built(self, score_ps: Ps, arcs: tuple[Arc, ...]) -> Built:
        roles = {group.name: group.role for group in self.judge.question.spec.groups}
        candidate, variant = named(Walker(self.space, (), roles), arcs)
        composed: Composed = compose(self.judge, candidate, variant)
        accuracy, _ = stated_accuracy(composed, score_ps * self.judge.question.scores_per_cycle)
        return Built(str(candidate), score_ps, new_of(variant, self.entries), accuracy)
