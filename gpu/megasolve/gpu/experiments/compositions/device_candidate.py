"""A candidate on the device: all its launches, prepared once, and runs of them."""

from __future__ import annotations

import time
from collections.abc import Sequence

from megasolve.simulate.plan.runnable import RunnableCandidate
from megasolve.simulate.plan.sharing import Sharing

from ...harness.launching.bench import Bench
from ...harness.launching.qualification import Disqualified
from .launch_plan import BESIDE, MAIN, PlannedLaunch, launch_plan, sides
from .prepared import PreparedLaunch, prepared_conventional, prepared_persistent, require_sound
from .room import require_room


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
        self._launches = self._prepared(cooperative=cooperative)
        self._calls = tuple({id(call): call for launch in self._launches for call in launch.calls}.values())
        # Only now: how many CTAs an SM holds is what the driver says of the prepared launches.
        ctas_per_sm, sms = self._ctas_per_sm(), session.context.device.sms
        require_room(session.study, candidate.id, self._plan, ctas_per_sm, sms, meet=not self._is_on_streams)
        require_sound(self._launches, sms)
        # Behind the publication the producers may go on, so that it has an event, and a stream to put that on, of its own.
        self._publishing = session.new_stream() if any(planned.is_load for planned in self._plan) else None
        self._published = session.event()
        self._last_awaited = max(number for number, planned in enumerate(self._plan) if not planned.is_load)

    @property
    def is_split(self) -> bool:
        """Whether it has two launches that must be there at once."""
        return not self._is_on_streams and sides(self._plan) != ((), ())

    @property
    def _is_on_streams(self) -> bool:
        return self.candidate.sharing is Sharing.STREAMS

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
        for number, launch in enumerate(self._launches):
            self._issue(launch, traced=traced)
            if number == self._last_awaited:
                self._publish()
        for launch in self._launches:
            # Only the session's own stream is waited for, so the other one is joined to it.
            if launch.planned.lane == BESIDE:
                session.stream.wait_for(launch.ended)
        session.finish(self.candidate.id)
        self._check()
        published = session.last if self._publishing is None else self._published
        return published.us_since(session.first)

    def load_note(self) -> str | None:
        """Return what to know of the last run where the producers went on behind step h; None where nothing is to be known."""
        loads = [launch for launch in self._launches if launch.planned.is_load]
        chunk = [launch for launch in self._launches if launch.planned.lane == BESIDE]
        if not loads or not chunk or (short_us := chunk[-1].ended.us_since(loads[-1].ended)) <= 0:
            return None
        last = loads[-1].planned.calls[-1]
        return f"the producers went on behind the publication's last step to {last}, and ended {short_us:.3f} us before the chunk did"

    def _publish(self) -> None:
        """Mark the publication, as soon as all that it waits for is issued: the host may wait before it issues load."""
        if self._publishing is None:
            return
        for lane in (MAIN, BESIDE):
            own = [launch for launch in self._launches if launch.planned.lane == lane and not launch.planned.is_load]
            for launch in own[-1:]:
                self._publishing.wait_for(launch.ended)
        self._publishing.record(self._published)

    def miscounted(self) -> tuple[str, ...]:
        """Return what did not count as it should in the last run."""
        return tuple(filter(None, (call.miscounted for call in self._calls)))

    def beside_us(self) -> float | None:
        """Return for how long launches of both streams were there at once in the last traced run; 0 for one stream.

        A launch is there from its first ticket to its last tile. None where the kernels of one write no trace, and nobody knows.
        """
        main, beside = ([self._launches[number].span_ns for number in side] for side in sides(self._plan))
        overlaps = [
            None if one is None or other is None else min(one[1], other[1]) - max(one[0], other[0]) for one in main for other in beside
        ]
        known = [overlap for overlap in overlaps if overlap is not None]
        # An overlap below 0 is the gap between two that were never there at once.
        return max([0, *known]) / 1e3 if len(known) == len(overlaps) else None

    def _prepared(self, *, cooperative: bool) -> tuple[PreparedLaunch, ...]:
        made: dict[int, PreparedLaunch] = {}
        for numbers in _together(self._plan):
            planned = [self._plan[number] for number in numbers]
            if planned[0].region.is_persistent:
                found = prepared_persistent(self._bench, planned, cooperative=cooperative)
            else:
                found = tuple(prepared_conventional(self._bench, one) for one in planned)
            made |= dict(zip(numbers, found, strict=True))
        return tuple(made[number] for number in range(len(self._plan)))

    def _reset(self) -> None:
        """Bring everything to the state before the first launch, and let the device come to rest."""
        session = self._session
        session.words.clear()
        for launch in self._launches:
            launch.words.clear()
        for call in self._calls:
            call.on_device.reset()
        # A step may update its state in place, so the run before must leave nothing in it.
        self._bench.arrays.restore()
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

    def _ctas_per_sm(self) -> dict[str, int]:
        return {launch.planned.region.entries[0]: launch.ctas_per_sm for launch in self._launches if launch.ctas_per_sm is not None}


def _together(plan: Sequence[PlannedLaunch]) -> list[list[int]]:
    """Return the numbers of the launches of *plan*, those together that wait for each other on the device."""
    found: dict[object, list[int]] = {}
    for number, planned in enumerate(plan):
        # Two pools of the same streams are two launches of one program; all others stand alone.
        found.setdefault(planned.streams if planned.pool != "all" else number, []).append(number)
    return list(found.values())
