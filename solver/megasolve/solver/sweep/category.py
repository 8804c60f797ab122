"""Categories: how the best extent of fusion changes from the smallest batch to the largest (paper, section VII and Table IV)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from megasolve.simulate import Objective, Score, critical_path, score

from ..select.result import BatchResult, Ranked
from .saving import RegionSaving
from .savings import megakernels_of

NAMES = {(True, True): "stable", (True, False): "receding", (False, True): "advancing", (False, False): "averse"}
"""The category by whether megakernels pay at the smallest batch, and at the largest."""


@dataclass(frozen=True, slots=True)
class Extent:
    """The best design with megakernels at *batch*, and the best one without any; None where there is none to rank.

    *regions* are the megakernels of the winner, *share* the part of its path to the objective that those of them take which pay at every
    batch.
    """

    batch: int
    fused: Ranked | None
    plain: Ranked | None
    regions: tuple[str, ...]
    share: Fraction

    @property
    def pays(self) -> bool | None:
        """Whether the best design with megakernels is faster than every one without; None where one of them is not known."""
        if self.fused is None or self.plain is None:
            return None
        return self.fused.score_ps < self.plain.score_ps

    @property
    def margin(self) -> Fraction | None:
        """How much slower the best design without megakernels is, relative to the best one with them; negative where it is faster."""
        if self.fused is None or self.plain is None:
            return None
        return Fraction(self.plain.score_ps) / Fraction(self.fused.score_ps) - 1


@dataclass(frozen=True, slots=True)
class Category:
    """What a model is for one objective: its *name*, None where nobody can say, *because* of what, and the *extents* that show it.

    *lasting* are the regions whose saving is larger than their fixed cost at every batch.
    """

    name: str | None
    because: str
    extents: tuple[Extent, ...]
    lasting: tuple[str, ...]


def category_of(
    results: Sequence[BatchResult], savings: Sequence[RegionSaving], plain: Mapping[int, Ranked | None] | None = None
) -> Category:
    """Return the category that *results*, one for each batch, and the *savings* at all of them show.

    *plain* are the best designs without megakernels where the results need not have them.
    """
    ordered = sorted(results, key=lambda one: one.batch)
    lasting = _lasting(ordered, savings)
    extents = tuple(_extent(result, lasting, (plain or {}).get(result.batch)) for result in ordered)
    return Category(*_named(extents), extents, lasting)


def _lasting(results: Sequence[BatchResult], savings: Sequence[RegionSaving]) -> tuple[str, ...]:
    paying: dict[str, int] = {}
    for one in savings:
        paying[one.region] = paying.get(one.region, 0) + bool(one.pays)
    return tuple(region for region, times in paying.items() if times == len(results))


def _extent(result: BatchResult, lasting: Sequence[str], found: Ranked | None) -> Extent:
    fused = next((row for row in result.ranking if megakernels_of(row)), None)
    plain = found or next((row for row in result.ranking if not megakernels_of(row)), None)
    best = result.ranking[0] if result.ranking else None
    regions = tuple(str(region) for region in best.candidate.cover.regions if region.is_megakernel) if best else ()
    share = _share(best, result.objective, [region for region in regions if region in lasting]) if best else Fraction(0)
    return Extent(result.batch, fused, plain, regions, share)


def _share(row: Ranked, objective: Objective, regions: Sequence[str]) -> Fraction:
    """Return which part of the path to the score of *row* the groups of *regions* take."""
    groups = {group for region in row.candidate.cover.regions if str(region) in regions for group in region.groups}
    outcome = score(row.composed.composition, objective)
    if not isinstance(outcome, Score) or not outcome.value_ps:
        return Fraction(0)
    spent = sum((Fraction(one.elapsed_ps) for one in critical_path(outcome) if one.label in groups), Fraction(0))
    return spent / Fraction(outcome.value_ps)


def _named(extents: Sequence[Extent]) -> tuple[str | None, str]:
    if len(extents) <= 1:
        return None, "a category needs two batches"
    for one in extents:
        if one.pays is None:
            lacks = "without megakernels" if one.plain is None else "with megakernels"
            return None, f"no design {lacks} can be ranked at batch {one.batch}"
    first, last = extents[0], extents[-1]
    name = NAMES[bool(first.pays), bool(last.pays)]
    others = [one.batch for one in extents if bool(one.pays) not in (bool(first.pays), bool(last.pays))]
    return name, f"megakernels {_pay(first)} at batch {first.batch} and {_pay(last)} at batch {last.batch}{_between(others, first)}"


def _pay(one: Extent) -> str:
    return "pay" if one.pays else "do not pay"


def _between(batches: Sequence[int], first: Extent) -> str:
    if not batches:
        return ""
    return f", but they {'do not' if first.pays else 'do'} at {', '.join(map(str, batches))}"
