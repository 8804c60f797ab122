"""The build order: the best design with no new entry, with one, with two and so on, until nothing more is saved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from ...optimize.space.arcs import Ps
from .built import Builds, Built, New

NEAR = Fraction(1, 50)
"""How near two scores are too close to call where no evidence states how accurate it is."""


@dataclass(frozen=True, slots=True)
class BuildRow:
    """The proven best design with at most *at_most* new entries, *saves_ps* less than the row before.

    *rivals* need other entries, and score too close to call. Where it does not have all that the row before has, *inside* is the best order
    to build its own entries in: the best design with one of them, with two, and so on.
    """

    at_most: int
    best: Built
    saves_ps: Ps
    added: New
    dropped: New = frozenset()
    rivals: tuple[Built, ...] = ()
    inside: tuple[Built, ...] = ()


@dataclass(frozen=True, slots=True)
class BuildOrder:
    """Rows from none to as many new entries as save something. *candidates* are all that could be built."""

    rows: tuple[BuildRow, ...]
    candidates: New = field(default_factory=frozenset)


def build_order(builds: Builds, everything: New) -> BuildOrder:
    """Return the build order among *everything* that could be built; without a row where no design has evidence."""
    last = builds.best(len(everything), everything)
    if last is None:
        return BuildOrder((), everything)
    rows: list[BuildRow] = []
    for at_most in range(len(everything) + 1):
        best = builds.best(at_most, everything)
        if best is not None:
            rows.append(_row(builds, everything, at_most, best, rows))
            if best.score_ps == last.score_ps:
                break
    return BuildOrder(tuple(rows), everything)


def _row(builds: Builds, everything: New, at_most: int, best: Built, rows: Sequence[BuildRow]) -> BuildRow:
    before = rows[-1].best if rows else None
    had = before.new if before else frozenset()
    saves = before.score_ps - best.score_ps if before else 0
    dropped = had - best.new
    inside = _inside(builds, best) if dropped else ()
    added = best.new - had
    return BuildRow(at_most, best, saves, added, dropped, _rivals(builds, everything, at_most, best, added), inside)


def _rivals(builds: Builds, everything: New, at_most: int, best: Built, added: New) -> tuple[Built, ...]:
    """Return, for each of the *added* entries, the best design without it, where it is too close to call."""
    found = [builds.best(at_most, everything - {entry}) for entry in sorted(added)]
    near = [one for one in found if one is not None and one.new - best.new and is_near(best, one)]
    return tuple(sorted(dict.fromkeys(near), key=lambda one: (one.score_ps, one.id)))


def is_near(best: Built, other: Built) -> bool:
    """Whether evidence cannot tell the two scores apart."""
    if best.score_ps == other.score_ps:
        return True
    stated = [one.accuracy for one in (best, other) if one.accuracy is not None]
    return Fraction(other.score_ps) / Fraction(best.score_ps) - 1 < max(stated, default=NEAR)


def _inside(builds: Builds, best: Built) -> tuple[Built, ...]:
    found = (builds.best(count, best.new) for count in range(1, len(best.new)))
    return tuple(one for one in found if one is not None)
