"""Two streams, written down from the words of the method and run by the literal Algorithm 1; it shares no code with the lowering.

Everything until step r follows one after the other. From then on the steps of the producers are one chain of launches and the chunk is
another; each has the thread of the host that issues it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby

from megasolve.simulate import Composition, DispatchCost, Graphed, KernelGrid, Persistent, Phase, RegionPlan, Service, Work
from megasolve.simulate.events.graph import Admission, EventGraph, HeldLaunch, Node, NodeKind
from tests.support.judges.algorithm1 import simulate_literally
from tests.support.judges.literal_schedule import until_ready

After = tuple[int, ...]


class Chains:
    """Nodes in program order, from step r on; *far_ahead* are the threads of the host that have issued everything long ago.

    While *is_alone*, what is appended has nothing beside it, so that kernels take their own time.
    """

    def __init__(self, composition: Composition) -> None:
        self.composition = composition
        self.nodes: list[Node] = []
        self.before: list[After] = []
        self.launches: list[HeldLaunch] = []
        self.releases: list[int] = []
        self.hosts: dict[bool, After] = {False: (), True: ()}
        self.far_ahead: set[bool] = set()
        self.is_alone = False

    def node(
        self, ps: int, after: Sequence[int], *, demand: Fraction | int = 0, launch: int | None = None, grid: KernelGrid | None = None
    ) -> int:
        """Append a node."""
        self.nodes.append(Node(f"{len(self.nodes)}", NodeKind.TASK, ps, demand, launch, grid=grid))
        self.before.append(tuple(sorted(set(after))))
        return len(self.nodes) - 1

    def is_apart(self, group: str) -> bool:
        """Whether the thread of the consumers issues the launches of a group."""
        return self.composition.second_stream.own_host and group in self.composition.consumers

    def first(self, group: str) -> int:
        """The priority of what belongs to a group: 0 goes first."""
        return int((group in self.composition.consumers) == self.composition.second_stream.producers_first)

    def dispatch(self, cost: DispatchCost, after: After, group: str) -> int:
        """Append what it takes until a launch may begin."""
        apart = self.is_apart(group)
        self.hosts[apart] = (self.node(cost.host_ps, (*self.hosts[apart], *(after if cost.host_waits else ()))),)
        behind = after if apart in self.far_ahead else (*self.hosts[apart], *after)
        return self.node(cost.gap_ps, (self.node(cost.exposed_ps, behind),))

    def occurrence(self, groups: Sequence[str], after: After) -> After:
        """Append *groups* of one role and stage, launch by launch."""
        for (region, _), run in groupby(_turns(self.composition, groups), key=lambda one: _launch(self.composition, *one)):
            members = [group for group, _ in run]
            works = [self.composition.works[group, Phase.STREAM] for group in members]
            if isinstance(region.launching, Persistent):
                after = self.held(region, members[0], works, (self.dispatch(region.launching.cost, after, members[0]),))
            elif isinstance(region.launching, Graphed):
                last = self.dispatch(_dearest(works), after, members[0])
                for service in (service for work in works for _ in range(work.calls) for service in work.services):
                    for ps, moved in _equal(service, is_one_launch=True):
                        kernel = Service(service.label, ps, moved, grid=service.grid)
                        last = self.kernel(members[0], kernel, self.node(service.dispatch.gap_ps, (last,)))
                after = (last,)
            else:
                for service in (service for work in works for _ in range(work.calls) for service in work.services):
                    for ps, moved in _equal(service):
                        kernel = Service(service.label, ps, moved, grid=service.grid)
                        after = (self.kernel(members[0], kernel, self.dispatch(service.dispatch, after, members[0])),)
        return after

    def kernel(self, group: str, kernel: Service, after: int) -> int:
        """Append one kernel, which has a grid where it shares the device."""
        grid = None
        if kernel.grid is not None and kernel.duration_ps and not self.is_alone:
            grid = KernelGrid(kernel.grid.ctas, kernel.grid.per_sm, kernel.grid.resident_ctas, self.first(group))
        return self.node(kernel.duration_ps, (after,), demand=self.demand(kernel), grid=grid)

    def held(self, region: RegionPlan, group: str, works: Sequence[Work], after: After) -> After:
        """Append one persistent launch with all that it runs."""
        launch = self.open(region, group)
        last = self.inside(works, (self.node(0, after, launch=launch),), launch)
        self.close(launch, last)
        return (self.releases[launch],)

    def inside(self, works: Sequence[Work], last: After, launch: int) -> After:
        """Append what a persistent launch runs, call by call."""
        for service in (service for work in works for _ in range(work.calls) for service in work.services):
            last = (self.node(service.duration_ps, last, demand=self.demand(service), launch=launch),)
        return last

    def goes_on(self, groups: Sequence[str], last: After, launch: int, *, is_launched: bool = False) -> tuple[int, After]:
        """Append *groups* of one step inside the launch that stays, which is launched with the first of them."""
        region = region_with(self.composition, groups[0])
        if launch < 0:
            assert isinstance(region.launching, Persistent)
            last = last if is_launched else (self.dispatch(region.launching.cost, last, groups[0]),)
            launch = self.open(region, groups[0])
            last = (self.node(0, last, launch=launch),)
        works = [self.composition.works[group, Phase.STREAM] for group, _ in _turns(self.composition, groups)]
        return launch, self.inside(works, last, launch)

    def open(self, region: RegionPlan, group: str) -> int:
        """Declare a persistent launch."""
        assert isinstance(region.launching, Persistent)
        kind = Admission.COOPERATIVE if region.launching.cooperative else Admission.ORDINARY
        self.launches.append(HeldLaunch(region.name, region.sms or 0, (1,), kind, self.first(group)))
        self.releases.append(-1)
        return len(self.launches) - 1

    def close(self, launch: int, last: After) -> None:
        """End a launch behind its last task."""
        if launch >= 0:
            self.releases[launch] = self.node(0, last, launch=launch)

    def demand(self, service: Service) -> Fraction:
        """Bytes over standalone time, at most the bandwidth."""
        bandwidth = Fraction(self.composition.bandwidth_bytes_per_s)
        ps = service.duration_ps
        return min(Fraction((service.hbm_bytes or 0) * 10**12, ps), bandwidth) if ps else Fraction(0)

    def finishes(self) -> list[Fraction]:
        """Return when each node is done."""
        graph = EventGraph(
            tuple(self.nodes),
            tuple(self.before),
            tuple(self.launches),
            tuple(self.releases),
            self.composition.capacity.total,
            self.composition.bandwidth_bytes_per_s,
        )
        done = simulate_literally(graph)
        assert isinstance(done, list)
        return done


def first_publication(composition: Composition, load_steps: int) -> tuple[Fraction, Fraction]:
    """Return when the first output is published, and when the last of *load_steps* steps behind step h is done."""
    chains, schedule = Chains(composition), composition.schedule
    clock = until_ready(composition)
    chains.hosts[False] = (chains.node(int(clock.host), ()),)
    ready: After = (chains.node(int(clock.device), ()),)
    waits_for = schedule.ready_step + composition.second_stream.waits_for_stream
    made, behind, last, taken, launch = ready, ready, ready, After(), -1
    for number, groups, is_load in _steps_behind(composition, load_steps):
        if _stays(composition):
            launch, last = chains.goes_on(groups, last, launch)
        else:
            last = chains.occurrence(groups, last)
        made = made if is_load else last
        behind = last if schedule.ready_step < number <= waits_for else behind
        # The next step is issued, where there is one, and then the chunk.
        if number > waits_for and not taken:
            taken = _chunk(chains, behind)
    taken = taken or _chunk(chains, behind)
    chains.close(launch, last)
    ends = chains.finishes()
    return max(ends[one] for one in (*made, *taken)), max(ends[one] for one in last)


def cycle(composition: Composition, steps: int) -> tuple[Fraction, Fraction]:
    """Return when the steps of a cycle, and the chunk beside them, are done and issued; threads that never wait are far ahead."""
    chains = Chains(composition)
    chains.far_ahead = {False, True} - {chains.is_apart(group) for region in composition.regions for group in waiting(composition, region)}
    begin: After = (chains.node(0, ()),)
    made, taken, launch = begin, After(), -1
    for _ in range(steps):
        if _stays(composition):
            launch, made = chains.goes_on(composition.producers, made, launch, is_launched=True)
        else:
            made = chains.occurrence(composition.producers, made)
        taken = taken or chains.occurrence(composition.consumers, begin)
    chains.close(launch, made)
    ends = chains.finishes()

    def issued(group: str) -> After:
        apart = chains.is_apart(group)
        return chains.hosts[apart] if apart in chains.far_ahead else ()

    sides = ((made, composition.producers[0]), (taken, composition.consumers[0]))
    first, second = (max(ends[one] for one in (*last, *issued(group))) for last, group in sides)
    return first, second


def _chunk(chains: Chains, behind: After) -> After:
    composition = chains.composition
    return chains.occurrence([one for one in composition.consumers if one not in composition.unawaited], (chains.node(0, behind),))


def _steps_behind(composition: Composition, load_steps: int) -> Iterator[tuple[int, tuple[str, ...], bool]]:
    """Yield number, groups and whether nothing waits for them, of all that follows step r."""
    schedule = composition.schedule
    rest = tuple(one for one in composition.producers if one in composition.unawaited)
    awaited = tuple(one for one in composition.producers if one not in composition.unawaited)
    for number in range(schedule.ready_step + 1, schedule.horizon_step + 1):
        yield number, awaited if number == schedule.horizon_step else composition.producers, False
    if composition.second_stream.waits_for_stream and schedule.ready_step == schedule.horizon_step:
        load_steps = max(load_steps, 1)
    if load_steps and rest:
        yield schedule.horizon_step, rest, True
    ends = schedule.horizon_step + load_steps
    for number in range(schedule.horizon_step + 1, ends + 1 if schedule.length_steps is None else min(ends, schedule.length_steps) + 1):
        yield number, composition.producers, True


def _stays(composition: Composition) -> bool:
    producer = region_with(composition, composition.producers[0])
    blocks = [block for block in composition.repeats if {*producer.groups} <= {*block.groups}]
    if not isinstance(producer.launching, Persistent):
        return False
    leaves = any({*producer.groups} != {*block.groups} or not producer.launching.repeats for block in blocks)
    return producer.launching.loops and {*composition.producers} <= {*producer.groups} and not leaves


def waiting(composition: Composition, region: RegionPlan) -> list[str]:
    """The groups of a region whose launches let the host wait."""
    if isinstance(region.launching, Persistent):
        return list(region.groups) if region.launching.cost.host_waits else []
    works = [work for (group, _), work in composition.works.items() if group in region.groups]
    return list(region.groups) if any(one.dispatch.host_waits for work in works for one in work.services) else []


def _equal(service: Service, *, is_one_launch: bool = False) -> list[tuple[int, int]]:
    """Return the time and the bytes of each kernel: what is left goes to the first ones, bytes only inside one launch."""
    ps, moved = divmod(service.duration_ps, service.launches), divmod(service.hbm_bytes or 0, service.launches)
    return [(ps[0] + (place < ps[1]), moved[0] + (is_one_launch and place < moved[1])) for place in range(service.launches)]


def _dearest(works: Sequence[Work]) -> DispatchCost:
    costs = [service.dispatch for work in works for service in work.services]
    most = max(costs, key=lambda cost: (cost.host_ps + cost.exposed_ps, cost.host_ps))
    return DispatchCost(most.host_ps, most.exposed_ps, any(cost.host_waits for cost in costs))


def _turns(composition: Composition, groups: Sequence[str]) -> list[tuple[str, int]]:
    """Return the groups in order, those of a block once for each repeat."""
    found = []
    for times, members in groupby(groups, key=lambda one: max((b.times for b in composition.repeats if one in b.groups), default=1)):
        block = list(members)
        found += [(group, turn) for turn in range(times) for group in block]
    return found


def _launch(composition: Composition, group: str, turn: int) -> tuple[RegionPlan, int]:
    """Return what consecutive groups of one launch share: their region, and the repeat where each is launched apart."""
    region = region_with(composition, group)
    blocks = [block for block in composition.repeats if {*region.groups} <= {*block.groups}]
    apart = any(
        {*region.groups} != {*block.groups} or (isinstance(region.launching, Persistent) and not region.launching.repeats)
        for block in blocks
    )
    return region, turn if apart else -1


def region_with(composition: Composition, group: str) -> RegionPlan:
    """Return the region that runs a group."""
    (found,) = (region for region in composition.regions if group in region.groups)
    return found
