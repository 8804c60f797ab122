"""The kernels of every group per occurrence, and what no group accounts for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..execution import KernelShape
from ..wording import counted, listed, microseconds, shortened
from .group_occurrences import GroupOccurrences
from .join import Join
from .observation import ObservedGroup, ObservedKernel, Unattributed
from .occurrence import Occurrence
from .tallies import Tally, tally
from .timeline import Timeline


class GroupKernels:
    """The kernels of one group as they add up, with what is to be said about them."""

    def __init__(self, ran: Timeline, occurrences: GroupOccurrences, gaps_ps: Sequence[int]) -> None:
        self.of = occurrences
        every = tally(ran, occurrences.steady, gaps_ps)
        self.tallies = [one for one in every if one.usual_launches]
        self.occasional = [one for one in every if not one.usual_launches]

    def kernels(self, joined: Join) -> list[ObservedKernel]:
        """Return the kernels, with what *joined* knows about them."""
        return [self._kernel(one, joined) for one in self.tallies]

    def group(self) -> ObservedGroup:
        """Return the group with the time of its kernels added up by occurrence."""
        return ObservedGroup(
            self.of.group,
            len(self.of.steady),
            self.of.per_step,
            tuple(map(sum, zip(*(one.service_ps for one in self.tallies), strict=True))),
            tuple(map(sum, zip(*(one.gap_ps for one in self.tallies), strict=True))),
            self.of.marks,
            self.of.in_steps,
        )

    def unattributed(self) -> list[Unattributed]:
        """Return the kernels that half of the occurrences or more do without: they are no part of the usual one."""
        total = len(self.of.steady)
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
        """Yield what differs between the occurrences."""
        if several := [_grids(one) for one in self.tallies if len(one.shapes) > 1]:
            yield f"group {self.of.group}: grids that differ between occurrences count as the commonest one: {listed(several, at_most=3)}"
        if uneven := [_times(one) for one in self.tallies if not one.is_steady]:
            yield f"group {self.of.group}: of launches per occurrence the lower median counts: {listed(uneven, at_most=3)}"

    def _kernel(self, one: Tally, joined: Join) -> ObservedKernel:
        match = joined.matches.get(one.shape)
        per_launch = None if match is None else match.hbm_bytes
        return ObservedKernel(
            group=self.of.group,
            shape=one.shape if match is None else match.shape,
            launches=one.usual_launches,
            samples_ps=one.of_those_that_ran(one.service_ps),
            gap_samples_ps=one.of_those_that_ran(one.gap_ps),
            overlapped_ps=one.of_those_that_ran(one.overlapped_ps),
            hbm_bytes=None if per_launch is None else per_launch * one.usual_launches,
            order=one.first,
        )


def _grids(one: Tally) -> str:
    grids = ("x".join(map(str, shape.grid)) if shape.grid else "unknown" for shape in one.shapes)
    return f"'{shortened(one.shape.name)}' ({listed(grids, at_most=3)})"


def _times(one: Tally) -> str:
    return f"'{shortened(one.shape.name)}' ({min(one.launches)} to {max(one.launches)})"


def left_over(ran: Timeline, steady_steps: Iterable[Occurrence], rules: Sequence[int | None]) -> list[Unattributed]:
    """Return what ran in the steady steps and no rule took."""
    launches: dict[KernelShape, list[int]] = {}
    for step in steady_steps:
        for launch in step.launches:
            if rules[launch] is None:
                launches.setdefault(ran.kernels[launch].shape, []).append(launch)
    return [Unattributed(shape, len(of_it), _duration_ps(ran, of_it), "no rule takes it") for shape, of_it in launches.items()]


def overlap_note(ran: Timeline) -> list[str]:
    """Return how much ran beside other kernels, if anything did."""
    overlapped_ps = sum(share.overlapped_ps for share in ran.shares)
    if not overlapped_ps:
        return []
    total_ps = overlapped_ps + sum(share.service_ps for share in ran.shares)
    streams = counted(len({kernel.site for kernel in ran.kernels}), "stream")
    return [f"{microseconds(overlapped_ps)} of {microseconds(total_ps)} ran beside earlier kernels ({streams}) and count only once"]


def _duration_ps(ran: Timeline, launches: Iterable[int]) -> int:
    return sum(ran.shares[launch].service_ps + ran.shares[launch].overlapped_ps for launch in launches)
