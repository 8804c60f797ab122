"""The inside of a child: each guard tried once, the gentlest first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from megasolve.contracts import Contract

from ...driver import Context, Stream
from ...errors import GpuError
from ...harness.asked_study import asked_study
from ...harness.session import Session
from ...harness.versions import driver_versions
from ...harness.waiting import Hang
from ...programs.diagnosis import TOLD_TO_STOP, TOO_LONG
from ...workloads.named import workload_of
from ..co_runs.meeting import Meeting, NotCoResident, Turn
from ..co_runs.persistent_side import PersistentSide
from .request import GUARD_REQUEST, TRIED, Guard, GuardRequest, Tried
from .stuck import stuck_launch

# Thirty-six years: such a wait ends by the stop word alone. The short limits keep the trials themselves short.
_NEVER_NS = 2**60
_SOON_NS = 50_000_000
_PATIENCE_S = 0.2
# Whatever the inputs are: a launch that never ends by itself reads none of them.
_SEED = 1


def run_guards(values: object) -> object:
    """Answer a `GuardRequest` with what was `Tried`, both as values of JSON."""
    request = GUARD_REQUEST.validate_python(values)
    study = asked_study(request)
    counts = replace(request.counts, rotations=1, kernel_wait_ns=_SOON_NS)
    with Context(request.ordinal) as context, Session(context, study, min(study.spec.value.batches), counts) as session:
        guards = tuple(_Guards(session, request).run())
        return TRIED.dump_python(Tried(context.device, driver_versions(context), guards), mode="json")


class _Guards:
    """The guards at work: a launch that never ends by itself, and two grids that have nothing to do but to meet."""

    def __init__(self, session: Session, request: GuardRequest) -> None:
        self._session, self._request = session, request
        contracts = {document.value.entry: document.value for document in session.study.contracts}
        if request.entry not in contracts:
            raise GpuError(f"the spec has no contract of '{request.entry}'")
        self._contract: Contract = contracts[request.entry]
        workload = workload_of(session.study, self._contract)
        self._stuck = stuck_launch(session, workload, self._contract, request.producer_ctas, _SEED)

    def run(self) -> Iterator[Guard]:
        """Yield each guard once it was tried."""
        yield self._time_limit()
        leaves = self._stop_word()
        yield leaves
        if not leaves.held:
            # What still runs holds the device, so nothing more can be tried.
            return
        # Not needed: where a driver does not hold two of them at once, ordinary grids are left.
        yield self._meeting("two cooperative grids meet", cooperative=True, needed=False)
        yield self._meeting("two ordinary grids meet", cooperative=False, needed=True)
        yield self._failed_meeting()

    def _time_limit(self) -> Guard:
        """A wait without end must end at its limit, and say who waited for what."""
        self._stuck.launch(_SOON_NS)
        self._session.finish("a kernel whose wait has a limit")
        held, said = self._stuck.gave_up(TOO_LONG)
        return Guard("a wait ends at its time limit", held, said or "it ended, and did not say why")

    def _stop_word(self) -> Guard:
        """A kernel without a limit must leave when the host says so."""
        session = self._session
        self._stuck.launch(_NEVER_NS)
        try:
            session.words.finish(session.stream, session.last, _PATIENCE_S, "a kernel that waits for ever")
        except Hang as hang:
            held, said = self._stuck.gave_up(TOLD_TO_STOP)
            return Guard("a kernel leaves at the stop word", hang.stopped and held, said or str(hang))
        return Guard("a kernel leaves at the stop word", held=False, said="it ended although nothing ended its wait")

    def _meeting(self, name: str, *, cooperative: bool, needed: bool) -> Guard:
        """Two grids that together fill the device must be resident together, none of their CTAs on one SM."""
        meeting = Meeting(self._session)
        sides = self._sides(meeting, cooperative=cooperative)
        try:
            meeting.run(*(Turn(side, 0) for side in sides))
        except NotCoResident as error:
            return Guard(name, held=False, said=str(error), needed=needed)
        first, second = (set(side.sms()) for side in sides)
        wanted = self._request.producer_ctas + self._request.consumer_ctas
        said = f"{wanted} of {wanted} CTAs met, on {len(first)} and {len(second)} SMs, of which {len(first & second)} are the same"
        return Guard(name, len(first) + len(second) == wanted and not first & second, said, needed)

    def _failed_meeting(self) -> Guard:
        """A meeting that lacks one CTA must end at its limit, without a time."""
        meeting, name = Meeting(self._session), "a meeting that lacks a CTA ends"
        sides = self._sides(meeting, cooperative=False)
        try:
            meeting.run(*(Turn(side, 0) for side in sides), wanted=self._request.producer_ctas + self._request.consumer_ctas + 1)
        except NotCoResident as error:
            return Guard(name, held=error.met == 0, said=str(error))
        return Guard(name, held=False, said="it was taken for complete")

    def _sides(self, meeting: Meeting, *, cooperative: bool) -> tuple[PersistentSide, PersistentSide]:
        """Return two sides that have nothing to do but to meet."""
        session, request = self._session, self._request

        def side(stream: Stream, ctas: int) -> PersistentSide:
            return PersistentSide(session, stream, self._contract, None, ctas=ctas, between=meeting.between, cooperative=cooperative)

        return side(session.stream, request.producer_ctas), side(meeting.beside, request.consumer_ctas)
