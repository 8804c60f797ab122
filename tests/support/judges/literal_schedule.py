"""The schedule of a composition, worked out occurrence by occurrence from the words of the design: slow, and sharing no code
with the lowering, the max-plus algebra or the engine. Times are rationals.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from megasolve.simulate import Composition, DispatchCost, Graphed, Objective, Phase, RegionPlan, Service, Sharing, Work
from tests.support.judges import literal_sides

Task = tuple[Fraction, Fraction]  # standalone time in ps, demand in bytes per ps


@dataclass(frozen=True)
class Occurrence:
    """One group at one place of the serial order: *stage* is "admission", a number of step, or "chunk"; *turn* counts the repeats."""

    group: str
    stage: str | int
    turn: int = 0


@dataclass
class Clock:
    """When the host and the device are free, walking launch by launch."""

    host: Fraction = Fraction(0)
    device: Fraction = Fraction(0)

    def launch(self, cost: DispatchCost, run_ps: Fraction | int) -> None:
        """One launch: the host part waits for the host (and, where the host waits, the device), the exposed part for both."""
        self.enter(cost)
        self.device += run_ps

    def enter(self, cost: DispatchCost) -> None:
        """Advance to the instant at which a launch may be admitted."""
        self.host = (max(self.host, self.device) if cost.host_waits else self.host) + cost.host_ps
        self.device = max(self.host, self.device) + cost.exposed_ps + cost.gap_ps


def first_publication(composition: Composition) -> Fraction:
    """Return when the first output is published; a producer that does not loop is only handled without memory traffic."""
    clock = Clock()
    if composition.sharing is Sharing.PARTITION:
        return _on_partitions(composition)
    if composition.sharing is Sharing.SERIAL:
        _walk(clock, composition, list(_until_publication(composition)))
        return clock.device
    if composition.sharing is Sharing.FIXED:
        return _fixed(composition, clock)
    return _dynamic(composition, until_ready(composition))


def until_ready(composition: Composition) -> Clock:
    """Return when host and device are free after step r, on the whole device."""
    clock, schedule = Clock(), composition.schedule
    ahead = [*_admission(composition), *_steps(composition, schedule.ready_step, ends=schedule.ready_step == schedule.horizon_step)]
    _walk(clock, composition, ahead)
    return clock


def _on_partitions(composition: Composition) -> Fraction:
    """Let the producers go on for ever more steps, until these end behind the publication or with the utterance."""
    steps, length = 1, composition.schedule.length_steps
    while True:
        published, loaded = literal_sides.first_publication(composition, steps)
        if loaded >= published or (length is not None and composition.schedule.horizon_step + steps >= length):
            return published
        steps *= 2


def steady(composition: Composition, objective: Objective, cycles: int = 200) -> Fraction:
    """Return the long-run time of a step or a chunk; a serial order is simply walked for *cycles* cycles."""
    steps = composition.schedule.cycle_steps
    per_cycle = steps if objective is Objective.PRODUCER_STEP else 1
    if composition.sharing is Sharing.SERIAL:
        return _serial_cycle(composition, cycles) / per_cycle
    if composition.sharing is Sharing.PARTITION:
        ends = literal_sides.cycle(composition, steps)
        return (ends[0] if objective is Objective.PRODUCER_STEP else max(ends)) / per_cycle
    maker, taker = _sides(composition)
    clock = Clock()
    if composition.sharing is Sharing.DYNAMIC:
        clock.enter(taker.entry.cost)
    made, taken = co_run(
        Fraction(0),
        _tasks(composition, _steps(composition, steps, ends=False)),
        clock.device,
        _tasks(composition, _in_turn(composition, composition.consumers, "chunk")),
    )
    assert maker.loops
    return (made if objective is Objective.PRODUCER_STEP else max(made, taken)) / per_cycle


def co_run(a_start: Fraction, a_tasks: Sequence[Task], b_start: Fraction, b_tasks: Sequence[Task]) -> tuple[Fraction, Fraction]:
    """Return when two chains of tasks end that share one byte per picosecond of bandwidth from the moment they overlap."""
    now, ends = min(a_start, b_start), [a_start, b_start]
    left = [list(a_tasks), list(b_tasks)]
    starts = (a_start, b_start)
    while any(left):
        active = [side for side in (0, 1) if left[side] and starts[side] <= now]
        waiting = [starts[side] for side in (0, 1) if left[side] and starts[side] > now]
        demand = sum(left[side][0][1] for side in active)
        rate = {side: Fraction(1) if left[side][0][1] == 0 else min(Fraction(1), 1 / Fraction(demand)) for side in active}
        span = min([left[side][0][0] / rate[side] for side in active] + [start - now for start in waiting])
        now += span
        for side in active:
            rest = left[side][0][0] - rate[side] * span
            left[side][0] = (rest, left[side][0][1])
            if rest == 0:
                left[side].pop(0)
                ends[side] = now
    return ends[0], ends[1]


def _until_publication(composition: Composition) -> Iterator[Occurrence]:
    waits_for = composition.schedule.publication
    admission = _admission(composition)
    if waits_for in composition.admission:
        admission = [one for one in admission if one.group not in composition.unawaited]
    every = [*admission, *_steps(composition, composition.schedule.horizon_step, ends=True)]
    every += _in_turn(composition, _awaited(composition, composition.consumers), "chunk")
    if waits_for is None:
        return iter(every)
    block = [one for repeat in composition.repeats if waits_for in repeat.groups for one in repeat.groups]
    last = max(index for index, one in enumerate(every) if one.group in (waits_for, *block))
    return iter(every[: last + 1])


def _awaited(composition: Composition, groups: Sequence[str]) -> list[str]:
    return [group for group in groups if group not in composition.unawaited]


def _admission(composition: Composition) -> list[Occurrence]:
    return _in_turn(composition, composition.admission, "admission")


def _steps(composition: Composition, steps: int, *, ends: bool) -> list[Occurrence]:
    """Return the steps in order; where they *end* before the first publication, the last has only what that waits for."""
    found: list[Occurrence] = []
    for step in range(1, steps + 1):
        groups = _awaited(composition, composition.producers) if ends and step == steps else composition.producers
        found += _in_turn(composition, groups, step)
    return found


def _in_turn(composition: Composition, groups: Sequence[str], stage: str | int) -> list[Occurrence]:
    """Return one occurrence of each group, those of a block once for each of its repeats, one repeat after the other."""
    found: list[Occurrence] = []
    for times, members in groupby(groups, key=lambda group: _times(composition, group)):
        block = list(members)
        found += [Occurrence(group, stage, turn) for turn in range(times) for group in block]
    return found


def _times(composition: Composition, group: str) -> int:
    return max((block.times for block in composition.repeats if group in block.groups), default=1)


def _walk(clock: Clock, composition: Composition, occurrences: Sequence[Occurrence]) -> None:
    for region, run in _launches(composition, occurrences):
        spent = [composition.works[one.group, Phase.WHOLE] for one in run]
        if region.persistent:
            clock.launch(region.entry.cost, sum(one.service_ps for one in spent))
        elif isinstance(region.launching, Graphed):
            clock.launch(_of_a_graph(spent), sum(one.service_ps + one.gaps_ps for one in spent))
        else:
            for cost, kernel_ps in (each for one in spent for each in _kernels(one)):
                clock.launch(cost, kernel_ps)


def _of_a_graph(spent: Sequence[Work]) -> DispatchCost:
    """Return the cost of the one launch of a graph: that of its dearest kernel, without a gap; the host waits if any kernel says so."""
    costs = [service.dispatch for one in spent for service in one.services]
    _, host_ps = max((cost.host_ps + cost.exposed_ps, cost.host_ps) for cost in costs)
    total_ps = max(cost.host_ps + cost.exposed_ps for cost in costs)
    return DispatchCost(host_ps, total_ps - host_ps, any(cost.host_waits for cost in costs))


def _launches(composition: Composition, occurrences: Sequence[Occurrence]) -> Iterator[tuple[RegionPlan, list[Occurrence]]]:
    """Cut the order into launches: a megakernel's covers a maximal run in its region, a conventional one ends with its stage."""
    for region, run in groupby(occurrences, key=lambda one: _region(composition, one.group)):
        members = list(run)
        begins = [0] + [index for index in range(1, len(members)) if _is_cut(composition, region, members[index - 1], members[index])]
        for first, last in zip(begins, [*begins[1:], len(members)], strict=True):
            yield region, members[first:last]


