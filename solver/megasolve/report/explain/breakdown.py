"""The parts of an explained score: what each group costs alone, and what of it lies on the critical path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from megasolve.contracts import SIMULATED_HARDWARE

if TYPE_CHECKING:
    from megasolve.simulate import Segment
    from megasolve.solver import Explanation

    from ..text.numbers import Ps


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
