"""Prepared launches: what the host puts on a stream for each launch of a plan, made before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from megasolve.contracts import Contract
from megasolve.simulate import FREE, Graphed, Service, Work
from megasolve.simulate.plan.launches import launching_of
from megasolve.simulate.plan.works import Section

from ...driver import DriverLaunch, Event, Graph
from ...errors import GpuError
from ...harness.launching.bench import Bench
from ...harness.launching.qualification import listed
from ...harness.launching.stated import DeviceCalls, StatedLaunches
from ...harness.protocol import Queued
from ...harness.waiting import StopWords
from ...programs.group_calls import Call
from ...workloads.calls import AskedCall, LaunchSet, LaunchSide, StatedCall
from .candidates import contracts_of
from .launch_plan import PlannedLaunch


class NotSound(GpuError):
    """A composition that must not be launched; the message names the first faults."""


@dataclass(frozen=True, slots=True)
class StatedOnDevice:
    """A call as it is *stated*, and its launches *on_device*."""

    stated: StatedCall
    on_device: DeviceCalls

    @property
    def miscounted(self) -> str | None:
        """What is wrong with what the last run counted, if anything is."""
        return self.stated.miscounted(self.on_device.scratch())


@dataclass(frozen=True, slots=True)
class PreparedLaunch:
    """One launch of the plan. Its *works* follow each other on its stream; *host_waits* says of each whether the host waits before it.

    *traced* are the same with a trace, which lies in the first of *calls*, and the launch is number *side* there. *words* say why it gave
    up, *ended* marks its end, and *ctas_per_sm* is how many CTAs of a persistent launch one SM holds.
    """

    planned: PlannedLaunch
    calls: tuple[StatedOnDevice, ...]
    works: tuple[Queued, ...]
    traced: tuple[Queued, ...]
    host_waits: tuple[bool, ...]
    ended: Event
    words: StopWords
    side: int = 0
    ctas_per_sm: int | None = None

    @property
    def complaint(self) -> str | None:
        """Why the launch gave up since its words were cleared, in one line; None if it did not."""
        words = self.words.diagnosis_words()
        found = next(filter(None, (call.stated.complaint(words) for call in self.calls)), None)
        return found and f"{self.planned} {found}"

    @property
    def span_ns(self) -> tuple[int, int] | None:
        """When its last traced run began and ended; None where its kernels write no trace."""
        (call,) = self.calls
        return call.stated.span_ns(call.on_device.trace(), self.side)


def prepared_conventional(bench: Bench, planned: PlannedLaunch) -> PreparedLaunch:
    """Return the kernels of one occurrence: in one graph, if that is how their contracts launch them, else each by itself.

    Raises
    ------
    GpuError
        They are not what their contracts say, or must not be launched.
    """
    session, contracts, words = bench.session, contracts_of(bench.session.study, planned.region), bench.session.new_words()
    calls = tuple(conventional_call(bench, call, contracts, words) for call in planned.calls)
    launches = tuple(chain.from_iterable(call.on_device.launches for call in calls))
    by_entry = {contract.entry: contract for contract in contracts}
    kernels = [by_entry[launch.entry] for call in calls for launch in call.stated.launches]
    works: tuple[Queued, ...] = (Graph(session.stream, launches),) if _is_graph(contracts) else launches
    return PreparedLaunch(planned, calls, works, works, host_waits(kernels), session.event(), words)


def conventional_call(bench: Bench, call: Call, contracts: Sequence[Contract], words: StopWords, count: int = 1) -> StatedOnDevice:
    """Return *call* *count* times by those of *contracts* that run its group.

    Raises
    ------
    GpuError
        They are not what they say, or must not be launched.
    """
    session, own = bench.session, [contract for contract in contracts if call.group in contract.members]
    sms = session.study.device.value.usable_sms
    stated = bench.workload.launches(AskedCall(session.study, call.group, session.batch, call.number), own, sms)
    _refuse(f"the kernels of {call}", stated.faults(sms))
    made = StatedLaunches(session, bench.kernels_of(own), stated.launches, [bench.arrays.memories])
    return StatedOnDevice(stated, made.calls(count, words=(words,) * len(stated.launches)))


def host_waits(kernels: Sequence[Contract]) -> tuple[bool, ...]:
    """Return whether the host waits before each work of an occurrence, which runs *kernels* in order: each launch is one work."""
    dispatches = (replace(FREE, host_waits=contract.dispatch.host_waits) for contract in kernels)
    services = tuple(Service(contract.entry, 1, None, dispatch=cost) for contract, cost in zip(kernels, dispatches, strict=True))
    # The planner's own series of launches says it, so that what runs is what is priced.
    launches = launching_of(kernels[0], FREE).launches((Section((Work("", 1, services),)),))
    return tuple(launch.cost.host_waits for series in launches for launch in series.each())


def _is_graph(contracts: Sequence[Contract]) -> bool:
    return isinstance(launching_of(contracts[0], FREE), Graphed)


def prepared_persistent(bench: Bench, together: Sequence[PlannedLaunch], *, cooperative: bool) -> tuple[PreparedLaunch, ...]:
    """Return a persistent launch of a plan, or two that wait for each other.

    Parameters
    ----------
    cooperative
        False makes ordinary launches of what contracts launch cooperatively.

    Raises
    ------
    GpuError
        A kernel is not what its contract says, or the device does not hold its CTAs.
    """
    session, contracts = bench.session, [entry_contract(bench, planned) for planned in together]
    sides = tuple(LaunchSide(one, planned.ctas, planned.calls) for one, planned in zip(contracts, together, strict=True))
    stated = bench.workload.composed(LaunchSet(session.study, session.batch, together[0].streams, sides, together[0].x_ctas))
    words = [session.new_words() for _ in together]
    made = StatedLaunches(session, bench.kernels_of(contracts), stated.launches, [bench.arrays.memories])
    call = StatedOnDevice(stated, made.calls(1, words=words, cooperative=cooperative))
    # Writing a trace takes time, so what is timed writes none.
    timed, traced = call.on_device.launches, call.on_device.traced
    return tuple(
        PreparedLaunch(
            planned,
            (call,),
            works=(_as_dispatched(bench, contracts[side], timed[side]),),
            traced=(_as_dispatched(bench, contracts[side], traced[side]),),
            host_waits=(contracts[side].dispatch.host_waits,),
            ended=session.event(),
            words=words[side],
            side=side,
            ctas_per_sm=timed[side].ctas_per_sm,
        )
        for side, planned in enumerate(together)
    )


def entry_contract(bench: Bench, planned: PlannedLaunch) -> Contract:
    """Return the contract of a persistent launch, which is one entry."""
    (contract,) = contracts_of(bench.session.study, planned.region)
    return contract


def require_sound(prepared: Iterable[PreparedLaunch], sms: int) -> None:
    """Refuse persistent launches that must not run; those that wait for each other are judged together.

    Raises
    ------
    NotSound
        Something of one does not hold.
    """
    judged: dict[int, list[PreparedLaunch]] = {}
    for launch in prepared:
        if launch.ctas_per_sm is not None:
            judged.setdefault(id(launch.calls[0]), []).append(launch)
    for together in judged.values():
        resident = min(launch.ctas_per_sm or 0 for launch in together) * sms
        _refuse(" beside ".join(str(launch.planned) for launch in together), together[0].calls[0].stated.faults(resident))


def _refuse(what: str, faults: Sequence[str]) -> None:
    if faults:
        raise NotSound(f"{what} must not be launched: {listed(list(faults))}")


def _as_dispatched(bench: Bench, contract: Contract, launch: DriverLaunch) -> Queued:
    """Return *launch* as its contract dispatches it: what is priced as a graph is launched as one."""
    return Graph(bench.session.stream, [launch]) if contract.dispatch.kind == "graph" else launch
