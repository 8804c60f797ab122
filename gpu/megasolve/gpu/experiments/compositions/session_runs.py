"""The inside of a child: candidates qualified one after the other, then timed in blocks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from megasolve.simulate.plan.runnable import RunnableCandidate

from ...driver import GpuState, gpu_state
from ...errors import GpuError
from ...harness.asked_study import asked_session
from ...harness.launching.bench import Bench
from ...harness.launching.run_arrays import RunArrays
from ...harness.session import Session
from ...harness.versions import driver_versions
from ...harness.waiting import ends_session
from ...programs.group_calls import Call
from ...workloads.named import composing_workload
from .candidates import contracts_of
from .launch_plan import run_calls
from .orders import balanced_orders
from .qualifying import Qualified, qualified
from .request import SESSION_REQUEST, SESSION_RESULT, CandidateFailure, CandidateTimes, SessionRequest, SessionResult

AT = "at candidate "
"""How a line on stderr begins that says what the child is about to run, should it die there."""

# Relative: clocks that are closer are told as the same.
_SAME_CLOCK = 0.02


def run_session(values: object) -> object:
    """Answer a `SessionRequest` with a `SessionResult`, both as values of JSON."""
    request = SESSION_REQUEST.validate_python(values)
    with asked_session(request, replace(request.counts, rotations=1)) as session:
        return SESSION_RESULT.dump_python(_Runs(session, request).run(), mode="json")


class _SessionLost(Exception):
    """Nothing more can be done in this process."""


class _Runs:
    """A session at work, and what became of its candidates so far."""

    def __init__(self, session: Session, request: SessionRequest) -> None:
        self._session, self._request = session, request
        self._benches: dict[tuple[str, tuple[Call, ...]], Bench] = {}
        self._failures: list[CandidateFailure] = []
        self._ready: dict[str, Qualified] = {}
        self._samples: dict[str, list[tuple[float, int]]] = {}

    def run(self) -> SessionResult:
        """Qualify all, then time all that qualified; a failure that ends the session is the only answer."""
        device, versions = self._session.context.device, driver_versions(self._session.context)
        try:
            self._qualify()
            notes = self._time()
        except _SessionLost:
            return SessionResult(device, versions, failures=tuple(self._failures[-1:]))
        times = tuple(self._times(name, ready, notes) for name, ready in self._ready.items())
        return SessionResult(device, versions, times, tuple(self._failures))

    def _qualify(self) -> None:
        for candidate in self._request.candidates:
            with self._failing(candidate.id):
                self._ready[candidate.id] = qualified(self._bench(candidate), candidate)

    def _bench(self, candidate: RunnableCandidate) -> Bench:
        """Return what the candidates of its workload share that compute the same calls: they do so on the same arrays."""
        session, calls = self._session, run_calls(self._session.study, candidate)
        workload = composing_workload(session.study, [one for region in candidate.regions for one in contracts_of(session.study, region)])
        if (workload.name, calls) not in self._benches:
            self._benches[workload.name, calls] = Bench(session, workload, RunArrays(session, workload, calls, self._request.seed))
        return self._benches[workload.name, calls]

    def _time(self) -> tuple[str, ...]:
        """Take one sample of each candidate in each block; return what to know of the device meanwhile."""
        names = list(self._ready)
        # In turn, as in the blocks: no candidate finds only its own traces in the caches.
        for name in names * self._session.counts.warmups:
            self._sample(name)
        before = gpu_state(self._session.context.device.uuid)
        for order in balanced_orders(len(names), self._request.blocks, self._request.seed):
            for place, number in enumerate(order, start=1):
                self._sample(names[number], place)
        return tuple(_device_notes(before, gpu_state(self._session.context.device.uuid)))

    def _sample(self, name: str, place: int | None = None) -> None:
        # It has failed since the order was drawn.
        if name not in self._ready:
            return
        with self._failing(name):
            took_us = self._ready[name].design.run_us()
            if place is not None:
                self._samples.setdefault(name, []).append((took_us, place))

    def _times(self, name: str, ready: Qualified, notes: tuple[str, ...]) -> CandidateTimes:
        samples_us, places = zip(*self._samples[name], strict=True)
        return CandidateTimes(name, samples_us, places, ready.relative_l2, (*ready.notes, *notes))

    @contextmanager
    def _failing(self, name: str) -> Iterator[None]:
        """Note what goes wrong inside as the failure of a candidate, and go on without it where that is possible."""
        sys.stderr.write(f"{AT}{name}\n")
        # At once: a child that is killed writes nothing more, and the parent reads here at what it died.
        sys.stderr.flush()
        try:
            yield
        except GpuError as error:
            is_lost = ends_session(error)
            self._failures.append(CandidateFailure(name, str(error).removeprefix(f"{name}: "), ends_session=is_lost))
            self._ready.pop(name, None)
            if is_lost:
                raise _SessionLost from error


def _device_notes(before: GpuState, after: GpuState) -> Iterator[str]:
    if before.sm_clock_mhz and after.sm_clock_mhz and abs(after.sm_clock_mhz - before.sm_clock_mhz) > _SAME_CLOCK * before.sm_clock_mhz:
        yield f"the clock was {before.sm_clock_mhz} MHz before and {after.sm_clock_mhz} MHz after"
    if reasons := dict.fromkeys((*before.slowed_by, *after.slowed_by)):
        yield f"clocks were held back by {', '.join(reasons)}"
    # This process is one of them.
    if others := max((state.compute_processes or 1) - 1 for state in (before, after)):
        yield f"{others} other processes used the GPU"
