"""A pair on the device: its two sides, run alone or beside each other."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import GpuError
from ...harness.launching.persistent import DeviceProgram, uploaded
from ...harness.model_session import ModelSession
from ...programs.group_calls import Call, Streams
from ...programs.instructions import InstructionProgram
from ...workloads.streamlet.conventional import launches_of
from ...workloads.streamlet.verify_launches import launch_faults
from ..compositions.candidates import contracts_of
from ..compositions.launch_plan import BESIDE, PlannedLaunch
from ..compositions.programs import NotSound, compiled_programs, require_sound
from .conventional_side import ConventionalSide
from .kernels import CLOCK, meeting_kernels
from .meeting import Meeting, Turn
from .persistent_side import PersistentSide
from .request import CoRunRequest
from .rounds import SideRun
from .sides import RunningSide


class Pair:
    """The producer and the consumer of *request*, with room for *most_rounds* of each.

    A round of the producer is the first step behind the one that the first chunk needs, and a round of the consumer is that chunk, so
    that neither needs anything of the other. Their programs are verified together: no tiles of the two race.

    Raises
    ------
    GpuError
        It cannot be run here.
    """

    def __init__(self, session: ModelSession, request: CoRunRequest, most_rounds: int) -> None:
        self._session, self._request = session, request
        self._meeting = Meeting(session)
        self.calls = calls_of(session, request)
        plan = _plan(request, self.calls)
        programs = compiled_programs(session.study, session.model, plan)
        (program,) = programs.values()
        # The meeting proves that the CTAs are resident, or there is no time.
        require_sound(session.study, session.model, plan, programs, {planned.region.entries[0]: planned.ctas for planned in plan})
        # One program for both sides: its counters order tiles across them, as a fixed split would.
        loaded = uploaded(session, program)
        self.producer: RunningSide = self._persistent(plan[0], loaded, most_rounds)
        self.consumer: RunningSide = self._persistent(plan[1], loaded, most_rounds) if len(plan) > 1 else self._conventional()

    def run(self, *turns: Turn) -> tuple[SideRun, ...]:
        """Run *turns*, as `Meeting.run` does."""
        return self._meeting.run(*turns)

    def _persistent(self, planned: PlannedLaunch, loaded: DeviceProgram, most_rounds: int) -> PersistentSide:
        session, program = self._session, loaded.program
        (contract,) = contracts_of(session.study, planned.region)
        return PersistentSide(
            session,
            self._meeting.beside if planned.lane == BESIDE else session.stream,
            contract,
            loaded,
            _pool(program, planned),
            ctas=planned.ctas,
            between=self._meeting.between,
            most_rounds=most_rounds,
            cooperative=self._request.cooperative,
        )

    def _conventional(self) -> ConventionalSide:
        session, request = self._session, self._request
        contracts = contracts_of(session.study, request.consumer)
        chunk = [call for call in self.calls if call.group in request.consumer.groups]
        launches = [
            launch
            for call in chunk
            for launch in launches_of(session.study, session.model, call, [one for one in contracts if call.group in one.members])
        ]
        if found := launch_faults(launches, session.model.layout):
            raise NotSound(f"the kernels of the consumer must not be launched: {found[0]}")
        (producer,) = contracts_of(session.study, request.producer)
        image = meeting_kernels(producer).compiled(session.context.device.compute_capability).image
        clock = session.function(image, CLOCK)
        return ConventionalSide(session, self._meeting.beside, contracts, launches, clock, between=self._meeting.between)


def calls_of(session: ModelSession, request: CoRunRequest) -> tuple[Call, ...]:
    """Return the calls of a round of the producer and of one of the consumer.

    Raises
    ------
    GpuError
        The spec has no stream schedule, or a side has no groups of its role.
    """
    spec = session.study.spec.value
    if spec.stream is None:
        raise GpuError(f"spec '{spec.name}' has no stream schedule, so nothing of it runs beside something else")
    makes = tuple(
        Call(group.name, spec.stream.ready_step + 1) for group in spec.groups_of("producer") if group.name in request.producer.groups
    )
    takes = tuple(Call(group.name) for group in spec.groups_of("consumer") if group.name in request.consumer.groups)
    if not makes or not takes:
        raise GpuError(f"{request.producer} beside {request.consumer}: a co-run needs producers on one side and consumers on the other")
    return (*makes, *takes)


def _plan(request: CoRunRequest, calls: Sequence[Call]) -> list[PlannedLaunch]:
    makes = tuple(call for call in calls if call.group in request.producer.groups)
    takes = tuple(call for call in calls if call not in makes)
    if not request.consumer.is_persistent:
        # Conventional kernels run no program, so the producer's stream is the only one.
        return [PlannedLaunch(request.producer, Streams((), makes), request.producer_ctas, pool="x")]
    streams = Streams((), makes, takes)
    return [
        PlannedLaunch(request.producer, streams, request.producer_ctas, pool="x"),
        PlannedLaunch(request.consumer, streams, request.consumer_ctas, pool="y", lane=BESIDE),
    ]


def _pool(program: InstructionProgram, planned: PlannedLaunch) -> range:
    return program.x if planned.pool == "x" else program.y
