"""Launch plans: which launches a candidate consists of, in the order in which the host issues them, and what each waits for.

They are the launches that the planner prices (`simulate/predict/issued.py`), with the CTAs, the counters and the streams of a device.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from megasolve.contracts import Contract, GroupRole, Spec, Study
from megasolve.simulate import FREE, Composition, Objective, RegionPlan, SecondStream
from megasolve.simulate.plan.launches import launching_of
from megasolve.simulate.plan.need import Question
from megasolve.simulate.plan.policy import has_own_host
from megasolve.simulate.plan.region_graph import region_graph
from megasolve.simulate.plan.runnable import RegionOfEntries, RunnableCandidate
from megasolve.simulate.plan.sharing import Sharing
from megasolve.simulate.predict.issued import DeviceShare, IssuedLaunch, issued
from megasolve.simulate.predict.outline import outline

from ...errors import GpuError
from ...programs.group_calls import Call, Streams, serial_calls
from ...workloads.named import composing_workload
from .candidates import contracts_of

_ROLES: tuple[GroupRole, ...] = ("admission", "producer", "consumer")

Pool = Literal["all", "x", "y"]
"""What of its streams a launch runs: all, with pools of CTAs for X and Y, or only X or Y, beside a launch that runs the other."""

_SPLIT_LAW = "a split needs all producers in one megakernel region and all consumers in one, and a dynamic split needs two such launches"
_STREAMS_LAW = "on two streams no region has producers and consumers, and X or Y is of a side that is one megakernel region"

MAIN, BESIDE = 0, 1
"""The two streams of launches."""


@dataclass(frozen=True, slots=True)
class PlannedLaunch:
    """One launch of *region*, or for a conventional one the kernels of one occurrence.

    Launches of the pools X and Y of equal *streams* share counters and wait for each other. *after* are the numbers of the launches
    that must have ended before; *lane* is the stream, whose launches follow each other anyway. A conventional launch has no *ctas*. The
    publication does not wait for one that *is_load*.
    """

    region: RegionOfEntries
    streams: Streams
    ctas: int
    pool: Pool = "all"
    x_ctas: int = 0
    lane: int = MAIN
    after: tuple[int, ...] = ()
    is_load: bool = False

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls that the launch runs."""
        return {"all": self.streams.calls, "x": self.streams.x, "y": self.streams.y}[self.pool]

    def __str__(self) -> str:
        size = f" on {self.ctas} CTAs" if self.ctas else ""
        calls = str(self.calls[0]) if len(self.calls) == 1 else f"{self.calls[0]} to {self.calls[-1]}"
        return f"{self.region} ({calls}){size}"


def launch_plan(study: Study, candidate: RunnableCandidate) -> tuple[PlannedLaunch, ...]:
    """Return the launches of *candidate* up to the first publication.

    Raises
    ------
    GpuError
        The candidate has no such launches: an entry without a contract, a budget that an entry does not have, a split without sides.
    """
    planner = _Planner(study, candidate)
    for launch in issued(_composition(study.spec.value, candidate, planner.contracts)):
        planner.add(launch)
    # Two launches of a fixed split wait for each other step by step, on the device; a dynamic consumer starts with all that it needs.
    is_pair = candidate.sharing is Sharing.FIXED and planner.launches[-1].lane == BESIDE
    return _sharing_counters(planner.launches) if is_pair else tuple(planner.launches)


def run_calls(study: Study, candidate: RunnableCandidate) -> tuple[Call, ...]:
    """Return the calls of a run of *candidate*, in an order in which each follows what it waits for.

    All candidates have those up to the first publication; one on two streams has what its producers go on with behind it.

    Raises
    ------
    GpuError
        The candidate has no launches.
    """
    calls = serial_calls(study.spec.value)
    load = (call for planned in launch_plan(study, candidate) if planned.is_load for call in planned.calls)
    return tuple(dict.fromkeys((*calls, *load)))


def _composition(spec: Spec, candidate: RunnableCandidate, contracts: Mapping[str, tuple[Contract, ...]]) -> Composition:
    """Return the candidate as the planner lowers it; no launch costs anything here."""
    if because := _unrunnable(spec, candidate):
        raise GpuError(f"{candidate.id}: {because}")
    regions = [RegionPlan(str(one), one.groups, launching_of(contracts[str(one)][0], FREE)) for one in candidate.regions]
    question = Question(spec, spec.batches[0], Objective.FIRST_PUBLICATION)
    planned = outline(question, region_graph(spec), regions, candidate.sharing)
    return replace(planned, second_stream=SecondStream(candidate.candidate.policy.waits_for_stream))


