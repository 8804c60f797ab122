"""Designs: what is qualified and timed. One call of a group in a persistent entry with a CTA budget, or the kernels of one contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from megasolve.contracts import Contract

from ...driver import DoesNotFit, DriverLaunch, Graph
from ...harness.launching.kernel_launches import CallLaunches, call_launches
from ...harness.launching.kernels import Kernels
from ...harness.launching.persistent import PersistentLaunches, uploaded
from ...harness.launching.qualification import Disqualified, qualify_kernels, qualify_persistent
from ...harness.protocol import TimedSubject
from ...harness.session import Session
from ...programs.executions import tile_programs
from ...programs.group_calls import Call, Streams
from ...programs.operands import entry_operations
from ...programs.verify import ProgramGrid, faults
from ...workloads.streamlet.conventional import launches_of
from ...workloads.streamlet.persistent import compile_program
from ...workloads.streamlet.trials import Trial
from ...workloads.streamlet.verify_launches import launch_faults

_MOST_NAMED = 3


class Design(Protocol):
    """Something with a time, of which *launch* is one launch."""

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def launch(self) -> DriverLaunch:
        """A launch of it, for what it needs of the device."""

    def subject(self, calls: int) -> TimedSubject:
        """Return it to be timed, *calls* calls at once."""

    def check(self) -> None:
        """Raise Disqualified if a launch of it gave up since the session's words were cleared."""


class PersistentDesign:
    """One call of a group in a persistent entry on *ctas* CTAs, verified before anything is launched.

    Raises
    ------
    Disqualified
        Its program must not be launched; the message names the first faults.
    DoesNotFit
        The device does not hold the CTAs at once.
    """

    def __init__(self, session: Session, kernels: Kernels, call: Call, ctas: int) -> None:
        study, model, contract = session.study, session.model, kernels.contract
        self.name = f"{call} in '{contract.entry}' on {ctas} CTAs"
        self._session, self._kernels, self._ctas = session, kernels, contract.grid_ctas or ctas
        tiles = tile_programs(study, contract, model.sizes.batch, ctas)
        program = compile_program(model, study.spec.value, tiles, Streams((call,)))
        self._program = uploaded(session, program)
        self._first = self._launches(1)
        self._verify()

    @property
    def launch(self) -> DriverLaunch:
        """A launch of it."""
        return self._first.launches[0]

    def qualify(self, trial: Trial) -> float:
        """Return how far it is from the reference (relative L2); raise Disqualified if it does not compute what it should."""
        return qualify_persistent(self._session, self._first, trial, self.name)

    def subject(self, calls: int) -> TimedSubject:
        """Return it to be timed; a single call is a launch, several are a graph of launches."""
        session = self._session
        full = self._launches(len(session.arenas) if calls == 1 else calls)
        empty = self._launches(calls, is_empty=True)

        def reset() -> None:
            full.reset(session)
            empty.reset(session)

        if calls == 1:
            return TimedSubject(self.name, full.launches, empty.launches[0], 1, reset)
        return TimedSubject(self.name, (Graph(session.stream, full.launches),), Graph(session.stream, empty.launches), calls, reset)

    def check(self) -> None:
        """Raise Disqualified if a launch of it gave up."""
        if complaint := self._session.words.complaint(self._program.program):
            raise Disqualified(f"{self.name} {complaint}")

    def _launches(self, count: int, *, is_empty: bool = False) -> PersistentLaunches:
        streams = self._program.program.streams()
        told = np.zeros_like(streams) if is_empty else streams
        return PersistentLaunches(self._session, self._kernels, self._program, self._ctas, told, count=count)

    def _verify(self) -> None:
        contract, resident = self._kernels.contract, self.launch.resident_ctas
        if self._ctas > resident:
            repair = "a smaller budget is another design and needs records of its own"
            raise DoesNotFit(f"{self.name}: the device holds {resident} of them at once; {repair}")
        program = self._program.program
        words = b"".join(part.tobytes() for part in (program.words, program.waits, program.signals))
        if words in self._session.proved:
            return
        grid = ProgramGrid(self._ctas, resident, cooperative=contract.launch.cooperative)
        found = faults(program, self._session.model.layout, grid, entry_operations(contract))
        _refuse(self.name, [str(fault) for fault in found])
        self._session.proved.add(words)


class KernelDesign:
    """The kernels of one conventional contract in one call, one after the other in a graph."""

    def __init__(self, session: Session, contract: Contract, call: Call, launches: CallLaunches) -> None:
        self.name = f"kernels of '{contract.entry}' in {call}"
        self._session, self._launches = session, launches

    @property
    def launch(self) -> DriverLaunch:
        """A launch of it; where there are several, the first."""
        return self._launches.by_arenas[0][0]

    def subject(self, calls: int) -> TimedSubject:
        """Return it to be timed as a graph."""
        return graph_subject(self._session, self.name, self._launches, calls)

    def check(self) -> None:
        """Return, as these kernels wait for nothing."""


class WholeCall:
    """All conventional kernels of a call in order: what is qualified, and what the sum of their times is compared with.

    Raises
    ------
    Disqualified
        A launch has tiles that race or lie outside of the arenas.
    GpuError
        The group has no conventional kernels.
    """

    def __init__(self, session: Session, kernels: Mapping[str, Kernels], call: Call) -> None:
        self.name = f"the kernels of {call}"
        self._session, self._kernels, self._call = session, kernels, call
        self._wanted = launches_of(session.study, session.model, call, [one.contract for one in kernels.values()])
        _refuse(self.name, [str(fault) for fault in launch_faults(self._wanted, session.model.layout)])
        self._launches = call_launches(session, kernels, self._wanted)

    @property
    def kernels(self) -> int:
        """How many kernels there are."""
        return len(self._wanted)

    def qualify(self, trial: Trial) -> float:
        """Return how far the kernels are from the reference (relative L2); raise Disqualified if they do not compute what they should."""
        return qualify_kernels(self._session, self._launches.by_arenas[0], trial, self.name)

    def subject(self, calls: int) -> TimedSubject:
        """Return the whole call to be timed as a graph."""
        return graph_subject(self._session, self.name, self._launches, calls)

    def part(self, contract: Contract) -> KernelDesign:
        """Return the kernels of one of its contracts alone."""
        own = [launch for launch in self._wanted if launch.entry == contract.entry]
        return KernelDesign(self._session, contract, self._call, call_launches(self._session, self._kernels, own))


def graph_subject(session: Session, name: str, launches: CallLaunches, calls: int) -> TimedSubject:
    """Return conventional launches to be timed as graphs, beside graphs of empty kernels of the same shapes."""
    stream = session.stream
    empties = [session.empty_launch(ctas=one.ctas, threads=one.threads, shared_bytes=one.shared_bytes) for one in launches.shapes] * calls
    in_turn = launches.by_arenas if calls == 1 else (launches.calls(calls),)
    return TimedSubject(name, tuple(Graph(stream, one) for one in in_turn), Graph(stream, empties), calls, lambda: None)


def _refuse(name: str, texts: Sequence[str]) -> None:
    if texts:
        more = f"; and {len(texts) - _MOST_NAMED} more" if len(texts) > _MOST_NAMED else ""
        raise Disqualified(f"{name} must not be launched: {'; '.join(texts[:_MOST_NAMED])}{more}")
