"""The longest chain of tiles: when each counter opens at the earliest, section by section.

Tiles that cost the same, wait for the same and arrive at the same are one group: all of them are done at one time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .arrays import SectionArrays, Sets, grouped, joined
from .tables.links import resolved
from .tables.tables import TileTables

Times = list[int]


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """The groups of a section: how long one of their tiles takes, how many they are, their set of waits, and who arrives where.

    *order* has the sets in the order of their first tiles. *counters* says of each set for which counters of its own section it waits
    whose arrivals all come from tiles before those that wait; a wait for others, against program order, bounds nothing. *past* has those
    in the section before. *delays_ps* says how much later than its last needed arrival each counter opens.
    """

    section: SectionArrays
    lasts_ps: Sequence[int]
    counts: Sequence[int]
    waits: Sequence[int]
    order: Sequence[int]
    counters: Sequence[Sequence[int]]
    past: Sequence[Sequence[int]]
    arrivals: Sets
    delays_ps: Sequence[int]

    def passed(self, before: Times, known: Sequence[int]) -> tuple[Times, int]:
        """Return when each counter opens at the earliest, and when the last tile is done, as counters opened *before*.

        *known* has the place in *before* of each counter that the tiles look for there; -1: it is not there.
        """
        ready = [0] * len(self.order)
        opened: dict[int, int] = {}
        for waits in self.order:
            # What the section before does not have holds nothing up: the first repeat finds no repeat before it.
            past = max((before[known[counter]] for counter in self.past[waits] if known[counter] >= 0), default=0)
            ready[waits] = max(past, *(self._opened(counter, ready, opened) for counter in self.counters[waits]), 0)
        ends = [ready[waits] + lasts for waits, lasts in zip(self.waits, self.lasts_ps, strict=True)]
        return [self._opened(counter, ready, opened) for counter in range(len(self.section.targets))], max(ends, default=0)

    def _opened(self, counter: int, ready: Times, opened: dict[int, int]) -> int:
        if counter not in opened:
            groups = self.arrivals[counter]
            arrivals = sorted((ready[self.waits[group]] + self.lasts_ps[group], self.counts[group]) for group in groups)
            last = _nth(arrivals, int(self.section.targets[counter]))
            opened[counter] = 0 if last is None else last + int(self.delays_ps[counter])
        return opened[counter]


def _nth(arrivals: Sequence[tuple[int, int]], target: int) -> int | None:
    """Return when the last needed one comes of arrivals in order, each with how many come then; None if none is needed, or too few come."""
    left = target
    for at, count in arrivals if target > 0 else ():
        left -= count
        if left <= 0:
            return at
    return None


def path_ps(tables: TileTables, lasts_ps: Sequence[int]) -> int:
    """Return how long the longest chain of tiles takes, where a tile of each line of costs takes *lasts_ps* alone.

    Once a repeat opens all counters later than the repeat before it, by the same time, further repeats do so too: they are
    skipped but for the last. That holds from the second repeat on (the first follows the prologue), and where a counter opens
    with its last arrival, so that the earliest times are linear in the (max, +) algebra.
    """
    flows = [flow_of(tables, kind, lasts_ps) for kind in range(3)]
    opened, end = flows[0].passed([], _resolved(tables, 0, 0))
    before, left = 0, tables.repeats
    may_skip = _opens_with_last_arrivals(flows[1])
    while left:
        later, last = flows[1].passed(opened, _resolved(tables, before, 1))
        # max and + commute with adding a constant: f(x + s) = f(x) + s, so one equal step proves all that follow.
        step = _common_step(opened, later) if may_skip and before == 1 else None
        opened, end, before, left = later, max(end, last), 1, left - 1
        if step is not None and left > 1:
            opened = [at + (left - 1) * step for at in later]
            left = 1
    return max(end, flows[2].passed(opened, _resolved(tables, before, 2))[1])


def _resolved(tables: TileTables, before: int, after: int) -> Sequence[int]:
    known: list[int] = resolved(tables.sections[after].past, tables.sections[before].counters if after else ()).tolist()
    return known


def _common_step(before: Times, after: Times) -> int | None:
    """Return by how much every counter came later, where all did by the same."""
    steps = {later - earlier for earlier, later in zip(before, after, strict=True)}
    return (steps or {0}).pop() if len(steps) <= 1 else None


def _opens_with_last_arrivals(flow: Flow) -> bool:
    arrivals = [sum(flow.counts[group] for group in flow.arrivals[counter]) for counter in range(len(flow.arrivals))]
    return bool(arrivals == flow.section.targets.tolist())


def flow_of(tables: TileTables, kind: int, lasts_ps: Sequence[int]) -> Flow:
    """Return the groups of one kind of section."""
    section, first = tables.sections[kind], tables.starts[kind]
    cost_of = tables.costs.cost_of[first : tables.starts[kind + 1]].astype(np.int64)
    # One number for three: tiles with the same costs, waits and signals are done at one time, and counted.
    keys = (cost_of * max(len(section.waits), 1) + section.waits_of) * max(len(section.signals), 1) + section.signals_of
    _, rows, counts = np.unique(keys, return_index=True, return_counts=True)
    signals = section.signals_of[rows]
    arriving = joined([np.zeros(0, np.int32), *(np.array(section.signals[int(one)], np.int32) for one in signals)])
    members = np.repeat(np.arange(len(rows), dtype=np.int32), section.signals.sizes[signals])
    waits = section.waits_of[rows]
    return Flow(
        section=section,
        lasts_ps=[lasts_ps[cost] for cost in cost_of[rows]],
        counts=counts.tolist(),
        waits=waits.tolist(),
        order=_in_order(section),
        counters=_counters_before(section),
        past=[[-1 - counter for counter in section.waits[waits] if counter < 0] for waits in range(len(section.waits))],
        arrivals=grouped(members, arriving, len(section.targets)),
        delays_ps=section.opens_after_ps.tolist(),
    )


def _in_order(section: SectionArrays) -> list[int]:
    first = np.full(len(section.waits), len(section), np.int64)
    np.minimum.at(first, section.waits_of, np.arange(len(section)))
    order: list[int] = np.argsort(first, kind="stable").tolist()
    return order


def _counters_before(section: SectionArrays) -> list[list[int]]:
    """Return by set of waits those counters of the section at which no tile arrives behind the first that waits for them."""
    count, rows = len(section.targets), np.arange(len(section))
    first_of_set, last_of_signals = np.full(len(section.waits), len(section)), np.full(len(section.signals), -1)
    np.minimum.at(first_of_set, section.waits_of, rows)
    np.maximum.at(last_of_signals, section.signals_of, rows)
    first, last = np.full(count, len(section)), np.full(count, -1)
    sets = np.repeat(np.arange(len(section.waits)), section.waits.sizes)
    own = section.waits.members >= 0
    np.minimum.at(first, section.waits.members[own], first_of_set[sets[own]])
    np.maximum.at(last, section.signals.members, last_of_signals[np.repeat(np.arange(len(section.signals)), section.signals.sizes)])
    found = map(section.waits.__getitem__, range(len(section.waits)))
    return [[counter for counter in waits if counter >= 0 and last[counter] < first[counter]] for waits in found]
