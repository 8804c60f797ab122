"""Arcs: what a search chooses from under one policy, each with what it adds to every time that is asked for, whatever else is chosen.

A chain is crossed by arcs from cut to cut, so that a cover is a way through them. In other region graphs an arc is a set of groups, and
a cover is a partition into sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby

from megasolve.simulate.plan.candidate import Choice
from megasolve.simulate.plan.policy import Policy
from megasolve.simulate.plan.region_graph import Groups, RegionGraph
from megasolve.simulate.plan.running import running_order
from megasolve.simulate.predict.maxplus import Matrix, advance, identity
from megasolve.simulate.predict.pieces import Ps3, assembled, repeated

Ps = int | Fraction
IDENTITY: Matrix[int] = identity(0)
NOTHING: Ps3 = (IDENTITY, IDENTITY, IDENTITY)


@dataclass(frozen=True, slots=True)
class ArcPlace:
    """What arcs that differ only in their entries share: which groups, how cut, on which backend, and in which way launched."""

    regions: tuple[tuple[str, ...], ...]
    kind: str

    @property
    def groups(self) -> tuple[str, ...]:
        """All groups of the slot."""
        return tuple(group for region in self.regions for group in region)


@dataclass(frozen=True, slots=True)
class ArcCost:
    """What an arc adds to one time: its three matrices.

    *ends* replaces them for the two sides of a split: the exact time of the publication for the times at which host and device are free.
    """

    phases: Ps3
    ends: Callable[[int, int], Ps] | None = field(default=None, compare=False)

    @property
    def is_silent(self) -> bool:
        """Whether nothing runs until the objective is reached."""
        return self.phases == NOTHING and self.ends is None


@dataclass(frozen=True, slots=True)
class Arc:
    """One choice of entries for the groups of *slot*, from the cut *first* to the cut *last*, with its *costs*, one for each time.

    *block* is the place of the block of the step each of whose repeats has the arc again, which the costs have once.
    *ways* is how many covers of its groups it stands for; in *joining* of them the region beside what runs is conventional, launched as
    *border* says, so that it makes no difference whether it goes on there; *covers* lists some of them.
    """

    slot: ArcPlace
    choices: tuple[Choice, ...]
    first: int
    last: int
    costs: tuple[ArcCost, ...]
    ways: int = 1
    block: int | None = None
    joining: int = 0
    border: str = ""
    covers: tuple[tuple[Choice, ...], ...] = ()

    @property
    def entries(self) -> tuple[tuple[str, ...], ...]:
        """The names of its entries, by which variants of equal score are ordered."""
        return tuple(choice.entries for choice in self.choices)

    @property
    def is_split(self) -> bool:
        """Whether it has the two sides of a split."""
        return any(cost.ends is not None for cost in self.costs)


@dataclass(frozen=True, slots=True)
class Clock:
    """How the costs of a way make one time: with *middle_steps*, in units of which *divisor* are a score.

    *is_cycle* asks for the time of a cycle, not for its end.
    """

    middle_steps: int = 0
    divisor: int = 1
    is_cycle: bool = False


@dataclass(frozen=True, slots=True)
class Space:
    """All arcs under one policy, and a clock for each time of their costs.

    *repeats* is how often each block of the step is run, *spans* are the cuts around each, and *open_cuts* are those that a conventional
    region may also go over, inside a block or with whole blocks on both sides. *graph* orders the regions of a cover, those of *skipped*
    groups last in their role; None for a chain, which runs in the order of the spec.
    *valued* tells what a cover takes where the matrices only bound it.
    """

    policy: Policy
    groups: tuple[str, ...]
    arcs: tuple[Arc, ...]
    clocks: tuple[Clock, ...]
    repeats: tuple[int, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    open_cuts: frozenset[int] = frozenset()
    graph: RegionGraph | None = None
    skipped: frozenset[str] = frozenset()
    own_hosts: bool = False
    valued: Callable[[Space, Sequence[Arc], int], Ps] | None = None

    @property
    def is_chain(self) -> bool:
        """Whether covers run in the order of the spec, whatever their regions are."""
        return self.graph is None

    def ordered(self, arcs: Iterable[Arc]) -> tuple[Arc, ...] | None:
        """Return *arcs*, which hold each group once, in the order in which they run; None where they wait for each other in a circle."""
        if self.graph is None:
            return tuple(sorted(arcs, key=lambda arc: arc.first))
        every = list(arcs)
        of = {region: arc for arc in every for region in arc.slot.regions}
        order = self.graph.in_order(of)
        if order is None:
            return None
        running = sorted(running_order(self.graph, self.skipped, order), key=self._first_role)
        return tuple(dict.fromkeys(of[region] for region in running))

    def _first_role(self, region: Groups) -> int:
        if self.graph is None:
            return 0
        mask = self.graph.dependences.mask(region)
        return next(place for place, role in enumerate(self.graph.dependences.roles) if role & mask)

    def value(self, way: Sequence[Arc], time: int = 0) -> Ps:
        """Return the exact *time* of a cover in units of its clock."""
        if self.valued is not None:
            return self.valued(self, way, time)
        *before, last = way
        clock = self.clocks[time]
        if (ends := last.costs[time].ends) is not None:
            host, device = advance((0, 0), assembled(self.pieces(before, time), 0))
            return ends(host, device)
        whole = assembled(self.pieces(way, time), clock.middle_steps)
        return cycle_of(whole) if clock.is_cycle else advance((0, 0), whole)[1]

    def pieces(self, way: Sequence[Arc], time: int = 0) -> list[Ps3]:
        """Return the matrices of *way*, those inside one block together."""
        found: list[Ps3] = []
        for block, inside in groupby(way, key=lambda arc: arc.block):
            every = [arc.costs[time].phases for arc in inside]
            found += every if block is None else [repeated(every, self.repeats[block])]
        return found

    def score(self, way: Sequence[Arc], time: int = 0) -> Ps:
        """Return the exact score of a cover."""
        return self.scored(self.value(way, time), time)

    def scored(self, value: Ps, time: int = 0) -> Ps:
        """Return the score of a cover that takes *value*."""
        score = Fraction(value) / self.clocks[time].divisor
        return score.numerator if score.denominator == 1 else score


def cycle_of(matrix: Matrix[int]) -> int:
    """Return twice the largest mean weight of a cycle through host and device."""
    host, to_host, to_device, device = matrix
    cycles = [2 * one for one in (host, device) if one is not None]
    if to_host is not None and to_device is not None:
        cycles.append(to_host + to_device)
    return max(cycles)
