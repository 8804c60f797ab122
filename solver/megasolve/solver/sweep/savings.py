"""What each megakernel region saves and costs at one batch: S(b) and F of the paper (section VII)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from megasolve.simulate import Composition
from megasolve.simulate.events.arithmetic import whole
from megasolve.simulate.plan.cover import Backend, Region

from ..search.predicates import Judge
from ..select.result import BatchResult, Ranked
from ..select.times import Ps
from .between import Works, value_of, with_free_launch, with_works, without_contention, without_launches
from .saving import CONTENTION, LAUNCHES, OF_TILES, OVERLAP, SERVICE, RegionSaving, Saving
from .tile_steps import TileSteps
from .unfused import unfused


def savings(judge: Judge, result: BatchResult, tiles: TileSteps) -> tuple[RegionSaving, ...]:
    """Return what every megakernel region that has an entry saves, in the order of the region graph.

    The best design with the region stands against the best one with the same other megakernels and the groups of the region on
    conventional kernels, under the same policy where that applies, else in serial order.
    """
    regions = (Region(Backend.MEGAKERNEL, groups) for groups in judge.graph.regions)
    return tuple(_saving(judge, result, region, tiles) for region in regions if judge.choices(region))


def megakernels_of(row: Ranked) -> frozenset[Region]:
    """Return the megakernel regions of a design."""
    return frozenset(region for region in row.candidate.cover.regions if region.is_megakernel)


def _saving(judge: Judge, result: BatchResult, region: Region, tiles: TileSteps) -> RegionSaving:
    batch, ranking = judge.question.batch, result.ranking
    best = next((row for row in ranking if region in row.candidate.cover.regions), None)
    if best is None:
        return RegionSaving(batch, str(region), None, f"no design with it {_is_known(result)}")
    without = _without(ranking, best, region)
    if without is None and result.searched:
        without = unfused(judge, best, region)
    if without is None:
        rest = " and ".join(sorted(map(str, megakernels_of(best) - {region}))) or "no other megakernel"
        because = f"no design with {rest} and {'+'.join(region.groups)} on conventional kernels {_is_known(result)}"
        return RegionSaving(batch, str(region), None, because)
    pair = _Pair(judge, region, best, without, _serial(ranking, best, without))
    entry = best.entries[best.candidate.cover.regions.index(region)]
    saving = Saving(entry, best.id, best.score_ps, without.id, without.score_ps, *pair.split(tiles))
    return RegionSaving(batch, str(region), saving)


def _is_known(result: BatchResult) -> str:
    return "is among the best that the search found" if result.searched else "can be ranked"


def _without(ranking: Sequence[Ranked], best: Ranked, region: Region) -> Ranked | None:
    """Return the best design with the other megakernels of *best*, under its policy if there is one, else in serial order."""
    rest = megakernels_of(best) - {region}
    rows = [row for row in ranking if megakernels_of(row) == rest]
    same = next((row for row in rows if row.candidate.policy == best.candidate.policy), None)
    return same or next((row for row in rows if not row.candidate.policy.is_shared), None)


def _serial(ranking: Sequence[Ranked], best: Ranked, without: Ranked) -> Ranked | None:
    """Return *best* under the policy of *without*: a split first stands without it, one mechanism at a time."""
    if without.candidate.policy == best.candidate.policy:
        return best
    rows = (row for row in ranking if row.candidate.cover == best.candidate.cover)
    return next((row for row in rows if not row.candidate.policy.is_shared), None)


@dataclass(frozen=True, slots=True)
class _Pair:
    """The *best* design with the megakernel of *region*, the same one *without* it, and *serial*, the best one under the policy of that."""

    judge: Judge
    region: Region
    best: Ranked
    without: Ranked
    serial: Ranked | None

    def split(self, tiles: TileSteps) -> tuple[tuple[tuple[str, Ps], ...], Ps]:
        """Return what each mechanism saves on the way from one to the other, and what launching the megakernel costs."""
        launched = self._value(self._unlaunched)
        found = [(LAUNCHES, _less(self.without.score_ps, launched))]
        quiet = without_contention(self.best.composed.composition)
        last = self.best.score_ps if self.serial is self.best else self._value(quiet)
        if self.serial is None:
            unlaunched = self._value(with_free_launch(quiet, str(self.region)))
            found += [(OVERLAP, _less(launched, unlaunched))]
            fixed_ps = _less(last, unlaunched)
        else:
            served = self._served(self.serial.composed.composition.works)
            found += self._services(tiles, self.serial, launched, served)
            fixed_ps = _less(self.serial.score_ps, served)
            found += [(OVERLAP, _less(self.serial.score_ps, last))]
        return (*found, (CONTENTION, _less(last, self.best.score_ps))), fixed_ps

    @property
    def _unlaunched(self) -> Composition:
        return without_launches(self.without.composed.composition, self.region.groups)

    def _served(self, works: Works) -> Ps:
        """Return the score without the megakernel, but where launches cost nothing and calls take what they take in it."""
        return self._value(with_works(self._unlaunched, self.region.groups, works))

    def _services(self, tiles: TileSteps, serial: Ranked, launched: Ps, served: Ps) -> list[tuple[str, Ps]]:
        """Return what the times of the megakernel's calls save, split by the mechanisms of tiles where they are derived."""
        steps = tiles.works(self.judge, serial, self.region)
        scores = [launched, *map(self._served, steps), served]
        names = (SERVICE, *OF_TILES) if steps else (SERVICE,)
        return [(name, _less(one, other)) for name, (one, other) in zip(names, pairwise(scores), strict=True)]

    def _value(self, composition: Composition) -> Ps:
        return value_of(composition, self.judge.question.objective)


def _less(one: Ps, other: Ps) -> Ps:
    return whole(Fraction(one) - Fraction(other))
