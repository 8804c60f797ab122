"""Flips by exact scores alone: every design is simulated at every value that is looked at, whatever it could change."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from megasolve.simulate import Deadlock
from megasolve.simulate.predict.scoring import value_ps
from megasolve.solver.robust.designs import Designs
from megasolve.solver.robust.moves import Move, values_away

LiteralFlip = tuple[int, frozenset[str]] | None


def literal_flips(designs: Designs, move: Move) -> tuple[LiteralFlip, LiteralFlip]:
    """Return, below and above, the value at which none of the best designs still is, and those that are instead.

    That is the one that bisecting comes to, between the first of the values that are looked at which shows it and the one before.
    """
    below, above = ([int(value) for value in values] for values in values_away(move))
    return _flip(designs, move, below), _flip(designs, move, above)


def _flip(designs: Designs, move: Move, values: Sequence[int]) -> LiteralFlip:
    best, near = best_at(designs, move, move.start), move.start
    for far in values:
        if best_at(designs, move, far).isdisjoint(best):
            first = _bisected(designs, move, best, (near, far))
            return first, best_at(designs, move, first)
        near = far
    return None


def _bisected(designs: Designs, move: Move, best: frozenset[str], ends: tuple[int, int]) -> int:
    near, far = ends
    while abs(far - near) > 1:
        between = near + (far - near) // 2 if far > near else near - (near - far) // 2
        if best_at(designs, move, between).isdisjoint(best):
            far = between
        else:
            near = between
    return far


def best_at(designs: Designs, move: Move, value: int) -> frozenset[str]:
    """Return the candidates of least score where the move is at *value*."""
    scored = [(str(one.candidate), value_ps(one.at(move.at(value)), designs.objective)) for one in designs.designs]
    known = [(id_, Fraction(ps)) for id_, ps in scored if not isinstance(ps, Deadlock)]
    least = min(ps for _, ps in known)
    return frozenset(id_ for id_, ps in known if ps == least)
