"""The kernels of every group per occurrence, and what no group accounts for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from ..model.wording import counted
from ..profiles.execution import KernelShape
from ..profiles.wording import listed, microseconds, shortened
from .join import Join
from .observation import ObservedGroup, ObservedKernel, Unattributed
from .occurrences.group_occurrences import GroupOccurrences
from .shapes.shaped import Computed
from .timelines.beside import Beside, names
from .timelines.occurrence import Occurrence
from .timelines.tallies import KernelTally, tally, tally_by_place
from .timelines.timeline import Timeline


class GroupKernels:
    """The kernels of one group as they add up, with what is to be said about them."""

    def __init__(self, ran: Timeline, occurrences: GroupOccurrences, gaps_ps: Sequence[int], shared: Beside) -> None:
        self.of = occurrences
        self._beside = names(shared.beside[launch] for one in occurrences.steady for launch in one.launches)
        alone = tuple(one for one in occurrences.steady if all(shared.beside[launch] is None for launch in one.launches))
        self._left_out = len(occurrences.steady) - len(alone)
        self._kept = alone or occurrences.steady
        told_apart = tally_by_place if occurrences.is_placed else tally
        every = told_apart(ran, self._kept, gaps_ps, shared)
        self.tallies = [one for one in every if one.usual_launches]
        self.occasional = [one for one in every if not one.usual_launches]
        self.is_standalone = bool(alone) or all(one.alone for one in self.tallies)
        if not alone and self.is_standalone:
            for one in self.tallies:
                one.take_the_time_of_those_alone()

    def kernels(self, joined: Join, computed: Sequence[tuple[Computed, ...]]) -> list[ObservedKernel]:
        """Return the kernels, with what *joined* knows about them and what each launch *computed*."""
        return [self._kernel(one, joined, computed) for one in self.tallies]

    def group(self) -> ObservedGroup:
        """Return the group with the time of its kernels added up by occurrence, what overlaps once."""
        return ObservedGroup(
            self.of.group,
            len(self._kept),
            self.of.per_step,
            self._added(lambda one: [busy - early for busy, early in zip(one.service_ps, one.overlapped_ps, strict=True)]),
            self._added(lambda one: [gap + early for gap, early in zip(one.gap_ps, one.overlapped_ps, strict=True)]),
            self.of.marks,
            self.of.in_steps,
            () if self.is_standalone else self._beside,
            1 if self.of.places is None else self.of.places.times,
        )

    def _added(self, values_of: Callable[[KernelTally], Sequence[int]]) -> tuple[int, ...]:
        return tuple(map(sum, zip(*map(values_of, self.tallies), strict=True)))

    def unattributed(self) -> list[Unattributed]:
        """Return the kernels that half of the occurrences or more do without: they are no part of the usual one."""
        total = len(self._kept)
        return [
            Unattributed(
                one.shape,
                sum(one.launches),
                one.total_ps,
                f"runs in {sum(map(bool, one.launches))} of {counted(total, 'occurrence')} of group {self.of.group} only",
            )
            for one in self.occasional
        ]

    def notes(self) -> Iterator[str]:
        """Yield what ran beside other groups, and what differs between the occurrences."""
        yield from self._besides()
        if several := [_grids(one) for one in self.tallies if len(one.shapes) > 1]:
            yield f"group {self.of.group}: grids that differ between occurrences count as the commonest one: {listed(several, at_most=3)}"
        if uneven := [_times(one) for one in self.tallies if not one.is_steady]:
            yield f"group {self.of.group}: of launches per occurrence the lower median counts: {listed(uneven, at_most=3)}"

    def _kernel(self, one: KernelTally, joined: Join, computed: Sequence[tuple[Computed, ...]]) -> ObservedKernel:
        match = joined.matches.get(one.shape)
        per_launch = None if match is None else match.hbm_bytes
        return ObservedKernel(
            group=self.of.group,
            shape=one.shape if match is None else match.shape,
            launches=one.usual_launches,
            samples_ps=one.of_those_that_ran(one.service_ps),
            gap_samples_ps=self._gaps(one),
            overlapped_ps=one.of_those_that_ran(one.overlapped_ps),
            hbm_bytes=None if per_launch is None else per_launch * one.usual_launches,
            order=one.first,
            beside=() if self.is_standalone else self._beside,
            is_placed=self.of.is_placed,
            computed=tuple(computed[launch] for launch in one.of_one_occurrence()) if computed else (),
        )

    def _gaps(self, one: KernelTally) -> tuple[int, ...]:
        """Return the gaps by occurrence; before the first repeat of a block stand other kernels than before the others."""
        later = [gap for gap, of in zip(one.gap_ps, self._kept, strict=True) if of.launches[0] not in self.of.opening]
        return tuple(later) if later and self.of.is_placed else one.of_those_that_ran(one.gap_ps)

    def _besides(self) -> Iterator[str]:
        if not self._beside:
            return
        group, others = self.of.group, listed(self._beside)
        if not self.is_standalone:
            yield f"group {group} ran only beside {others}, so none of its time is standalone: no record has it; record {group} alone"
        elif len(self._kept) < len(self.of.steady):
            of = counted(len(self.of.steady), "occurrence")
            yield f"group {group}: {self._left_out} of {of} ran beside {others} and are left out"
        else:
            apart = sum(sum(one.launches) - len(one.alone) for one in self.tallies)
            launches = sum(sum(one.launches) for one in self.tallies)
            yield (
                f"group {group}: {apart:,} of {counted(launches, 'launch', 'launches')} ran beside {others}; they count as long as the"
                " launches of their kernels that ran alone do, in the lower median"
            )


def _grids(one: KernelTally) -> str:
    grids = ("x".join(map(str, shape.grid)) if shape.grid else "unknown" for shape in one.shapes)
    return f"'{shortened(one.shape.name)}' ({listed(grids, at_most=3)})"


def _times(one: KernelTally) -> str:
    return f"'{shortened(one.shape.name)}' ({min(one.launches)} to {max(one.launches)})"


def left_over(ran: Timeline, steady_steps: Iterable[Occurrence], rules: Sequence[int | None]) -> list[Unattributed]:
    """Return what ran in the steady steps and no rule took."""
    launches: dict[KernelShape, list[int]] = {}
    for step in steady_steps:
        for launch in step.launches:
            if rules[launch] is None:
                launches.setdefault(ran.kernels[launch].shape, []).append(launch)
    return [Unattributed(shape, len(of_it), _duration_ps(ran, of_it), "no rule takes it") for shape, of_it in launches.items()]


def overlap_note(ran: Timeline, shared: Beside) -> list[str]:
    """Return how much ran beside earlier kernels of the same group or stream, if anything did."""
    early_ps = sum(shared.early_ps)
    if not early_ps:
        return []
    total_ps = sum(share.service_ps + share.overlapped_ps for share in ran.shares)
    streams = counted(len({kernel.site for kernel in ran.kernels}), "stream")
    overlap = f"{microseconds(early_ps)} of {microseconds(total_ps)} overlap earlier kernels of the same group or stream ({streams})"
    return [f"{overlap}: gaps before such kernels are negative, so that a call takes the union of its intervals"]


def _duration_ps(ran: Timeline, launches: Iterable[int]) -> int:
    return sum(ran.shares[launch].service_ps + ran.shares[launch].overlapped_ps for launch in launches)
