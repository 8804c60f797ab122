"""A candidate on the device: all its launches, prepared once, and runs of them."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from megasolve.simulate.plan.runnable import RunnableCandidate

from ...harness.launching.bench import Bench
from ...harness.launching.persistent import uploaded
from ...harness.launching.qualification import Disqualified
from .counter_words import CounterWords
from .launch_plan import BESIDE, PlannedLaunch, launch_plan, sides
from .prepared import LoadedProgram, PreparedLaunch, prepared_conventional, prepared_persistent
from .programs import compiled_programs, require_sound
from .room import require_room

# Of each instruction four words: when it was taken, when its wait was over, when it was done, and on which SM.
_TRACE_BYTES = 4 * 8
_FIRST_SEEN, _LAST_SEEN = 0, 2


class DeviceCandidate:
    """*candidate*, ready to be run as often as wanted.

    Parameters
    ----------
    cooperative
        Whether persistent entries are launched as their contracts say; False makes ordinary launches of all of them.

    Raises
    ------
    GpuError
        It cannot be run here: it does not fit, must not be launched, or its kernels are not what their contracts say.
    """

    def __init__(self, bench: Bench, candidate: RunnableCandidate, *, cooperative: bool = True) -> None:
        session = bench.session
        self.candidate = candidate
        self._bench, self._session = bench, session
        self._plan = launch_plan(session.study, candidate)
        self._programs = compiled_programs(session.study, session.model, self._plan)
        self._counters = CounterWords(session, self._programs, len(self._plan))
        self._loaded = {
            streams: LoadedProgram(uploaded(session, program), session.memory(_TRACE_BYTES * len(program)))
            for streams, program in self._programs.items()
        }
        self._launches = tuple(self._prepared(number, planned, cooperative=cooperative) for number, planned in enumerate(self._plan))
        # Only now: how many CTAs an SM holds is what the driver says of the prepared launches.
        ctas_per_sm, sms = self._ctas_per_sm(), session.context.device.sms
        require_room(session.study, candidate.id, self._plan, ctas_per_sm, sms)
        resident = {entry: held * sms for entry, held in ctas_per_sm.items()}
        require_sound(session.study, session.model, self._plan, self._programs, resident)

    @property
    def is_split(self) -> bool:
        """Whether two of its launches run beside each other."""
        return sides(self._plan) != ((), ())

    def run_us(self, *, traced: bool = False) -> float:
        """Run the candidate once; return the microseconds from its first launch to the first publication.

        Raises
        ------
        Disqualified
            A launch gave up.
        Hang, DriverError
            A launch does not end, or fails.
        """
        session = self._session
        self._reset()
        # From a device at rest: the first launch pays its whole way, as the planner has it.
        session.stream.record(session.first)
        for launch in self._launches:
            self._issue(launch, traced=traced)
        for launch in self._launches:
            # Only the session's own stream is waited for, so the other one is joined to it.
            if launch.planned.lane == BESIDE:
                session.stream.wait_for(launch.ended)
        session.finish(self.candidate.id)
        self._check()
        return session.last.us_since(session.first)

    def wrong_counters(self) -> tuple[str, ...]:
        """Return which counters do not hold what they should, after a run."""
        return self._counters.wrong()

    def beside_us(self) -> float:
        """Return for how long launches of both streams were there at once in the last traced run; 0 for one stream.

        A launch is there from its first ticket to its last tile.
        """
        main, beside = ([self._span_ns(self._plan[number]) for number in side] for side in sides(self._plan))
        overlaps = [min(one[1], other[1]) - max(one[0], other[0]) for one in main for other in beside]
        # An overlap below 0 is the gap between two that were never there at once.
        return max([0, *overlaps]) / 1e3

    def _prepared(self, number: int, planned: PlannedLaunch, *, cooperative: bool) -> PreparedLaunch:
        if not planned.region.is_persistent:
            return prepared_conventional(self._bench, planned)
        loaded = self._loaded[planned.streams]
        return prepared_persistent(self._bench, planned, number, loaded, self._counters, cooperative=cooperative)

    def _reset(self) -> None:
        """Bring everything to the state before the first launch, and let the device come to rest."""
        session, state = self._session, self._session.model.layout["state"]
        session.words.clear()
        for launch in self._launches:
            if launch.words is not None:
                launch.words.clear()
        self._counters.reset(session)
        # A step updates its state in place, so the run before must leave nothing in it.
        session.arenas[0].floats.fill_words(0, session.stream, first=state.offset, count=state.size)
        if session.flushed is not None:
            session.flushed.fill_bytes(0, session.stream)
        session.finish(self.candidate.id)

    def _issue(self, launch: PreparedLaunch, *, traced: bool) -> None:
        stream, before = self._bench.streams[launch.planned.lane], [self._launches[number] for number in launch.planned.after]
        for earlier in before:
            # On one stream the order is that of the stream; an event would cost what the planner does not price.
            if earlier.planned.lane != launch.planned.lane:
                stream.wait_for(earlier.ended)
        for work, host_waits in zip(launch.traced if traced else launch.works, launch.host_waits, strict=True):
            # A host that waits pays for the way back as well; without it launches queue up behind each other.
            if host_waits:
                self._let_host_wait(before)
            work.on(stream)
            stream.record(launch.ended)
            before = [launch]

    def _let_host_wait(self, before: Sequence[PreparedLaunch]) -> None:
        """Wait as the host of a server does, without sleeping, for what the contract says that it waits for."""
        session = self._session
        deadline = time.monotonic() + session.counts.wait_s
        for earlier in before:
            # Polled: a thread that sleeps wakes up some microseconds late, and a server does not sleep either.
            while not earlier.ended.is_done():
                if time.monotonic() > deadline:
                    session.words.finish(self._bench.streams[earlier.planned.lane], session.last, 0.0, str(earlier.planned))

    def _check(self) -> None:
        """The launch that gave up by itself explains why others were told to stop."""
        complaints = [launch.complaint for launch in self._launches]
        found = sorted((text for text in complaints if text), key=lambda text: "told to stop" in text)
        if found:
            raise Disqualified(f"{self.candidate.id}: {found[0]}")

    def _span_ns(self, planned: PlannedLaunch) -> tuple[int, int]:
        program = self._programs[planned.streams]
        rows = self._loaded[planned.streams].trace.read(np.uint64, 4 * len(program)).reshape(-1, 4)
        own = {"all": range(len(program)), "x": program.x, "y": program.y}[planned.pool]
        times = rows[own.start : own.stop]
        return int(times[:, _FIRST_SEEN].min()), int(times[:, _LAST_SEEN].max())

    def _ctas_per_sm(self) -> dict[str, int]:
        return {launch.planned.region.entries[0]: launch.ctas_per_sm for launch in self._launches if launch.ctas_per_sm is not None}