def _is_cut(composition: Composition, region: RegionPlan, before: Occurrence, after: Occurrence) -> bool:
    if _is_launched_each_turn(composition, region):
        return (before.stage, before.turn) != (after.stage, after.turn)
    if before.stage == after.stage:
        return False
    if not region.persistent:
        return True
    stays = region.loops and {*composition.producers} <= {*region.groups}
    return not stays and isinstance(before.stage, int) and isinstance(after.stage, int)


def _is_launched_each_turn(composition: Composition, region: RegionPlan) -> bool:
    """Whether the region is part of a block, or a block that does not loop over its repeats."""
    around = [block for block in composition.repeats if {*region.groups} <= {*block.groups}]
    return any({*region.groups} != {*block.groups} or (region.persistent and not region.entry.repeats) for block in around)


def _region(composition: Composition, group: str) -> RegionPlan:
    (found,) = (region for region in composition.regions if group in region.groups)
    return found


def _kernels(work: Work) -> Iterator[tuple[DispatchCost, int]]:
    """Yield the launch and the time of each kernel: a sum over n kernels is split evenly, the longer ones first."""
    for _ in range(work.calls):
        for service in work.services:
            for index in range(service.launches):
                yield service.dispatch, service.duration_ps // service.launches + (index < service.duration_ps % service.launches)


