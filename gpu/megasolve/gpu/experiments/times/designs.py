"""Designs: what is qualified and timed. One call of a group in a persistent entry with a CTA budget, or the kernels of one contract."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from megasolve.contracts import Contract

from ...driver import DoesNotFit, DriverLaunch, Graph
from ...harness.launching.buffers import WorkloadBench
from ...harness.launching.kernels import Kernels
from ...harness.launching.qualification import Disqualified, listed, qualify
from ...harness.launching.stated import DeviceCalls, StatedLaunches
from ...harness.protocol import TimedSubject
from ...harness.session import Session
from ...workloads.calls import AskedCall


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
        It must not be launched; the message names the first faults.
    DoesNotFit
        The device does not hold the CTAs at once.
    """

    def __init__(self, bench: WorkloadBench, kernels: Kernels, call: AskedCall, ctas: int) -> None:
        self._bench, self._call = bench, call
        self._stated = bench.workload.launches(call, (kernels.contract,), ctas)
        self.name = f"{self._stated.title or call.group} in '{kernels.contract.entry}' on {ctas} CTAs"
        sets = bench.buffers.sets(call)
        self._launches = StatedLaunches(bench.session, {kernels.contract.entry: kernels}, self._stated.launches, sets)
        self._first = self._launches.calls(1)
        self._verify()

    @property
    def launch(self) -> DriverLaunch:
        """A launch of it."""
        return self._first.launches[0]

    def qualify(self) -> float:
        """Return how far it is from the reference (relative L2); raise Disqualified if it does not compute what it should."""
        return qualify(self._bench, self._call, self._stated, self._first, self.name)

    def subject(self, calls: int) -> TimedSubject:
        """Return it to be timed; one call that is one launch is no graph."""
        session = self._bench.session
        # Fresh inputs from sample to sample: a kernel that reads what it wrote before would pass for a right one.
        full = self._launches.calls(session.counts.rotations if calls == 1 else calls)
        # The same launches with nothing to do: what they take is dispatch, which has a place of its own in a score.
        empty = self._launches.calls(calls, is_idle=True)
        if calls == 1 and len(self._stated.launches) == 1:
            return TimedSubject(self.name, full.launches, empty.launches[0], 1, _reset(full, empty))
        return graph_subject(session, self.name, full, empty, calls)

    def check(self) -> None:
        """Raise Disqualified if a launch of it gave up."""
        if complaint := self._stated.complaint(self._bench.session.words.diagnosis_words()):
            raise Disqualified(f"{self.name} {complaint}")

    def _verify(self) -> None:
        resident = self.launch.resident_ctas
        for launch in self._first.launches:
            # Refused and never clamped: fewer CTAs are another budget, with another record.
            if launch.grid_ctas > launch.resident_ctas:
                repair = "a smaller budget is another design and needs records of its own"
                raise DoesNotFit(f"{self.name}: the device holds {launch.resident_ctas} of them at once; {repair}")
        _refuse(self.name, self._stated.faults(resident))


class KernelDesign:
    """The kernels of one conventional contract in one call, one after the other in a graph."""

    def __init__(self, session: Session, name: str, launches: StatedLaunches) -> None:
        self.name = name
        self._session, self._launches = session, launches
        self._full = launches.calls(session.counts.rotations)

    @property
    def launch(self) -> DriverLaunch:
        """A launch of it; where there are several, the first."""
        return self._full.launches[0]

    def subject(self, calls: int) -> TimedSubject:
        """Return it to be timed as a graph."""
        full = self._full if calls == 1 else self._launches.calls(calls)
        return graph_subject(self._session, self.name, full, self._launches.calls(calls, is_idle=True), calls)

    def check(self) -> None:
        """Return, as these kernels wait for nothing."""


class WholeCall:
    """All conventional kernels of a call in order: what is qualified, and what the sum of their times is compared with.

    Raises
    ------
    Disqualified
        It must not be launched; the message names the first faults.
    GpuError
        The group has no conventional kernels.
    """

    def __init__(self, bench: WorkloadBench, kernels: Mapping[str, Kernels], call: AskedCall) -> None:
        self._bench, self._call = bench, call
        sms = bench.session.study.device.value.usable_sms
        self._stated = bench.workload.launches(call, [one.contract for one in kernels.values()], sms)
        self._title = self._stated.title or call.group
        self.name = f"the kernels of {self._title}"
        _refuse(self.name, self._stated.faults(sms))
        self._launches = StatedLaunches(bench.session, kernels, self._stated.launches, bench.buffers.sets(call))
        self._all = KernelDesign(bench.session, self.name, self._launches)

    @property
    def kernels(self) -> int:
        """How many kernels there are."""
        return len(self._stated.launches)

    def qualify(self) -> float:
        """Return how far the kernels are from the reference (relative L2); raise Disqualified if they do not compute what they should."""
        return qualify(self._bench, self._call, self._stated, self._launches.calls(1), self.name)

    def subject(self, calls: int) -> TimedSubject:
        """Return the whole call to be timed as a graph."""
        return self._all.subject(calls)

    def part(self, contract: Contract) -> KernelDesign:
        """Return the kernels of one of its contracts alone.

        Raises
        ------
        Disqualified
            The call launches none of them.
        """
        own = self._launches.only(contract.entry)
        if not own.stated:
            raise Disqualified(f"{self.name}: none of them is of entry '{contract.entry}', so it has no time")
        return KernelDesign(self._bench.session, f"kernels of '{contract.entry}' in {self._title}", own)


def graph_subject(session: Session, name: str, full: DeviceCalls, empty: DeviceCalls, calls: int) -> TimedSubject:
    """Return launches to be timed as graphs, *calls* calls at once, beside a graph of their twins that have nothing to do."""
    # One call takes the sets of inputs in turn from graph to graph; several do so inside of their graph.
    in_turn = full.by_call if calls == 1 else (full.launches,)
    works = tuple(Graph(session.stream, one) for one in in_turn)
    return TimedSubject(name, works, Graph(session.stream, empty.launches), calls, _reset(full, empty))


def _reset(*made: DeviceCalls) -> Callable[[], None]:
    def reset() -> None:
        for one in made:
            one.reset()

    return reset


def _refuse(name: str, texts: Sequence[str]) -> None:
    if texts:
        raise Disqualified(f"{name} must not be launched: {listed(list(texts))}")
