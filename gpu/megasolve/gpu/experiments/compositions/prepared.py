"""Prepared launches: what the host puts on a stream for each launch of a plan, made before anything runs."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from megasolve.contracts import Contract
from megasolve.simulate import FREE, Graphed, Service, Work
from megasolve.simulate.plan.launches import launching_of
from megasolve.simulate.plan.works import Section

from ...driver import Argument, DriverLaunch, Event, Graph, Memory
from ...harness.launching.bench import Bench
from ...harness.launching.kernel_launches import call_launches
from ...harness.launching.persistent import DeviceProgram
from ...harness.protocol import Queued
from ...harness.waiting import StopWords
from ...programs.instructions import InstructionProgram
from ...workloads.streamlet.conventional import launches_of
from ...workloads.streamlet.verify_launches import launch_faults
from .candidates import contracts_of
from .counter_words import CounterWords
from .launch_plan import PlannedLaunch
from .programs import NotSound


@dataclass(frozen=True, slots=True)
class LoadedProgram:
    """A program on the device, and where a traced launch of it writes its times."""

    device: DeviceProgram
    trace: Memory


@dataclass(frozen=True, slots=True)
class PreparedLaunch:
    """One launch of the plan. Its *works* follow each other on its stream; *host_waits* says of each whether the host waits before it.

    *traced* are the same with a trace. *words* say why a persistent launch gave up, *ended* marks its end, and *ctas_per_sm* is how many of
    its CTAs one SM holds.
    """

    planned: PlannedLaunch
    works: tuple[Queued, ...]
    traced: tuple[Queued, ...]
    host_waits: tuple[bool, ...]
    ended: Event
    program: InstructionProgram | None = None
    words: StopWords | None = None
    ctas_per_sm: int | None = None

    @property
    def complaint(self) -> str | None:
        """Why the launch gave up since its words were cleared, in one line; None if it did not."""
        if self.words is None or self.program is None:
            return None
        found = self.words.complaint(self.program)
        return found and f"{self.planned} {found}"


def prepared_conventional(bench: Bench, planned: PlannedLaunch) -> PreparedLaunch:
    """Return the kernels of one occurrence: in one graph, if that is how their contracts launch them, else each by itself.

    Raises
    ------
    GpuError
        They are not what their contracts say, or their tiles race or lie outside of the arenas.
    """
    session, contracts = bench.session, contracts_of(bench.session.study, planned.region)
    kernels = tuple(_kernels(bench, planned, contracts))
    works: tuple[Queued, ...] = tuple(kernel.launch for kernel in kernels)
    if _is_graph(contracts):
        works = (Graph(session.stream, [kernel.launch for kernel in kernels]),)
    return PreparedLaunch(planned, works, works, host_waits([kernel.contract for kernel in kernels]), session.event())


def host_waits(kernels: Sequence[Contract]) -> tuple[bool, ...]:
    """Return whether the host waits before each work of an occurrence, which runs *kernels* in order: each launch is one work."""
    dispatches = (replace(FREE, host_waits=contract.dispatch.host_waits) for contract in kernels)
    services = tuple(Service(contract.entry, 1, None, dispatch=cost) for contract, cost in zip(kernels, dispatches, strict=True))
    # The planner's own series of launches says it, so that what runs is what is priced.
    launches = launching_of(kernels[0], FREE).launches((Section((Work("", 1, services),)),))
    return tuple(launch.cost.host_waits for series in launches for launch in series.each())


def _is_graph(contracts: Sequence[Contract]) -> bool:
    return isinstance(launching_of(contracts[0], FREE), Graphed)


@dataclass(frozen=True, slots=True)
class _Kernel:
    """One conventional launch and the contract that it is counted under."""

    launch: DriverLaunch
    contract: Contract


def prepared_persistent(
    bench: Bench, planned: PlannedLaunch, number: int, loaded: LoadedProgram, counters: CounterWords, *, cooperative: bool
) -> PreparedLaunch:
    """Return launch *number* of a plan.

    Parameters
    ----------
    cooperative
        False makes an ordinary launch of what its contract launches cooperatively.

    Raises
    ------
    GpuError
        The kernel is not what its contract says, or the device does not hold its CTAs.
    """
    session, (contract,) = bench.session, contracts_of(bench.session.study, planned.region)
    program, words, kernels = loaded.device.program, session.new_words(), bench.kernels(contract)
    before: list[Argument] = [loaded.device.instructions, loaded.device.waits, loaded.device.signals]
    before += [session.holding(_told(program, planned)), counters.counters(planned.streams), counters.tickets(number)]
    before += [session.arenas[0].floats, session.arenas[0].weights, session.arenas[0].ids, session.words.stop, words.diagnosis]

    def launch(trace: Memory | None) -> DriverLaunch:
        return DriverLaunch(
            kernels.entry,
            [*before, trace, ctypes.c_uint64(session.counts.kernel_wait_ns)],
            grid_ctas=contract.grid_ctas or planned.ctas,
            block_threads=kernels.threads,
            # A contract states all of it; the driver is asked for the dynamic part.
            shared_bytes=contract.launch.shared_bytes - kernels.entry.shared_bytes,
            cooperative=contract.launch.cooperative and cooperative,
        )

    # Writing a trace takes time, so what is timed writes none.
    timed, traced = launch(None), launch(loaded.trace)
    return PreparedLaunch(
        planned,
        works=(_as_dispatched(bench, contract, timed),),
        traced=(_as_dispatched(bench, contract, traced),),
        host_waits=(contract.dispatch.host_waits,),
        ended=session.event(),
        program=program,
        words=words,
        ctas_per_sm=timed.ctas_per_sm,
    )


def _as_dispatched(bench: Bench, contract: Contract, launch: DriverLaunch) -> Queued:
    """Return *launch* as its contract dispatches it: what is priced as a graph is launched as one."""
    return Graph(bench.session.stream, [launch]) if contract.dispatch.kind == "graph" else launch


def _told(program: InstructionProgram, planned: PlannedLaunch) -> NDArray[np.int32]:
    if planned.pool == "all":
        return program.streams(planned.x_ctas)
    return program.streams_of_pool(program.x if planned.pool == "x" else program.y, planned.ctas)


def _kernels(bench: Bench, planned: PlannedLaunch, contracts: Sequence[Contract]) -> Iterator[_Kernel]:
    session = bench.session
    by_entry = {contract.entry: contract for contract in contracts}
    for call in planned.calls:
        own = [contract for contract in contracts if call.group in contract.members]
        wanted = launches_of(session.study, session.model, call, own)
        if found := launch_faults(wanted, session.model.layout):
            raise NotSound(f"the kernels of {call} must not be launched: {found[0]}")
        launches = call_launches(session, bench.kernels_of(own), wanted)
        yield from (_Kernel(launch, by_entry[one.entry]) for launch, one in zip(launches, wanted, strict=True))
