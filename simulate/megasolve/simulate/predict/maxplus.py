"""Exact timing of launches that run one after the other, as max-plus algebra over (host free, device free).

A launch maps the pair to a new pair by sums and maxima only, so a run of equal steps is a matrix power: 4,096 steps cost
twelve squarings, not 4,096 nodes. Weights are anything with `+` and an order: integers for scores, `Parts` for explanations.
Of weights that are many at once neither need be the larger one: `>` then returns what is, in each place.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any, Protocol, TypeVar


class Weight(Protocol):
    """A duration that adds up and compares."""

    def __add__(self, other: Any, /) -> Any: ...

    def __gt__(self, other: Any, /) -> Any: ...


W = TypeVar("W", bound=Weight)


@dataclass(frozen=True, slots=True)
class Parts:
    """A duration that remembers what it is made of: picoseconds per label, in order of first appearance."""

    total_ps: int = 0
    parts: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, label: str, ps: int) -> Parts:
        """One labelled duration; zero leaves no trace."""
        return cls(ps, ((label, ps),)) if ps else cls()

    def __add__(self, other: Parts) -> Parts:
        if not self.parts or not other.parts:
            return other if not self.parts else self
        merged = dict(self.parts)
        for label, ps in other.parts:
            merged[label] = merged.get(label, 0) + ps
        return Parts(self.total_ps + other.total_ps, tuple(merged.items()))

    def __gt__(self, other: Parts) -> bool:
        return self.total_ps > other.total_ps


# A 2 x 2 max-plus matrix, row by row; None is minus infinity. Rows and columns are (host, device).
Matrix = tuple[W | None, W | None, W | None, W | None]


def _plus(a: W | None, b: W | None) -> W | None:
    return None if a is None or b is None else a + b


def _larger(a: W | None, b: W | None) -> W | None:
    if a is None or b is None:
        return b if a is None else a
    # Equal weights keep the first, so that explanations name the same path in every run.
    larger: W | bool = b > a
    if larger is True:
        return b
    return a if larger is False else larger


def then(first: Matrix[W], second: Matrix[W]) -> Matrix[W]:
    """Return the effect of *first* followed by *second*."""
    # second x first, as matrices act on columns: entry (i, j) is the longest way from j before to i after both.
    a, b, c, d = first
    e, f, g, h = second
    return (
        _larger(_plus(a, e), _plus(c, f)),
        _larger(_plus(b, e), _plus(d, f)),
        _larger(_plus(a, g), _plus(c, h)),
        _larger(_plus(b, g), _plus(d, h)),
    )


def identity(zero: W) -> Matrix[W]:
    """Return the effect of doing nothing."""
    return (zero, None, None, zero)


def power(step: Matrix[W], times: int, zero: W) -> Matrix[W]:
    """Return *step* applied *times* times, by repeated squaring."""
    # Most launches are made once: doing nothing first is left out, because it is most of what ranking many variants takes.
    result, square = None, step
    while times:
        if times & 1:
            result = square if result is None else then(result, square)
        times >>= 1
        if times:
            square = then(square, square)
    return identity(zero) if result is None else result


def sequence(steps: list[Matrix[W]], zero: W) -> Matrix[W]:
    """Return all *steps*, one after the other."""
    return reduce(then, steps) if steps else identity(zero)


def launch(host: W, exposed: W, work: W, *, host_waits: bool) -> Matrix[W]:
    """Return the effect of one launch.

    The host part starts when the host is free and, where the host waits, when the device is; the exposed part follows
    both the host part and the device; the work follows the exposed part (design: *Dispatch*).
    """
    after = exposed + work
    from_host = host + after
    # host' = host + h, or max(host, device) + h where the host waits; device' = max(host', device) + e + w.
    from_device: W = from_host if host_waits else after
    return (host, host if host_waits else None, from_host, from_device)


def advance(state: tuple[W, W], matrix: Matrix[W]) -> tuple[W, W]:
    """Apply *matrix* to (host free, device free)."""
    a, b, c, d = matrix
    host, device = state
    return _defined(_plus(host, a), _plus(device, b)), _defined(_plus(host, c), _plus(device, d))


def _defined(a: W | None, b: W | None) -> W:
    result = _larger(a, b)
    if result is None:
        raise ArithmeticError("a launch that waits for nothing has no time")
    return result
