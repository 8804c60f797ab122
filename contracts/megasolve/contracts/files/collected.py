"""What a check finds, file by file: the first findings of each as they are, the others as numbers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

from ..model.base import Place
from ..model.findings import MOST_FINDINGS, Fault, Finding, Recurrence, Severity
from ..model.rules import Rule
from ..model.wording import KeyPath
from .tally import Further, Tally, gist, proposing_at_first

# Two or three places are read faster as lines of their own.
FOLDED_FROM = 4


class Placing(Protocol):
    """A file that knows where its values stand."""

    @property
    def file(self) -> str:
        """The name of the file."""

    def path_in_file(self, path: KeyPath) -> KeyPath:
        """Return the path of the file for the *path* of the value that was checked."""

    def finding(self, fault: Fault) -> Finding:
        """Return *fault* as a finding at its place."""


@dataclass(frozen=True, slots=True)
class IgnoredFinding:
    """A *finding* that its file asks to be left out, and why."""

    finding: Finding
    because: str


@dataclass(frozen=True, slots=True)
class Listing:
    """The first 1,000 *findings*, equal ones of a file as one, how many *further* ones there are, and those that are left out."""

    findings: tuple[Finding, ...]
    further: Further
    ignored: tuple[IgnoredFinding, ...]


class LeavingOut(Protocol):
    """Says what files ask to be left out."""

    def because(self, rule: Rule, severity: Severity, place: tuple[str, KeyPath]) -> str | None:
        """Return why a finding at *place*, in a file at a path, is left out, None where it is not."""


class Collected:
    """The findings so far. What two studies say of the same file counts once; what *leaving_out* says is kept apart."""

    def __init__(self, leaving_out: LeavingOut | None = None) -> None:
        self._tallies: defaultdict[str, Tally[Finding]] = defaultdict(Tally)
        self._left_out: defaultdict[tuple[str, str], Tally[Finding]] = defaultdict(Tally)
        self._leaving_out = leaving_out
        self._said: set[tuple[Any, ...]] = set()
        self._further: Counter[tuple[Rule, Severity]] = Counter()

    def take(self, findings: Iterable[Finding], further: Further | None = None) -> None:
        """Take *findings* of reading, and the numbers of those that were not kept."""
        for finding in findings:
            self._tallies[finding.place.file].take(finding.rule, finding.severity, partial(_made, finding))
        self._further.update(further or {})

    def take_faults(self, faults: Iterable[tuple[Placing, Fault]], *, may_repeat: bool = False) -> None:
        """Take what a rule found; with *may_repeat* the same may have been said before."""
        for placing, fault in proposing_at_first(faults):
            if may_repeat:
                said = (placing.file, fault.rule.code, placing.path_in_file(fault.path), fault.message)
                if said in self._said:
                    continue
                self._said.add(said)
            self._tally(placing, fault).take(fault.rule, fault.severity, partial(placing.finding, fault), fault.message)

    def _tally(self, placing: Placing, fault: Fault) -> Tally[Finding]:
        if self._leaving_out is None:
            return self._tallies[placing.file]
        place = placing.file, placing.path_in_file(fault.path)
        because = self._leaving_out.because(fault.rule, fault.severity, place)
        return self._tallies[placing.file] if because is None else self._left_out[placing.file, because]

    def listed(self) -> Listing:
        """Return what was found, in order."""
        kept = in_order(finding for tally in self._tallies.values() for finding in folded(in_order(tally.kept), tally.equal))
        further = Counter(self._further)
        for tally in self._tallies.values():
            further.update(tally.further)
        for finding in kept[MOST_FINDINGS:]:
            further[finding.rule, finding.severity] += finding.count
        left_out = (
            IgnoredFinding(finding, because)
            for (_, because), tally in self._left_out.items()
            for finding in folded(in_order(tally.kept), tally.equal)
        )
        return Listing(kept[:MOST_FINDINGS], dict(further), tuple(sorted(left_out, key=lambda one: _rank(one.finding))))


def folded(findings: Iterable[Finding], uncounted: Mapping[tuple[Rule, Severity, str], int]) -> Iterator[Finding]:
    """Yield the *findings* of a file, each group of equal ones that is large enough as its first; *uncounted* has more of a group."""
    groups: dict[tuple[Rule, Severity, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.rule, finding.severity, gist(finding.message)), []).append(finding)
    for alike, group in groups.items():
        count = len(group) + uncounted.get(alike, 0)
        if count < FOLDED_FROM:
            yield from group
        else:
            also = tuple(Recurrence(one.place, one.path, one.end_column, one.repair) for one in group[1:])
            yield replace(group[0], count=count, also=also)


def _made(finding: Finding) -> Finding:
    """Return a finding that reading has made already."""
    return finding


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return each finding once, by file, line, column, code and message."""
    return tuple(sorted(set(findings), key=_rank))


def _rank(finding: Finding) -> tuple[Place, str, str, str]:
    return finding.place, finding.rule.code, finding.message, finding.path
