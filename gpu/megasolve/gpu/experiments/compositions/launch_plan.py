"""Launch plans: which launches a candidate consists of, in the order in which the host issues them, and what each waits for.

They are the launches of the event graph that predicts the candidate: a megakernel covers a maximal run of consecutive calls of its
region, a conventional region is launched for each admission, step and chunk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from megasolve.contracts import Contract, Spec, Study
from megasolve.simulate.plan.runnable import RegionOfEntries, RunnableCandidate
from megasolve.simulate.plan.sharing import Sharing

from ...errors import GpuError
from ...programs.group_calls import Call, Streams, serial_calls
from .candidates import contracts_of

Pool = Literal["all", "x", "y"]
"""What of its streams a launch runs: all, with pools of CTAs for X and Y, or only X or Y, beside a launch that runs the other."""

MAIN, BESIDE = 0, 1
"""The two streams of launches."""


@dataclass(frozen=True, slots=True)
class PlannedLaunch:
    """One launch of *region*, or for a conventional one the kernels of one occurrence.

    Launches of the pools X and Y of equal *streams* share counters and wait for each other. *after* are the numbers of the launches
    that must have ended before; *lane* is the stream, whose launches follow each other anyway. A conventional launch has no *ctas*.
    """

    region: RegionOfEntries
    streams: Streams
    ctas: int
    pool: Pool = "all"
    x_ctas: int = 0
    lane: int = MAIN
    after: tuple[int, ...] = ()

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
    makers = {Sharing.SERIAL: _serial, Sharing.FIXED: _fixed, Sharing.DYNAMIC: _dynamic}
    makers[candidate.sharing](planner)
    return tuple(planner.launches)


class _Planner:
    """A plan in the making."""

    def __init__(self, study: Study, candidate: RunnableCandidate) -> None:
        self.spec: Spec = study.spec.value
        self.candidate = candidate
        self.contracts: Mapping[RegionOfEntries, tuple[Contract, ...]] = {
            region: contracts_of(study, region) for region in candidate.regions
        }
        self.roles = {group.name: group.role for group in self.spec.groups}
        self.launches: list[PlannedLaunch] = []

    def region_of(self, group: str) -> RegionOfEntries:
        """Return the region that runs *group*, which must be one."""
        found = [region for region in self.candidate.regions if group in region.groups]
        if not found:
            raise GpuError(f"{self.candidate.id}: no region runs group '{group}'")
        return found[0]

    def calls(self, wanted: Callable[[Call], bool] = lambda _: True) -> tuple[Call, ...]:
        """Return the calls up to the first publication that are *wanted*, in serial order."""
        return tuple(call for call in serial_calls(self.spec) if wanted(call))

    def is_role(self, role: str) -> Callable[[Call], bool]:
        """Return whether a call is of a group with *role*."""
        return lambda call: self.roles[call.group] == role

    def serial(self, calls: Sequence[Call], ctas: int | None = None) -> None:
        """Append launches that run *calls* one after the other, on *ctas* CTAs or on the largest budget of each entry."""
        for run in self.runs(calls):
            self.one(run, ctas)

    def one(self, run: Sequence[Call], ctas: int | None = None) -> None:
        """Append the launch of one run of calls behind the last one."""
        region = self.region_of(run[0].group)
        budget = self.budget(region, ctas) if region.is_persistent else 0
        self.add(PlannedLaunch(region, Streams(tuple(run)), budget, after=self.last(MAIN)))

    def last(self, lane: int) -> tuple[int, ...]:
        """Return the number of the last launch on *lane*, if there is one."""
        return tuple(number for number, launch in enumerate(self.launches) if launch.lane == lane)[-1:]

    def add(self, launch: PlannedLaunch) -> None:
        """Append a launch."""
        self.launches.append(launch)

    def budget(self, region: RegionOfEntries, ctas: int | None) -> int:
        """Return *ctas*, which must be a budget of the entry, or its largest one; it is never made smaller."""
        contract = self.contracts[region][0]
        if ctas is None:
            return contract.budgets[0]
        if ctas not in contract.budgets:
            budgets = ", ".join(map(str, contract.budgets))
            raise GpuError(f"{self.candidate.id}: {ctas} CTAs is no budget of entry '{contract.entry}'; it runs with {budgets}")
        return ctas

    def sides(self) -> tuple[RegionOfEntries, RegionOfEntries]:
        """Return the region of the producers and that of the consumers, each one megakernel."""
        found = []
        for role in ("producer", "consumer"):
            regions = dict.fromkeys(self.region_of(group.name) for group in self.spec.groups if group.role == role)
            if len(regions) != 1 or not next(iter(regions)).is_persistent:
                raise GpuError(f"{self.candidate.id}: a split needs all {role}s in one megakernel region")
            found.append(next(iter(regions)))
        return found[0], found[1]

    def runs(self, calls: Sequence[Call]) -> list[list[Call]]:
        """Return *calls* cut into what one launch covers each."""
        runs: list[list[Call]] = []
        for call in calls:
            if runs and self._may_join(runs[-1][-1], call):
                runs[-1].append(call)
            else:
                runs.append([call])
        return runs

    def _may_join(self, earlier: Call, later: Call) -> bool:
        """Whether the launch of *earlier* covers *later*, too."""
        region = self.region_of(earlier.group)
        if region != self.region_of(later.group):
            return False
        same_role = self.roles[earlier.group] == self.roles[later.group]
        is_one_occurrence = same_role and earlier.number == later.number
        if not region.is_persistent:
            return is_one_occurrence
        return is_one_occurrence or not same_role or self.contracts[region][0].loops_over_steps is not False


def _serial(planner: _Planner) -> None:
    planner.serial(planner.calls())


def _fixed(planner: _Planner) -> None:
    """Both sides are resident from the start of production; a separate admission ends before."""
    candidate = planner.candidate
    producer, consumer = planner.sides()
    admission = planner.calls(planner.is_role("admission"))
    inside = tuple(call for call in admission if call.group in producer.groups)
    planner.serial([call for call in admission if call not in inside])
    makes, takes = planner.calls(planner.is_role("producer")), planner.calls(planner.is_role("consumer"))
    x, y, after = candidate.producer_ctas, candidate.consumer_ctas, planner.last(MAIN)
    if producer == consumer:
        both = planner.budget(producer, x + y)
        planner.add(PlannedLaunch(producer, Streams(inside, makes, takes), both, x_ctas=x, after=after))
        return
    streams = Streams((), (*inside, *makes), takes)
    planner.add(PlannedLaunch(producer, streams, planner.budget(producer, x), pool="x", after=after))
    planner.add(PlannedLaunch(consumer, streams, planner.budget(consumer, y), pool="y", lane=BESIDE, after=after))


def _dynamic(planner: _Planner) -> None:
    """The producers have the whole device until step r, then X CTAs beside the first chunk on Y."""
    candidate, stream = planner.candidate, planner.spec.stream
    producer, consumer = planner.sides()
    if producer == consumer or stream is None:
        raise GpuError(f"{candidate.id}: a dynamic split needs producers and consumers in separate launches, and a stream schedule")
    is_producer = planner.is_role("producer")
    tail = planner.calls(lambda call: is_producer(call) and call.number > stream.ready_step)
    chunk = planner.calls(planner.is_role("consumer"))
    planner.serial([call for call in planner.calls() if call not in tail and call not in chunk])
    ready = planner.last(MAIN)
    takes = PlannedLaunch(consumer, Streams(chunk), planner.budget(consumer, candidate.consumer_ctas), lane=BESIDE, after=ready)
    first, *rest = planner.runs(tail) or [[]]
    planner.serial(first, candidate.producer_ctas)
    # A producer that is launched again for each step does not keep the consumer waiting for its further launches.
    planner.add(takes)
    for run in rest:
        planner.one(run, candidate.producer_ctas)


def sides(plan: Sequence[PlannedLaunch]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the numbers of the launches that run beside each other, those of each stream; two empty ones where none do."""
    beside = tuple(number for number, planned in enumerate(plan) if planned.lane == BESIDE)
    waited_for = max((number for one in beside for number in plan[one].after), default=-1)
    main = tuple(number for number, planned in enumerate(plan) if planned.lane == MAIN and number > waited_for)
    return (main, beside) if main and beside else ((), ())
