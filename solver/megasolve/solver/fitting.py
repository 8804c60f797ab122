"""Fitting: every choice of entries that fits a region of a candidate, and what keeps those out that are not in use."""

from __future__ import annotations

from dataclasses import dataclass

from .causes import Cause
from .predicates import Judge
from .result import Ranked


@dataclass(frozen=True, slots=True)
class Fitting:
    """One choice of entries for *region*: in use, slower, or left out for *causes*.

    With none of the three it never stands together with what fits the other regions.
    """

    region: str
    entries: str
    is_used: bool
    is_slower: bool
    causes: tuple[Cause, ...]


def fitting(judge: Judge, row: Ranked) -> tuple[Fitting, ...]:
    """Return the choices for every region of a ranked candidate, region by region, those in use first."""
    used = {choice for variant in row.tied for choice in variant}
    slower = {choice for one in row.slower for choice in one.choices} - used
    found = [
        Fitting(str(region), str(choice), choice in used, choice in slower, judge.causes_of(row.candidate, choice))
        for region in row.candidate.cover.regions
        for choice in sorted(judge.choices(region), key=lambda one: one not in used)
    ]
    return tuple(found)
