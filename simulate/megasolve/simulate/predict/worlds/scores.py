"""The score of a composition in many worlds: what `score` says in each of them, but for the rounding of floats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ...plan.objective import Objective
from ...plan.sharing import Sharing
from ...plan.works import DispatchCost, Service
from ..composition import Composition
from ..lowering.inside import forks
from ..lowering.stretches import Stretch, first_chunk, on_its_side, steps_of
from ..maxplus import advance
from ..occurrences import Runs, blocks_matrix, cycle_blocks, publication_blocks, ready_blocks, serial_blocks
from ..steady import never_leaves
from .held import held_ps, is_held
from .lanes import Host, WorldSide, finishes
from .many import Array, Many
from .singly import least_in_worlds, one_by_one


def is_slow(composition: Composition) -> bool:
    """Whether its worlds are simulated one by one, and so cost more than those of any other design."""
    return composition.sharing in (Sharing.PARTITION, Sharing.STREAMS, Sharing.INSIDE)


def _forks(composition: Composition, objective: Objective) -> bool:
    is_first = objective is Objective.FIRST_PUBLICATION
    return forks(composition, publication_blocks(composition) if is_first else cycle_blocks(composition))


def scores(composition: Composition, objective: Objective, worlds: int, at_most: Array | None = None) -> Array:
    """Return the score in each world of *composition*, some of whose services have durations in *worlds* many (`as_duration`).

    Where a score that would have to be simulated is known to be above *at_most*, a time between the two stands in its place.
    """
    if composition.sharing is Sharing.INSIDE and not _forks(composition, objective):
        composition = replace(composition, sharing=Sharing.SERIAL)
    if is_slow(composition):
        return one_by_one(composition, objective, worlds, at_most)
    if objective is not Objective.FIRST_PUBLICATION:
        return _Cycle(composition, worlds).value(objective)
    if composition.sharing is Sharing.SERIAL:
        return _serial(publication_blocks(composition), worlds)[1]
    made, taken = _Split(composition, worlds).finishes()
    return np.maximum(made, taken)


def least_and_most(composition: Composition, objective: Objective, worlds: int) -> tuple[Array, Array]:
    """Return two times in each world that the score is between, at far less than what a simulation costs; infinity where none is known."""
    least = least_in_worlds(composition, objective, worlds)
    if objective is not Objective.FIRST_PUBLICATION or not is_held(composition):
        return least, np.full(worlds, np.inf)
    low, high = held_ps(composition, worlds)
    return np.maximum(low, least), high


def _weigh(worlds: int) -> Callable[[str, int], Many]:
    return lambda _label, ps: Many.of(ps, worlds)


def _serial(blocks: Sequence[Runs], worlds: int) -> tuple[Array, Array]:
    """Return when launches in serial order leave host and device free."""
    zero = Many.of(0, worlds)
    if not any(block.runs for block in blocks):
        return zero.ps, zero.ps
    host, device = advance((zero, zero), blocks_matrix(blocks, _weigh(worlds)))
    return host.ps, device.ps


def _ps(stretch: Stretch, worlds: int) -> Array:
    return Many.of(stretch.service_ps, worlds).ps


def _items(stretch: Stretch) -> tuple[Service, ...]:
    return tuple(service for _, service in stretch.services())


class _Split:
    """The first publication under a split, as `lowering` has it."""

    def __init__(self, composition: Composition, worlds: int) -> None:
        self.composition = composition
        self.worlds = worlds
        self.producer = composition.region_of(composition.producers[0])
        self.consumer = composition.region_of(composition.consumers[0])

    def finishes(self) -> tuple[Array, Array]:
        """Return when step h and the first chunk are done."""
        return self._fixed() if self.composition.sharing is Sharing.FIXED else self._dynamic()

    def _beside(self, makes: WorldSide, takes: WorldSide, host: Host) -> tuple[Array, Array]:
        return finishes(makes, takes, host, self.composition.bandwidth_bytes_per_s)

    def _fixed(self) -> tuple[Array, Array]:
        composition, schedule = self.composition, self.composition.schedule
        free, device = _serial(serial_blocks(composition, admission=composition.separate_admission, steps=0, chunk=()), self.worlds)
        host = Host(free)
        makes = host.dispatch(self.producer.entry.cost, device)
        takes = makes if self.producer == self.consumer else host.dispatch(self.consumer.entry.cost, device)
        inside = tuple(group for group in composition.admission if group in self.producer.groups)
        steps = steps_of(composition, schedule.ready_step, ends=schedule.horizon_step == schedule.ready_step)
        ready = makes + _ps(on_its_side(composition, inside), self.worlds) + _ps(steps, self.worlds)
        tail = steps_of(composition, schedule.horizon_step - schedule.ready_step, ends=True)
        chunk = WorldSide(np.maximum(takes, ready), _items(first_chunk(composition)))
        return self._beside(WorldSide(ready, _items(tail)), chunk, host)

    def _dynamic(self) -> tuple[Array, Array]:
        composition, schedule = self.composition, self.composition.schedule
        free, device = _serial(ready_blocks(composition), self.worlds)
        host, left = Host(free), schedule.horizon_step - schedule.ready_step
        if not left:
            taken = host.dispatch(self.consumer.entry.cost, device) + _ps(first_chunk(composition), self.worlds)
            return taken, taken
        makes = host.dispatch(self.producer.entry.cost, device)
        takes = host.dispatch(self.consumer.entry.cost, device)
        items = _items(steps_of(composition, left, ends=True)) if self.producer.loops else tuple(self._relaunched(left))
        return self._beside(WorldSide(makes, items), WorldSide(takes, _items(first_chunk(composition))), host)

    def _relaunched(self, steps: int, *, ends: bool = True) -> list[Service | DispatchCost]:
        """Return *steps* steps with a launch before each but the first."""
        found: list[Service | DispatchCost] = []
        for index in range(steps):
            found += [self.producer.entry.cost] if index else []
            found += _items(steps_of(self.composition, 1, ends=ends and index == steps - 1))
        return found

    def cycle(self, steps: int) -> tuple[Array, Array]:
        """Return when the steps of a steady cycle and its chunk are done, as `steady` has it."""
        composition, begin = self.composition, np.zeros(self.worlds)
        chunk = _items(on_its_side(composition, composition.consumers))
        is_dynamic = composition.sharing is Sharing.DYNAMIC
        host = Host(begin.copy())
        if is_dynamic and not self.producer.loops:
            makes = host.dispatch(self.producer.entry.cost, begin)
            takes = host.dispatch(self.consumer.entry.cost, begin)
            return self._beside(WorldSide(makes, tuple(self._relaunched(steps, ends=False))), WorldSide(takes, chunk), host)
        takes = host.dispatch(self.consumer.entry.cost, begin) if is_dynamic else begin
        return self._beside(WorldSide(begin, _items(steps_of(composition, steps, ends=False))), WorldSide(takes, chunk), host)


class _Cycle:
    """A steady objective, as `steady` has it."""

    def __init__(self, composition: Composition, worlds: int) -> None:
        self.composition = composition
        self.worlds = worlds

    def value(self, objective: Objective) -> Array:
        """Return the steady time from step to step, or from chunk to chunk."""
        steps = self.composition.schedule.cycle_steps
        per_cycle = steps if objective is Objective.PRODUCER_STEP else 1
        if self.composition.sharing is Sharing.SERIAL:
            return self._serial() / per_cycle
        made, taken = _Split(self.composition, self.worlds).cycle(steps)
        return (np.maximum(made, taken) if objective is Objective.CHUNK_INTERVAL else made) / per_cycle

    def _serial(self) -> Array:
        blocks = cycle_blocks(self.composition)
        if never_leaves(self.composition):
            sections = tuple(section for block in blocks for run in block.each_run() for section in run.sections)
            return _ps(Stretch(sections), self.worlds)
        host, to_host, to_device, device = blocks_matrix(blocks, _weigh(self.worlds))
        cycles = [weight + weight for weight in (host, device) if weight is not None]
        if to_host is not None and to_device is not None:
            cycles.append(to_host + to_device)
        longest = cycles[0]
        for weight in cycles[1:]:
            longest = longest > weight
        return longest.ps / 2
