"""Searched: what is known of a space that was not ranked whole."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from megasolve.contracts import Rule


@dataclass(frozen=True, slots=True)
class Ties:
    """How many designs, and candidates, have the best score; *at_least* where there may be more."""

    designs: int
    candidates: int
    at_least: bool = False


@dataclass(frozen=True, slots=True)
class ExcludedBy:
    """How many candidates a rule excludes, alone or among others; one of them, and why it does.

    *so_far* says that only simulation tells, and that more may be excluded of what was not looked at.
    """

    rule: Rule
    candidates: int
    example: str
    because: str
    so_far: bool = False


@dataclass(frozen=True, slots=True)
class Searched:
    """A search: every candidate was *simulated*, is no better by its *bounded* score, or is *excluded* by a rule.

    *is_proven* says that no other design is better than those of the ranking; else the best one is within *gap* of what is possible,
    relative to its score. None where nothing is known.
    """

    simulated: int
    bounded: int
    excluded: int
    is_proven: bool
    gap: Fraction | None
    ties: Ties
    excluded_by: tuple[ExcludedBy, ...]
