"""Fitting: every choice of entries that fits a region of a candidate, and what keeps those out that are not in use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from megasolve.simulate.plan.candidate import Choice
from megasolve.simulate.plan.cause import Cause
from megasolve.simulate.plan.cover import Region

from ..search.predicates import Judge, Variant
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
    used = _standing(row.tied)
    slower = _standing([one.choices for one in row.slower]) - used
    return tuple(
        Fitting(str(region), str(choice), _key(choice) in used, _key(choice) in slower, judge.causes_of(row.candidate, choice))
        for region in row.candidate.cover.regions
        for choice in sorted(judge.choices(region), key=lambda one: _key(one) not in used)
    )


def _standing(variants: Sequence[Variant]) -> set[tuple[Region, tuple[str, ...]]]:
    return {_key(choice) for variant in variants for choice in variant}


def _key(choice: Choice) -> tuple[Region, tuple[str, ...]]:
    """Return what tells choices apart by name: contracts have no hash, and comparing many of them whole takes long."""
    return choice.region, choice.entries
