"""Standings: ranked rows with their place, as every format shows them, and which of them a short table shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from megasolve.solver import BatchResult, Ranked

SHORT_ROWS = 10
SERIAL = "best serial one"


@dataclass(frozen=True, slots=True)
class Standing:
    """A ranked row with its *place*, counted from 1, which rows that nothing orders share, and its *difference* relative to the best."""

    place: int
    difference: Fraction
    row: Ranked


def standings(result: BatchResult) -> tuple[Standing, ...]:
    """Return every ranked row of *result* with its place."""
    return tuple(_standings(result.ranking))


def _standings(ranking: Sequence[Ranked]) -> Iterator[Standing]:
    place = 0
    for index, row in enumerate(ranking):
        if index == 0 or row.order != ranking[index - 1].order:
            place = index + 1
        yield Standing(place, Fraction(row.score_ps) / Fraction(ranking[0].score_ps) - 1, row)


def runner_up(ranked: Sequence[Standing]) -> Standing | None:
    """Return the first row behind the best score, or None where nothing is slower."""
    return next((standing for standing in ranked if standing.place > 1), None)


def winning_designs(ranked: Sequence[Standing]) -> tuple[Standing, ...]:
    """Return the rows of minimum score, one for each design."""
    return tuple(standing for standing in ranked if standing.place == 1 and standing.row.same_as is None)


def landmarks(ranked: Sequence[Standing]) -> dict[str, str]:
    """Return the rows that every reader looks for, by id: the best of each kind, and of what kind it is."""
    first: dict[str, str] = {}
    for standing in ranked:
        for kind in _kinds(standing.row):
            first.setdefault(kind, standing.row.id)
    if not any(standing.row.candidate.policy.is_shared for standing in ranked):
        first.pop(SERIAL, None)
    return {id_: ", ".join(kind for kind in first if first[kind] == id_) for id_ in first.values()}


def _kinds(row: Ranked) -> Iterator[str]:
    regions = row.candidate.cover.regions
    if all(not region.is_megakernel and len(region.groups) == 1 for region in regions):
        yield "all conventional"
    if len(regions) == 1 and regions[0].is_megakernel:
        yield "one megakernel"
    if not row.candidate.policy.is_shared:
        yield SERIAL


def short(ranked: Sequence[Standing]) -> tuple[Standing, ...]:
    """Return the best rows with all ties for the first place, and the landmarks behind them."""
    known = landmarks(ranked)
    return tuple(one for index, one in enumerate(ranked) if index < SHORT_ROWS or one.place == 1 or one.row.id in known)
