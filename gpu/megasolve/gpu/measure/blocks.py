"""The inside of a child: all experiments of one block, in one session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from megasolve.contracts import Contract, Study

from ..compiler import CompileFailed
from ..conventional import conventional_contracts
from ..driver import Context
from ..errors import GpuError
from ..group_calls import Call
from ..streamlet.trials import Trial
from .asked_study import asked_study
from .designs import Design, PersistentDesign, WholeCall
from .inputs import call_trial, drawn_inputs, poisoned, timed_call
from .kernels import Kernels, load_kernels
from .protocol import Samples, Timer, drawn_order
from .request import BlockRequest, Experiment, request_from
from .results import BlockResult, Failure, LaunchFacts, Repeat, Timed, WholeTime
from .session import Session
from .versions import driver_versions
from .waiting import ends_session

_LOG_KEPT = 2000


def run_block(values: Mapping[str, Any]) -> dict[str, Any]:
    """Qualify and time the experiments of a `BlockRequest`, and return a `BlockResult`, both as values of JSON."""
    request = request_from(values)
    study = asked_study(request)
    with Context(request.ordinal) as context:
        return _run(context, study, request).as_json()


def _run(context: Context, study: Study, request: BlockRequest) -> BlockResult:
    try:
        with Session(context, study, request.batch, request.counts) as session:
            return _Block(session, request).run()
    except GpuError as error:
        # What a session needs is not there, so none of the experiments can run.
        return BlockResult(context.device, {}, failures=tuple(Failure(one, str(error)) for one in request.experiments))


@dataclass(frozen=True, slots=True)
class _Qualified:
    """An experiment that may be timed."""

    experiment: Experiment
    design: Design
    kernels: Kernels
    call: Call
    relative_l2: float


class _ContextLost(Exception):
    """Nothing more can be done in this process, because of what happened to *experiments*."""

    def __init__(self, experiments: Sequence[Experiment], error: GpuError) -> None:
        super().__init__(str(error))
        self.experiments = experiments


class _Block:
    """One block at work: its session, and which experiments failed so far."""

    def __init__(self, session: Session, request: BlockRequest) -> None:
        self._session, self._request = session, request
        self._start = poisoned(session.model, request.seed)
        session.arenas[0].weights.upload(self._start.weights)
        self._failures: list[Failure] = []
        self._trials: dict[Call, Trial] = {}

    def run(self) -> BlockResult:
        """Qualify all, then time all. What ends the context leaves the others to be asked again."""
        device, versions = self._session.context.device, driver_versions(self._session.context)
        try:
            if self._request.backend == "conventional":
                timed, repeat, whole = self._conventional()
            else:
                timed, repeat, whole = (*self._timed(self._persistent(), Timer(self._session)), None)
        except _ContextLost as lost:
            return BlockResult(device, versions, failures=tuple(Failure(one, str(lost)) for one in lost.experiments))
        return BlockResult(device, versions, timed, tuple(self._failures), repeat, whole)

    def _persistent(self) -> list[_Qualified]:
        experiments, qualified = self._request.experiments, list[_Qualified]()
        with self._failing(*experiments):
            kernels = load_kernels(self._session, self._contract(experiments[0].entry))
            for experiment in experiments:
                with self._failing(experiment):
                    call = timed_call(self._session.model, experiment.group)
                    design = PersistentDesign(self._session, kernels, call, experiment.budget_ctas)
                    qualified.append(_Qualified(experiment, design, kernels, call, design.qualify(self._trial(call))))
        return qualified

    def _conventional(self) -> tuple[tuple[Timed, ...], Repeat | None, WholeTime | None]:
        experiments = self._request.experiments
        call = timed_call(self._session.model, experiments[0].group)
        with self._failing(*experiments):
            implementation = self._contract(experiments[0].entry).implementation or ""
            contracts = conventional_contracts(self._session.study, call.group, implementation)
            kernels = {contract.entry: load_kernels(self._session, contract) for contract in contracts}
            whole = WholeCall(self._session, kernels, call)
            distance = whole.qualify(self._trial(call))
            parts = [(one, kernels[one.entry]) for one in experiments]
            qualified = [_Qualified(one, whole.part(of.contract), of, call, distance) for one, of in parts]
            return self._timed_beside(whole, qualified)
        return (), None, None

    def _timed_beside(self, whole: WholeCall, qualified: Sequence[_Qualified]) -> tuple[tuple[Timed, ...], Repeat | None, WholeTime]:
        timer = Timer(self._session)
        self._load_inputs(qualified[0].call)
        # Every kernel finds what the one before it would have left.
        timer.run_each(whole.subject(1))
        timed, repeat = self._timed(qualified, timer, is_loaded=True)
        samples = timer.samples(whole.subject)
        return timed, repeat, WholeTime(whole.kernels, samples.median_call_us, samples.overhead_us / samples.calls)

    def _timed(self, qualified: Sequence[_Qualified], timer: Timer, *, is_loaded: bool = False) -> tuple[tuple[Timed, ...], Repeat | None]:
        """Time all in random order and the first again at the end."""
        order = drawn_order(qualified, self._request.seed)
        timed = []
        for one in order:
            with self._failing(one.experiment):
                timed.append(_timed(one, self._samples(one, timer, is_loaded=is_loaded)))
        if not timed:
            return (), None
        first = next(one for one in order if one.experiment == timed[0].experiment)
        with self._failing(*(one.experiment for one in timed)):
            again = self._samples(first, timer, is_loaded=is_loaded, calls=timed[0].samples.calls)
            return tuple(timed), Repeat(first.experiment, timed[0].samples.raw_call_us, again.raw_call_us)
        return (), None

    def _samples(self, one: _Qualified, timer: Timer, *, is_loaded: bool, calls: int | None = None) -> Samples:
        if not is_loaded:
            self._load_inputs(one.call)
        self._session.words.clear()
        samples = timer.samples(one.design.subject, calls)
        one.design.check()
        return samples

    def _load_inputs(self, call: Call) -> None:
        for number, arenas in enumerate(self._session.arenas):
            arenas.upload(drawn_inputs(self._session.model, self._start, call, self._request.seed + number))

    def _trial(self, call: Call) -> Trial:
        if call not in self._trials:
            self._trials[call] = call_trial(self._session.model, self._start, call, self._request.seed)
        return self._trials[call]

    def _contract(self, entry: str) -> Contract:
        found = [document.value for document in self._session.study.contracts if document.value.entry == entry]
        if not found:
            raise GpuError(f"the spec has no contract of '{entry}' any more")
        return found[0]

    @contextmanager
    def _failing(self, *experiments: Experiment) -> Iterator[None]:
        """Note what goes wrong inside as the failure of *experiments*; what ends the context goes on."""
        try:
            yield
        except GpuError as error:
            if ends_session(error):
                raise _ContextLost(experiments, error) from None
            detail = error.log[:_LOG_KEPT] if isinstance(error, CompileFailed) else ""
            failed = {failure.experiment for failure in self._failures}
            self._failures.extend(Failure(one, str(error), detail) for one in experiments if one not in failed)


def _timed(one: _Qualified, samples: Samples) -> Timed:
    launch, cubin = one.design.launch, one.kernels.cubin
    facts = LaunchFacts(
        grid_ctas=launch.grid_ctas,
        block_threads=launch.block_threads,
        shared_bytes=launch.shared_bytes,
        cooperative=launch.cooperative,
        ctas_per_sm=launch.ctas_per_sm,
        registers=launch.function.registers,
        local_bytes=launch.function.local_bytes,
    )
    return Timed(one.experiment, samples, one.relative_l2, facts, launch.function.name, cubin.sha256, cubin.compiler, cubin.options)