def _unrunnable(spec: Spec, candidate: RunnableCandidate) -> str | None:
    """Return why there are no launches of *candidate*; None if there are."""
    policy = candidate.candidate.policy
    missing = [group.name for group in spec.groups if not any(group.name in region.groups for region in candidate.regions)]
    if missing:
        return f"no region runs group '{missing[0]}'"
    if spec.repeats:
        return f"spec '{spec.name}' repeats groups inside a step, which runs of whole candidates cannot do yet"
    if policy.is_streams and has_own_host(spec):
        return f"runs of whole candidates have one thread of the host, and spec '{spec.name}' gives the consumers one of their own (hosts)"
    if policy.is_partition or policy.is_inside:
        what = "partition the SMs of a device" if policy.is_partition else "fork a step into two streams"
        return f"runs of whole candidates cannot {what} yet"
    if policy.applies_to(candidate.candidate.cover, spec):
        return None
    return _STREAMS_LAW if policy.is_streams else _SPLIT_LAW


class _Planner:
    """A plan in the making: launches as they are issued, with CTAs, pools and what each waits for."""

    def __init__(self, study: Study, candidate: RunnableCandidate) -> None:
        self.candidate = candidate
        self.contracts = {str(region): contracts_of(study, region) for region in candidate.regions}
        composing_workload(study, tuple(chain.from_iterable(self.contracts.values())))
        self.launches: list[PlannedLaunch] = []
        self._roles = {group.name: group.role for group in study.spec.value.groups}
        self._regions = {str(region): region for region in candidate.regions}
        self._runs: Counter[str] = Counter()
        self._ready: tuple[int, ...] = ()

    def add(self, launch: IssuedLaunch) -> None:
        """Append the launch that is issued next."""
        region, calls, last = self._regions[launch.region.name], self._calls(launch.groups), self._last(MAIN)
        if launch.share is DeviceShare.WHOLE:
            self.launches.append(PlannedLaunch(region, Streams(calls), self._ctas(region, 0), after=last))
            # What was issued last before the sides part is what the consumer waits for.
            self._ready = self._last(MAIN)
            return
        x, y = self.candidate.producer_ctas, self.candidate.consumer_ctas
        if launch.share is DeviceShare.BOTH:
            # In the order of the roles: admissions are common to all CTAs, producers are X, and consumers are Y.
            streams = Streams(*(tuple(call for call in calls if self._roles[call.group] == role) for role in _ROLES))
            self.launches.append(PlannedLaunch(region, streams, self._budget(region, x + y), x_ctas=x, after=last))
        elif launch.share is DeviceShare.PRODUCER:
            self.launches.append(PlannedLaunch(region, Streams(calls), self._ctas(region, x), after=last, is_load=launch.is_load))
            self._ready = self._last(MAIN) if launch.readies else self._ready
        else:
            # On two streams a side may be several launches, of which the first waits for the other side.
            after = self._last(BESIDE) or self._ready
            self.launches.append(PlannedLaunch(region, Streams(calls), self._ctas(region, y), lane=BESIDE, after=after))

    def _ctas(self, region: RegionOfEntries, ctas: int) -> int:
        """Return the CTAs of a launch: none of a conventional one, the largest budget where the policy says nothing."""
        return self._budget(region, ctas or None) if region.is_persistent else 0

    def _calls(self, groups: Sequence[str]) -> tuple[Call, ...]:
        """Return the next call of each of *groups*, in order."""
        calls = []
        for group in groups:
            self._runs[group] += 1
            calls.append(Call(group, self._runs[group]))
        return tuple(calls)

    def _last(self, lane: int) -> tuple[int, ...]:
        """Return the number of the last launch on *lane*, if there is one."""
        return tuple(number for number, launch in enumerate(self.launches) if launch.lane == lane)[-1:]

    def _budget(self, region: RegionOfEntries, ctas: int | None) -> int:
        """Return *ctas*, which must be a budget of the entry, or its largest one; it is never made smaller."""
        contract = self.contracts[str(region)][0]
        if ctas is None:
            # Contracts hold their budgets from the largest down.
            return contract.budgets[0]
        if ctas not in contract.budgets:
            budgets = ", ".join(map(str, contract.budgets))
            raise GpuError(f"{self.candidate.id}: {ctas} CTAs is no budget of entry '{contract.entry}'; it runs with {budgets}")
        return ctas


def _sharing_counters(launches: Sequence[PlannedLaunch]) -> tuple[PlannedLaunch, ...]:
    """Return *launches* with the two sides of a fixed split as pools of the same streams: they wait for each other on the device."""
    # The two sides are issued last, producer before consumer, as the planner dispatches them.
    *before, makes, takes = launches
    streams = Streams((), makes.calls, takes.calls)
    return (*before, replace(makes, streams=streams, pool="x"), replace(takes, streams=streams, pool="y"))


def sides(plan: Sequence[PlannedLaunch]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the numbers of the launches that run beside each other, those of each stream; two empty ones where none do."""
    beside = tuple(number for number, planned in enumerate(plan) if planned.lane == BESIDE)
    # What the consumer waits for is over before it begins, so that is not beside it.
    waited_for = max((number for one in beside for number in plan[one].after if plan[number].lane == MAIN), default=-1)
    main = tuple(number for number, planned in enumerate(plan) if planned.lane == MAIN and number > waited_for)
    return (main, beside) if main and beside else ((), ())