def _sides(composition: Composition) -> tuple[RegionPlan, RegionPlan]:
    return _region(composition, composition.producers[0]), _region(composition, composition.consumers[0])


def _tasks(composition: Composition, occurrences: Sequence[Occurrence]) -> list[Task]:
    spent = [composition.works[one.group, Phase.SPLIT] for one in occurrences]
    return [_task(composition, service) for one in spent for _ in range(one.calls) for service in one.services]


def _chunk(composition: Composition) -> list[Task]:
    return _tasks(composition, _in_turn(composition, _awaited(composition, composition.consumers), "chunk"))


def _tail(composition: Composition) -> list[Task]:
    left = composition.schedule.horizon_step - composition.schedule.ready_step
    return _tasks(composition, _steps(composition, left, ends=True))


def _task(composition: Composition, service: Service) -> Task:
    assert composition.bandwidth_bytes_per_s == 10**12
    return Fraction(service.duration_ps), min(Fraction(1), Fraction(service.hbm_bytes or 0, service.duration_ps))


def _fixed(composition: Composition, clock: Clock) -> Fraction:
    """Both sides are launched when separate admission has ended; the chunk follows step r in its own pool or launch."""
    maker, taker = _sides(composition)
    schedule = composition.schedule
    _walk(clock, composition, [one for one in _admission(composition) if one.group not in maker.groups])
    admitted = clock.device
    clock.enter(maker.entry.cost)
    producing = clock.device
    inside = _in_turn(composition, [one for one in composition.admission if one in maker.groups], "admission")
    steps = _steps(composition, schedule.ready_step, ends=schedule.ready_step == schedule.horizon_step)
    ready = producing + sum(duration for duration, _ in _tasks(composition, [*inside, *steps]))
    resident = producing
    if maker != taker:
        clock.device = admitted
        clock.enter(taker.entry.cost)
        resident = clock.device
    return max(co_run(ready, _tail(composition), max(ready, resident), _chunk(composition)))


def _dynamic(composition: Composition, clock: Clock) -> Fraction:
    """From step r the producer goes on beside the consumer, each dispatched when the chunk is ready, the producer first."""
    maker, taker = _sides(composition)
    ready = clock.device
    steps = composition.schedule.horizon_step - composition.schedule.ready_step
    chunk = _chunk(composition)
    if not steps:
        clock.enter(taker.entry.cost)
        return clock.device + sum(duration for duration, _ in chunk)
    clock.enter(maker.entry.cost)
    making = clock.device
    taking = Clock(clock.host, ready)
    taking.enter(taker.entry.cost)
    if maker.loops:
        return max(co_run(making, _tail(composition), taking.device, chunk))
    return max(_relaunched(composition, maker, making, taking.host), taking.device + sum(duration for duration, _ in chunk))


def _relaunched(composition: Composition, maker: RegionPlan, making: Fraction, host: Fraction) -> Fraction:
    left = composition.schedule.horizon_step - composition.schedule.ready_step
    every = _steps(composition, left, ends=True)
    steps = [[one for one in every if one.stage == step] for step in range(1, left + 1)]
    spent = [sum((duration for duration, _ in _tasks(composition, step)), Fraction(0)) for step in steps]
    clock = Clock(host, making + spent[0])
    for step_ps in spent[1:]:
        clock.launch(maker.entry.cost, step_ps)
    return clock.device


def _serial_cycle(composition: Composition, cycles: int) -> Fraction:
    """Walk many cycles of steps and chunk; after the transient two more cycles take twice the steady time."""
    steps = composition.schedule.cycle_steps
    cycle = [*_steps(composition, steps, ends=False), *_in_turn(composition, composition.consumers, "chunk")]
    region = _region(composition, composition.producers[0])
    never_leaves = region.persistent and region.loops and {one.group for one in cycle} <= {*region.groups}
    if never_leaves and not _is_launched_each_turn(composition, region):
        return Fraction(sum(composition.works[one.group, Phase.WHOLE].service_ps for one in cycle))
    clock, ends = Clock(), []
    for _ in range(cycles):
        _walk(clock, composition, cycle)
        ends.append(clock.device)
    return (ends[-1] - ends[-3]) / 2
