"""A pair on the device: its two sides, run alone or beside each other."""

from __future__ import annotations

from megasolve.contracts import Contract, Spec

from ...errors import GpuError
from ...harness.launching.bench import Bench
from ...harness.launching.qualification import listed
from ...harness.launching.stated import StatedLaunches
from ...programs.group_calls import Call, Streams
from ...workloads.calls import LaunchSet, LaunchSide
from ..compositions.candidates import contracts_of
from ..compositions.prepared import NotSound, StatedOnDevice, conventional_call
from .conventional_side import ConventionalSide
from .kernels import CLOCK
from .meeting import Meeting, Turn
from .persistent_side import PersistentSide, SideRounds, met_function
from .request import CoRunRequest
from .rounds import SideRun
from .sides import RunningSide


class Pair:
    """The producer and the consumer of *request*, with room for *most_rounds* of each.

    A round of the producer is the first step behind the one that the first chunk needs, and a round of the consumer is that chunk, so
    that neither needs anything of the other. They are judged together: no tiles of the two race.

    Raises
    ------
    GpuError
        It cannot be run here.
    """

    def __init__(self, bench: Bench, request: CoRunRequest, most_rounds: int) -> None:
        self._bench, self._session, self._request = bench, bench.session, request
        self._meeting = Meeting(bench.session)
        spec = bench.session.study.spec.value
        makes, takes = calls_of(spec, request)
        asked = [LaunchSide(self._contract(), request.producer_ctas, makes)]
        streams = Streams(makes)
        if request.consumer.is_persistent:
            (contract,) = contracts_of(bench.session.study, request.consumer)
            asked.append(LaunchSide(contract, request.consumer_ctas, takes))
            streams = Streams((), makes, takes)
        sides = self._persistent(LaunchSet(bench.session.study, bench.session.batch, streams, tuple(asked)), most_rounds)
        self.producer: RunningSide = sides[0]
        self.consumer: RunningSide = sides[1] if len(sides) > 1 else self._conventional(takes, most_rounds)

    def run(self, *turns: Turn) -> tuple[SideRun, ...]:
        """Run *turns*, as `Meeting.run` does."""
        return self._meeting.run(*turns)

    def _contract(self) -> Contract:
        (contract,) = contracts_of(self._session.study, self._request.producer)
        return contract

    def _persistent(self, asked: LaunchSet, most_rounds: int) -> tuple[PersistentSide, ...]:
        session, bench = self._session, self._bench
        stated = bench.workload.composed(asked)
        # The meeting proves that the CTAs are resident, or there is no time.
        if found := stated.faults(sum(side.ctas for side in asked.sides)):
            raise NotSound(f"{asked} must not be launched: {listed(list(found))}")
        for side, launch in zip(asked.sides, stated.launches, strict=True):
            if launch.grid_ctas != side.ctas:
                raise GpuError(f"entry '{launch.entry}' is launched on {launch.grid_ctas} CTAs, where {side.ctas} are to meet")
        words = [session.new_words() for _ in asked.sides]
        on_device = StatedLaunches(session, {}, stated.launches, [bench.arrays.memories]).calls(most_rounds, words=words)
        streams = (session.stream, self._meeting.beside)
        return tuple(
            PersistentSide(
                session,
                streams[number],
                side.contract,
                SideRounds(stated, on_device, number, words[number]),
                ctas=side.ctas,
                between=self._meeting.between,
                cooperative=self._request.cooperative,
            )
            for number, side in enumerate(asked.sides)
        )

    def _conventional(self, takes: tuple[Call, ...], most_rounds: int) -> ConventionalSide:
        session, words = self._session, self._session.new_words()
        contracts = contracts_of(session.study, self._request.consumer)

        def calls(count: int) -> list[StatedOnDevice]:
            return [conventional_call(self._bench, call, contracts, words, count) for call in takes]

        once = calls(1)
        found = calls(most_rounds) if any(call.on_device.has_scratch for call in once) else once
        return ConventionalSide(
            session, self._meeting.beside, found, met_function(session, self._contract(), CLOCK), between=self._meeting.between
        )


def calls_of(spec: Spec, request: CoRunRequest) -> tuple[tuple[Call, ...], tuple[Call, ...]]:
    """Return the calls of a round of the producer, and those of one of the consumer.

    Raises
    ------
    GpuError
        The spec has no stream schedule, or a side has no groups of its role.
    """
    if spec.stream is None:
        raise GpuError(f"spec '{spec.name}' has no stream schedule, so nothing of it runs beside something else")
    step = spec.stream.ready_step + 1
    makes = tuple(Call(group.name, step) for group in spec.groups_of("producer") if group.name in request.producer.groups)
    takes = tuple(Call(group.name) for group in spec.groups_of("consumer") if group.name in request.consumer.groups)
    if not makes or not takes:
        raise GpuError(f"{request.producer} beside {request.consumer}: a co-run needs producers on one side and consumers on the other")
    return makes, takes
