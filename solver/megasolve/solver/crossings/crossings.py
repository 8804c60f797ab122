"""Crossings: the values of a whole number at which an answer changes, each to one unit.

A score is piecewise linear in a time, or a rational function between changes of the order of events, and need not be monotone. So a range
is cut into pieces until each is straight: the score in its middle lies on the chord of its ends. A straight piece whose ends agree has no
change inside; in one whose ends differ the change is found by bisection. What is found is there; a change and its reversal inside a bend
that is finer than the pieces is not seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from .sounding import Ask, Crossing, S, Sounded

PROBES = 16
FINEST = 64
"""Into how many parts a piece between two probes is cut at most to look for a bend."""


def crossings(ask: Ask[S], low: int, high: int, *, step: int = 1, probes: int = PROBES) -> tuple[Crossing[S], ...]:
    """Return every change of state that is seen from *low* to *high*, in order.

    Parameters
    ----------
    ask
        What is so at a value. Its state decides; its score, where it has one, shows bends.
    step
        Only *low* and every *step*-th value after it are asked: for what is dear to ask, a crossing is then a bracket.
    probes
        Into how many pieces the range is cut at first.
    """
    asked = Sounded(ask)
    return tuple(found for one, other in pairwise(_probed(low, high, step, probes)) for found in _inside(asked, one, other, step))


def first_crossing(ask: Ask[S], start: int, stop: int, *, step: int = 1, stride: int = 1) -> Crossing[S] | None:
    """Return the change of state nearest to *start* that is seen on the way to *stop*, which may be smaller; None where there is none.

    It goes on from *start* by *stride* steps, then twice as many, and so on, until the state is another one; the last stretch is bisected.
    """
    asked, sign = Sounded(ask), 1 if stop >= start else -1
    steps, taken, near = abs(stop - start) // step, 0, start
    while taken < steps:
        taken = min(taken + stride, steps)
        far = start + sign * taken * step
        if asked.differ(start, far):
            return _nearest(asked, near, far, step)
        near, stride = far, 2 * stride
    return None


def _nearest(asked: Sounded[S], near: int, far: int, step: int) -> Crossing[S]:
    """Bisect for the last value with the state of *near*, which *far* does not have."""
    while abs(far - near) > step:
        between = middle(near, far, step)
        if asked.differ(near, between):
            far = between
        else:
            near = between
    return asked.crossing(near, far)


def _probed(low: int, high: int, step: int, probes: int) -> list[int]:
    steps = max(high - low, 0) // step
    return [low + step * place for place in dict.fromkeys(steps * index // probes for index in range(probes + 1))]


def _inside(asked: Sounded[S], low: int, high: int, step: int) -> Iterator[Crossing[S]]:
    finest = max((high - low) // FINEST, step)
    left = [(low, high)]
    while left:
        one, other = left.pop()
        if other - one <= step:
            if asked.differ(one, other):
                yield asked.crossing(one, other)
        elif asked.differ(one, other) or (other - one > finest and not _is_straight(asked, one, other, step)):
            between = middle(one, other, step)
            left += [(between, other), (one, between)]


def _is_straight(asked: Sounded[S], one: int, other: int, step: int) -> bool:
    """Whether nothing changes in the middle, and the score there lies on the chord; without scores only the first is known."""
    between = middle(one, other, step)
    if asked.differ(one, between):
        return False
    first, score, last = (asked.at(value).score for value in (one, between, other))
    if first is None or score is None or last is None:
        return True
    return score * (other - one) == first * (other - between) + last * (between - one)


def middle(one: int, other: int, step: int) -> int:
    """Return the value in the middle of two that are a number of steps apart."""
    return one + (other - one) // step // 2 * step if other > one else one - (one - other) // step // 2 * step
