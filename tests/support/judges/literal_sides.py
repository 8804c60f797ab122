"""Two sides on partitions, worked out from the words of the method: every launch is written down with what it waits for, and then the
plainest of simulations lets whatever may run share the bandwidth. It shares no code with the lowering or the engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby

from megasolve.simulate import Composition, DispatchCost, Graphed, Phase, RegionPlan, Service, Work

Task = tuple[Fraction, Fraction]  # standalone time in ps, demand in bytes per ps


@dataclass
class Plan:
    """Tasks in program order, each with the numbers of those that it waits for; *host* is the last host part."""

    tasks: list[tuple[Task, tuple[int, ...]]] = field(default_factory=list)
    host: tuple[int, ...] = ()

    def then(self, after: Sequence[int], ps: Fraction | int, demand: Fraction | int = 0) -> int:
        """Write down a task and return its number."""
        self.tasks.append(((Fraction(ps), Fraction(demand)), tuple(after)))
        return len(self.tasks) - 1

    def launch(self, cost: DispatchCost, after: tuple[int, ...]) -> int:
        """Write down what it takes until a launch behind *after* may begin."""
        self.host = (self.then((*self.host, *after) if cost.host_waits else self.host, cost.host_ps),)
        return self.then((self.then((*self.host, *after), cost.exposed_ps),), cost.gap_ps)

    def finishes(self) -> list[Fraction]:
        """Return when each task is done: what may run, runs; all that move memory share it alike."""
        left, done, now = [task[0] for task, _ in self.tasks], dict[int, Fraction](), Fraction(0)
        while len(done) < len(left):
            running = [place for place, (_, after) in enumerate(self.tasks) if place not in done and all(one in done for one in after)]
            demand = sum((self.tasks[place][0][1] for place in running if left[place]), Fraction(0))
            rates = {place: min(Fraction(1), 1 / demand) if self.tasks[place][0][1] else Fraction(1) for place in running}
            span = min(left[place] / rates[place] for place in running)
            now += span
            for place in running:
                left[place] -= rates[place] * span
                if not left[place]:
                    done[place] = now
        return [done[place] for place in range(len(left))]


def first_publication(composition: Composition, load_steps: int) -> tuple[Fraction, Fraction]:
    """Return when the first output is published, and when the *load_steps* steps behind step h, or fewer, are done."""
    schedule, plan = composition.schedule, Plan()
    producer = _region(composition, composition.producers[0])
    rides = [one for one in composition.admission if producer.persistent and one in producer.groups]
    last = _occurrence(plan, composition, [one for one in composition.admission if one not in rides], Phase.WHOLE, ())
    stays = producer.persistent and _stays(composition, producer)
    awaited = [one for one in composition.producers if one not in composition.unawaited]
    rest = [one for one in composition.producers if one in composition.unawaited]
    steps = [composition.producers] * (schedule.horizon_step - 1) + [tuple(awaited)]
    length = load_steps if schedule.length_steps is None else min(load_steps, max(0, schedule.length_steps - schedule.horizon_step))
    steps += [tuple(rest)] + [composition.producers] * length
    if stays:
        last = (plan.launch(producer.entry.cost, last),)
        last = _staying(plan, composition, rides, last)
    made: dict[int, tuple[int, ...]] = {}
    taken: tuple[int, ...] = ()
    for number, groups in enumerate(steps, start=1):
        # Admission in the launch of the first step is part of that launch.
        whole = (*rides, *groups) if number == 1 and not stays else groups
        last = _staying(plan, composition, groups, last) if stays else _occurrence(plan, composition, whole, Phase.PARTITION, last)
        made[number] = last
        # The next step is issued, however little of it gates the publication, and then the chunk.
        if not taken and number > schedule.ready_step and (groups or number <= schedule.horizon_step):
            taken = _chunk(plan, composition, made[schedule.ready_step])
    taken = taken or _chunk(plan, composition, made[schedule.ready_step])
    ends = plan.finishes()
    gates = (*made[schedule.horizon_step], *taken)
    return max(ends[one] for one in gates), max((ends[one] for one in last), default=Fraction(0))


def _chunk(plan: Plan, composition: Composition, ready: tuple[int, ...]) -> tuple[int, ...]:
    consumers = [one for one in composition.consumers if one not in composition.unawaited]
    return _occurrence(plan, composition, consumers, Phase.PARTITION, (plan.then(ready, 0),))


def cycle(composition: Composition, steps: int) -> tuple[Fraction, Fraction]:
    """Return when the steps of a cycle, and the chunk beside them, are done."""
    plan = Plan()
    begin: tuple[int, ...] = (plan.then((), 0),)
    made = begin
    producer = _region(composition, composition.producers[0])
    stays = producer.persistent and _stays(composition, producer)
    taken: tuple[int, ...] = ()
    for _ in range(steps):
        groups = composition.producers
        made = _staying(plan, composition, groups, made) if stays else _occurrence(plan, composition, groups, Phase.PARTITION, made)
        taken = taken or _occurrence(plan, composition, composition.consumers, Phase.PARTITION, begin)
    ends = plan.finishes()
    return ends[made[0]], ends[taken[0]]


def _stays(composition: Composition, producer: RegionPlan) -> bool:
    blocks = [block for block in composition.repeats if {*producer.groups} <= {*block.groups}]
    leaves = any({*producer.groups} != {*block.groups} or not producer.entry.repeats for block in blocks)
    return producer.loops and {*composition.producers} <= {*producer.groups} and not leaves


def _turns(composition: Composition, groups: Sequence[str]) -> list[tuple[str, int]]:
    """Return the groups in order, those of a block once for each repeat."""
    found = []
    for times, members in groupby(groups, key=lambda one: max((b.times for b in composition.repeats if one in b.groups), default=1)):
        block = list(members)
        found += [(group, turn) for turn in range(times) for group in block]
    return found


def _occurrence(plan: Plan, composition: Composition, groups: Sequence[str], phase: Phase, after: tuple[int, ...]) -> tuple[int, ...]:
    """Write down *groups* of one role and stage, launch by launch."""
    for (region, _), run in groupby(_turns(composition, groups), key=lambda one: _launch(composition, *one)):
        members = [group for group, _ in run]
        works = [composition.works[group, phase] for group in members]
        if region.persistent:
            after = _inside(plan, works, (plan.launch(region.entry.cost, after),))
        elif isinstance(region.launching, Graphed):
            after = (plan.launch(_dearest(works), after),)
            for service in _services(works):
                begun = plan.then(after, service.launches * service.dispatch.gap_ps)
                after = (plan.then((begun,), service.duration_ps, _demand(service.hbm_bytes, service.duration_ps)),)
        else:
            for service in _services(works):
                for index in range(service.launches):
                    ps = service.duration_ps // service.launches + (index < service.duration_ps % service.launches)
                    begun = plan.launch(service.dispatch, after)
                    after = (plan.then((begun,), ps, _demand((service.hbm_bytes or 0) // service.launches, ps)),)
    return after


def _services(works: Sequence[Work]) -> list[Service]:
    return [service for work in works for _ in range(work.calls) for service in work.services]


def _launch(composition: Composition, group: str, turn: int) -> tuple[RegionPlan, int]:
    """Return what consecutive groups of one launch share: their region, and the repeat where each is launched apart."""
    region = _region(composition, group)
    blocks = [block for block in composition.repeats if {*region.groups} <= {*block.groups}]
    apart = any({*region.groups} != {*block.groups} or (region.persistent and not region.entry.repeats) for block in blocks)
    return region, turn if apart else -1


def _inside(plan: Plan, works: Sequence[Work], after: tuple[int, ...]) -> tuple[int, ...]:
    """Write down what one persistent launch runs, call by call."""
    for service in _services(works):
        after = (plan.then(after, service.duration_ps, _demand(service.hbm_bytes, service.duration_ps)),)
    return after


def _staying(plan: Plan, composition: Composition, groups: Sequence[str], after: tuple[int, ...]) -> tuple[int, ...]:
    """Write down *groups* of one stage inside the launch that stays."""
    return _inside(plan, [composition.works[group, Phase.PARTITION] for group, _ in _turns(composition, groups)], after)


def _dearest(works: Sequence[Work]) -> DispatchCost:
    costs = [service.dispatch for work in works for service in work.services]
    most = max(costs, key=lambda cost: (cost.host_ps + cost.exposed_ps, cost.host_ps))
    return DispatchCost(most.host_ps, most.exposed_ps, any(cost.host_waits for cost in costs))


def _demand(hbm_bytes: int | None, ps: int) -> Fraction:
    return min(Fraction(1), Fraction(hbm_bytes or 0, ps)) if ps else Fraction(0)


def _region(composition: Composition, group: str) -> RegionPlan:
    (found,) = (region for region in composition.regions if group in region.groups)
    return found
