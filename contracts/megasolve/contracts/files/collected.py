"""What a check finds, file by file: the first findings of each as they are, the others as numbers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
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


class Collected:
    """The findings so far. What two studies say of the same file counts once."""

    def __init__(self) -> None:
        self._tallies: defaultdict[str, Tally[Finding]] = defaultdict(Tally)
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
            self._tallies[placing.file].take(fault.rule, fault.severity, partial(placing.finding, fault), fault.message)

    def listed(self) -> tuple[tuple[Finding, ...], Further]:
        """Return the first 1,000 findings in order, equal ones as one, and how many further ones there are, by rule and severity."""
        kept = in_order(finding for tally in self._tallies.values() for finding in folded(in_order(tally.kept), tally.equal))
        further = Counter(self._further)
        for tally in self._tallies.values():
            further.update(tally.further)
        for finding in kept[MOST_FINDINGS:]:
            further[finding.rule, finding.severity] += finding.count
        return kept[:MOST_FINDINGS], dict(further)


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
            also = tuple(Recurrence(one.place, one.path, one.end_column) for one in group[1:])
            yield replace(group[0], count=count, also=also)


def _made(finding: Finding) -> Finding:
    """Return a finding that reading has made already."""
    return finding


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return each finding once, by file, line, column, code and message."""
    return tuple(sorted(set(findings), key=_rank))


def _rank(finding: Finding) -> tuple[Place, str, str, str]:
    return finding.place, finding.rule.code, finding.message, finding.path
