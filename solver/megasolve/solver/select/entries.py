"""Entries: in which ranked candidates each of them stands, where it loses, and what keeps it out of the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from megasolve.contracts import Contract
from megasolve.simulate.plan.candidate import Candidate, Choice
from megasolve.simulate.plan.cause import NO_REGION, Cause

from ..search.predicates import Judge, Variant
from .entry_standing import EntryStanding, LeftOut
from .result import Excluded, Ranked


def entry_standings(judge: Judge, ranking: Sequence[Ranked], excluded: Sequence[Excluded]) -> tuple[EntryStanding, ...]:
    """Return the standing of every entry of the study, in the order of its files."""
    best: dict[str, list[str]] = {}
    slower: dict[str, int] = {}
    for row in ranking:
        wins = _entries_of(row.tied)
        for entry in wins:
            best.setdefault(entry, []).append(row.id)
        for entry in _entries_of([one.choices for one in row.slower]) - wins:
            slower[entry] = slower.get(entry, 0) + 1
    fallen = _Fallen()
    for candidate, is_ranked in [*((row.candidate, True) for row in ranking), *((row.candidate, False) for row in excluded)]:
        fallen.count(judge, candidate, is_ranked=is_ranked)
    contracts = (document.value for document in judge.study.contracts)
    return tuple(
        EntryStanding(
            contract=one,
            stands_in=tuple(best.get(one.entry, ())),
            slower_in=slower.get(one.entry, 0),
            left_out_of=fallen.candidates.get(one.entry, 0),
            left_out=(*_no_region(judge, one), *fallen.of(one.entry)),
        )
        for one in contracts
    )


def _no_region(judge: Judge, contract: Contract) -> tuple[LeftOut, ...]:
    """Return that the members of an entry are no region, and so stand in no candidate."""
    members = contract.members
    if contract.backend != "megakernel" or not {*members} <= {*judge.graph.groups} or not (why := judge.graph.why_not(members)):
        return ()
    return (LeftOut(Cause(NO_REGION, f"{'+'.join(members)} is no region: {why}", contract.entry), 0, 0),)


def _entries_of(variants: Sequence[Variant]) -> set[str]:
    return {entry for variant in variants for choice in variant for entry in choice.entries}


class _Fallen:
    """Counts, entry by entry, the candidates that it fell out of, in all and for each cause."""

    def __init__(self) -> None:
        self.candidates: dict[str, int] = {}
        self._causes: dict[str, dict[Cause, list[int]]] = {}

    def count(self, judge: Judge, candidate: Candidate, *, is_ranked: bool) -> None:
        """Count what fell out of one candidate."""
        found = dict.fromkeys(_fallen(judge, candidate))
        for entry, cause in found:
            self._causes.setdefault(entry, {}).setdefault(cause, [0, 0])[not is_ranked] += 1
        for entry in dict.fromkeys(entry for entry, _ in found):
            self.candidates[entry] = self.candidates.get(entry, 0) + 1

    def of(self, entry: str) -> tuple[LeftOut, ...]:
        """Return the causes of one entry, each with its counts."""
        return tuple(LeftOut(cause, *counts) for cause, counts in self._causes.get(entry, {}).items())


def _fallen(judge: Judge, candidate: Candidate) -> Iterator[tuple[str, Cause]]:
    """Yield each entry that fits a region of *candidate* with each cause that keeps it out."""
    for region in candidate.cover.regions:
        for choice in judge.choices(region):
            for cause in judge.causes_of(candidate, choice):
                for entry in concerned(choice, cause):
                    yield entry, cause


def concerned(choice: Choice, cause: Cause) -> tuple[str, ...]:
    """Return the entries of *choice* that *cause* speaks of: the one that it names, else all."""
    return (cause.subject,) if cause.subject in choice.entries else choice.entries
