"""Measuring co-runs, each in a child, up to the runs of a measured file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from megasolve.contracts import Contract, CoRunSide, MeasuredCoRun, MeasuredRun, Study
from megasolve.simulate.plan.runnable import RegionOfEntries

from ...children.child import Finished, TimedOut, reason, run_in_child
from ...harness.counts import Counts
from ...harness.files.figures import exact_us
from ...harness.places.places import MeasuringPlace, OnCpu
from ..compositions.candidates import contracts_of
from ..compositions.measured_runs import RunCircumstances, measured_run, session_name
from ..times.running import DriverLost
from .kernels import meeting_kernels
from .request import CO_RUN_REQUEST, CO_RUN_RESULT, CoRunRequest, CoRunResult, SideTimes
from .wanted import WantedCoRun

_RUN = f"{__package__}.co_run:run_co_run"
_EXPERIMENTS = 4
_ORDINARY = "ordinary launches: cooperative ones were not resident together"


@dataclass(frozen=True, slots=True)
class CoRunner:
    """Measures co-runs of *study* at a *place*, with *samples* of each time.

    *seed* draws inputs and orders, *device* is as the user named it, if at all, and *tool* is this program with its version.
    """

    study: Study
    place: MeasuringPlace
    counts: Counts
    samples: int
    seed: int
    tool: str
    device: str | None = None

    def run(self, wanted: WantedCoRun, batch: int) -> MeasuredRun:
        """Return the run of a co-run: its times, or why there are none.

        A driver may refuse to hold two cooperative grids at once although both fit; then ordinary launches are tried.

        Raises
        ------
        DriverLost
            The driver hangs; a GPU in that state measures nothing more.
        """
        session, result = session_name(), self._ask(wanted, batch, cooperative=True)
        cooperative = any(contract.launch.cooperative for contract in self._contracts(wanted).values())
        if cooperative and result.met_ctas < wanted.meeting_ctas:
            ordinary = self._ask(wanted, batch, cooperative=False)
            # Where these do not meet either, what is told is the run that the contract asks for.
            if ordinary.met_ctas == wanted.meeting_ctas:
                result, cooperative = ordinary, False
        return self._measured(wanted, batch, session, result, cooperative=cooperative)

    def _ask(self, wanted: WantedCoRun, batch: int, *, cooperative: bool) -> CoRunResult:
        request = CoRunRequest(
            spec=self.study.spec.file,
            root=self.study.root,
            device=self.device,
            ordinal=self.place.ordinal,
            batch=batch,
            producer=wanted.producer,
            consumer=wanted.consumer,
            producer_ctas=wanted.producer_ctas,
            consumer_ctas=wanted.consumer_ctas,
            samples=self.samples,
            counts=self.counts,
            seed=self.seed,
            cooperative=cooperative,
        )
        contracts = self._contracts(wanted)
        with self._place(contracts).environment(self.study, contracts) as environment:
            result = run_in_child(
                _RUN,
                CO_RUN_REQUEST.dump_python(request, mode="json"),
                deadline_s=self.place.deadline_s(_EXPERIMENTS),
                environment=environment,
            )
        if isinstance(result, TimedOut) and not result.dead:
            raise DriverLost(f"{wanted}: {result}")
        if isinstance(result, Finished):
            return CO_RUN_RESULT.validate_python(result.value)
        return CoRunResult(None, {}, wanted.meeting_ctas, 0, because=reason(result))

    def _contracts(self, wanted: WantedCoRun) -> Mapping[str, Contract]:
        return {contract.entry: contract for side in (wanted.producer, wanted.consumer) for contract in contracts_of(self.study, side)}

    def _place(self, contracts: Mapping[str, Contract]) -> MeasuringPlace:
        if not isinstance(self.place, OnCpu):
            return self.place
        # The stand-in knows only the kernels that it is told of, and no contract names those that meet.
        others = tuple(meeting_kernels(self.study, contract) for contract in contracts.values() if contract.backend == "megakernel")
        return replace(self.place, others=others)

    def _measured(self, wanted: WantedCoRun, batch: int, session: str, result: CoRunResult, *, cooperative: bool) -> MeasuredRun:
        about = RunCircumstances(
            self.study.spec.value,
            self.study.device.value.name,
            batch,
            session,
            self.tool,
            fake=isinstance(self.place, OnCpu),
            facts=result.device,
            versions=result.versions,
        )
        ran = _co_run(wanted, result, cooperative=cooperative)
        if result.because is not None:
            return measured_run(about, co_run=ran, because=result.because)
        return measured_run(about, co_run=ran, relative_l2=result.relative_l2 or 0.0, notes=() if cooperative else (_ORDINARY,))


def _co_run(wanted: WantedCoRun, result: CoRunResult, *, cooperative: bool) -> MeasuredCoRun:
    takes = wanted.consumer_ctas if wanted.consumer.is_persistent else None
    values = {
        "producer": _side(wanted.producer, wanted.producer_ctas, result.producer),
        "consumer": _side(wanted.consumer, takes, result.consumer),
        "cooperative": cooperative,
        "wanted_ctas": wanted.meeting_ctas,
        "met_ctas": result.met_ctas,
        **({"order": result.order} if result.order else {}),
    }
    return MeasuredCoRun.model_validate(values)


def _side(region: RegionOfEntries, ctas: int | None, times: SideTimes) -> CoRunSide:
    values = {
        "groups": region.groups,
        "backend": region.backend,
        "entries": region.entries,
        **({} if ctas is None else {"ctas": ctas}),
        **({"solo_us": tuple(map(exact_us, times.solo_us))} if times.solo_us else {}),
        **({"pair_us": tuple(map(exact_us, times.pair_us))} if times.pair_us else {}),
        **({"sms": times.sms} if times.sms else {}),
    }
    return CoRunSide.model_validate(values, by_alias=True, by_name=False)
