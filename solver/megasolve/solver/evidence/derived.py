"""Derived times and calibrations as values. What makes them, and loads the tile simulator, is in `derive` and `calibrate`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from megasolve.simulate.tiles.bounds import LowerBounds


@dataclass(frozen=True, slots=True)
class Derived:
    """A simulated service time with the bytes that pass the queue, lower bounds, and what the schedule did.

    *folded* repeats were not simulated again, *never_staged* names operators whose weights do not fit the prefetch slot.
    *factors* are the calibrated ones that its compute times were multiplied by.
    """

    duration_ps: int
    hbm_bytes: int
    bounds: LowerBounds
    tiles: int
    workers: int
    folded: int = 0
    never_staged: tuple[str, ...] = ()
    factors: tuple[tuple[str, Fraction], ...] = ()


@dataclass(frozen=True, slots=True)
class NotDerived:
    """The program gives no time: *reason* says why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Calibration:
    """The *factor* of the tile operators of one conventional *entry*: with it the run takes *simulated_ps*, its record *record_ps*.

    *finding* says why the factor is 1 although the two differ, or that it is implausible.
    """

    entry: str
    operators: tuple[str, ...]
    factor: Fraction
    simulated_ps: int
    record_ps: int
    finding: str | None = None
