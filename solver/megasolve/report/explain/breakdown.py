"""The parts of an explained score: what each group costs alone, and what of it lies on the critical path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from megasolve.contracts import SIMULATED_HARDWARE

from ..text.short_ids import short_id

if TYPE_CHECKING:
    from megasolve.simulate import Segment
    from megasolve.solver import Explanation

    from ..text.numbers import Ps


MOST_IN_TURN, FEWEST_TURNS = 4, 48
"""So many labels at most take turns, and so many segments at least are told together."""


@dataclass(frozen=True, slots=True)
class GroupPart:
    """One group: *given_ps* is what its records state in all, *path_ps* what the critical path spends in it."""

    group: str
    given_ps: int
    service_share: Fraction
    path_ps: Ps
    path_share: Fraction


def group_parts(explained: Explanation) -> tuple[GroupPart, ...]:
    """Return the parts of all groups, in the order of the regions."""
    score = Fraction(explained.row.score_ps)
    return tuple(
        GroupPart(one.group, one.given_ps, one.share, path_ps, Fraction(path_ps) / score)
        for one in explained.groups
        for path_ps in [_on_path(explained.segments, one.group)]
    )


def _on_path(segments: Sequence[Segment], group: str) -> Ps:
    return sum((segment.elapsed_ps for segment in segments if _is_of(segment, group)), start=Fraction(0))


def _is_of(segment: Segment, group: str) -> bool:
    return segment.label.startswith(f"{group} ") if segment.is_contention else segment.label == group


@dataclass(frozen=True, slots=True)
class PathPart:
    """A row of the critical path: one segment, or the *parts* of one label where a few labels take turns many times."""

    label: str
    elapsed_ps: Ps
    is_contention: bool
    parts: int

    @property
    def words(self) -> str:
        """What ran, for a line."""
        return short_id(self.label) if self.parts == 1 else f"{short_id(self.label)}, in {self.parts:,} parts"


def path_parts(segments: Sequence[Segment]) -> Iterator[PathPart]:
    """Yield the critical path in rows; where kernels on two streams meet, each of hundreds is a segment, and nobody would read them all."""
    at = 0
    while at < len(segments):
        run = list(_taking_turns(segments, at))
        if len(run) < FEWEST_TURNS:
            run = run[:1]
        yield from _by_label(run)
        at += len(run)


def _taking_turns(segments: Sequence[Segment], at: int) -> Iterator[Segment]:
    labels = set[tuple[str, bool]]()
    for one in (segments[place] for place in range(at, len(segments))):
        labels.add((one.label, one.is_contention))
        if len(labels) > MOST_IN_TURN:
            return
        yield one


def _by_label(run: Sequence[Segment]) -> Iterator[PathPart]:
    for label, is_contention in dict.fromkeys((one.label, one.is_contention) for one in run):
        times = [one.elapsed_ps for one in run if (one.label, one.is_contention) == (label, is_contention)]
        yield PathPart(label, sum(times[1:], start=times[0]), is_contention, len(times))


def evidence_warnings(kinds: Sequence[str]) -> Iterator[str]:
    """Yield what a reader must know about evidence of these kinds before trusting a score."""
    if "reconstructed" in kinds:
        yield "records are reconstructed from published totals: the score is a regression of the method, not a prediction"
    if "published" in kinds:
        yield "records are published times of somebody else's run: the score combines them, it predicts nothing"
    if "tile-simulated" in kinds:
        yield "times are simulated from the programs in the contracts, nobody measured them"
    if SIMULATED_HARDWARE in kinds:
        yield "times are from a stand-in for the hardware, whose clock is virtual: they say nothing about a GPU"
