"""The inside of a child: all experiments of one block, in one session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from megasolve.contracts import Contract, Study

from ...compile.compiler import CompileFailed
from ...driver import Context
from ...errors import GpuError
from ...harness.asked_study import asked_study
from ...harness.launching.buffers import WorkloadBench
from ...harness.launching.kernels import Kernels, load_kernels
from ...harness.protocol import Samples, Timer, drawn_order
from ...harness.request import BLOCK_REQUEST, BlockRequest, Experiment
from ...harness.results import BLOCK_RESULT, BlockResult, Failure, LaunchFacts, Repeat, Timed, WholeTime
from ...harness.session import Session
from ...harness.versions import driver_versions
from ...harness.waiting import ends_session
from ...workloads.calls import AskedCall
from ...workloads.named import workload_of
from .conventional import conventional_contracts
from .designs import Design, PersistentDesign, WholeCall
from .journal import Journal
from .repeats import REFERENCES, is_settled, judged, repeated

_LOG_KEPT = 2000


def run_block(values: object) -> object:
    """Qualify and time the experiments of a `BlockRequest`, and return a `BlockResult`, both as values of JSON."""
    request = BLOCK_REQUEST.validate_python(values)
    study = asked_study(request)
    with Context(request.ordinal) as context:
        return BLOCK_RESULT.dump_python(_run(context, study, request), mode="json")


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
    call: AskedCall
    relative_l2: float


class _ContextLost(Exception):
    """Nothing more can be done in this process, because of what happened to *experiments*."""

    def __init__(self, experiments: Sequence[Experiment], error: GpuError) -> None:
        super().__init__(str(error))
        self.experiments = experiments


class _Block:
    """One block at work: its session, and which experiments are finished or failed so far."""

    def __init__(self, session: Session, request: BlockRequest) -> None:
        self._session, self._request = session, request
        # A block has one workload: it is one entry, or kernels that are launched together.
        workload = workload_of(session.study, self._contract(request.experiments[0].entry))
        self._bench = WorkloadBench.of(session, workload, request.seed)
        self._versions = driver_versions(session.context)
        self._journal = Journal(request.journal, session.context.device, self._versions)
        self._finished: list[Timed] = []
        self._repeats: list[Repeat] = []
        self._failures: list[Failure] = []

    def run(self) -> BlockResult:
        """Qualify all, then time all. What ends the context leaves those that are not finished to be asked again."""
        whole = None
        try:
            if self._request.backend == "conventional":
                whole = self._conventional()
            else:
                self._time(self._persistent(), Timer(self._session))
        except _ContextLost as lost:
            self._failures.extend(Failure(one, str(lost)) for one in lost.experiments)
        return self._result(whole)

    def _result(self, whole: WholeTime | None) -> BlockResult:
        # One that was timed and failed when it was taken again has failed.
        failed = {failure.experiment for failure in self._failures}
        timed = tuple(one for one in self._finished if one.experiment not in failed)
        repeats = (repeat for repeat in self._repeats if repeat.experiment not in failed)
        nearest, unsteady = judged(repeats, self._session.counts.settled)
        return BlockResult(self._session.context.device, self._versions, timed, tuple(self._failures), nearest, whole, unsteady)

    def _persistent(self) -> list[_Qualified]:
        experiments, qualified = self._request.experiments, list[_Qualified]()
        with self._failing(*experiments):
            # A block is one entry at one batch: what loading costs is paid once for all of its budgets.
            kernels = load_kernels(self._session, self._contract(experiments[0].entry))
            for experiment in experiments:
                with self._failing(experiment):
                    call = self._call(experiment.group)
                    design = PersistentDesign(self._bench, kernels, call, experiment.budget_ctas)
                    qualified.append(_Qualified(experiment, design, kernels, call, design.qualify()))
        return qualified

    def _conventional(self) -> WholeTime | None:
        experiments = self._request.experiments
        call = self._call(experiments[0].group)
        with self._failing(*experiments):
            implementation = self._contract(experiments[0].entry).implementation or ""
            contracts = conventional_contracts(self._session.study, call.group, implementation)
            kernels = {contract.entry: load_kernels(self._session, contract) for contract in contracts}
            # Kernels of a call feed each other, so they are qualified together, and timed one by one.
            whole = WholeCall(self._bench, kernels, call)
            distance = whole.qualify()
            parts = [(one, kernels[one.entry]) for one in experiments]
            qualified = [_Qualified(one, whole.part(of.contract), of, call, distance) for one, of in parts]
            return self._timed_beside(whole, qualified)
        return None

    def _timed_beside(self, whole: WholeCall, qualified: Sequence[_Qualified]) -> WholeTime:
        timer = Timer(self._session)
        self._bench.buffers.load(qualified[0].call)
        # Every kernel finds what the one before it would have left.
        timer.run_each(whole.subject(1))
        self._time(qualified, timer, is_loaded=True)
        samples = timer.samples(whole.subject)
        return WholeTime(whole.kernels, samples.median_call_us, samples.overhead_us / samples.calls)

    def _time(self, qualified: Sequence[_Qualified], timer: Timer, *, is_loaded: bool = False) -> None:
        """Time all in random order, and one of the first again at the end."""
        # Heat and clocks drift over a block; drawn, they favour no budget.
        order = drawn_order(qualified, self._request.seed)
        for one in order:
            with self._failing(one.experiment):
                self._finish(_timed(one, self._samples(one, timer, is_loaded=is_loaded)))
        of = {one.experiment: one for one in order}
        # The first of the block again: whatever drifted in between shows between its two times.
        for timed in self._finished[:REFERENCES]:
            if is_settled(self._repeats, self._session.counts.settled):
                return
            with self._failing(timed.experiment, even_finished=True):
                self._repeats.append(self._repeat(of[timed.experiment], timed, timer, is_loaded=is_loaded))

    def _finish(self, timed: Timed) -> None:
        self._finished.append(timed)
        self._journal.add(timed)

    def _repeat(self, one: _Qualified, timed: Timed, timer: Timer, *, is_loaded: bool) -> Repeat:
        def again() -> float:
            return self._samples(one, timer, is_loaded=is_loaded, calls=timed.samples.calls).raw_call_us

        return repeated(one.experiment, timed.samples.raw_call_us, again, self._session.counts.settled)

    def _samples(self, one: _Qualified, timer: Timer, *, is_loaded: bool, calls: int | None = None) -> Samples:
        # Conventional kernels share what the whole call left behind; loading again would take it from them.
        if not is_loaded:
            self._bench.buffers.load(one.call)
        self._session.words.clear()
        samples = timer.samples(one.design.subject, calls)
        # A launch that gave up took a time, too; it is thrown away, not recorded.
        one.design.check()
        return samples

    def _call(self, group: str) -> AskedCall:
        return AskedCall(self._session.study, group, self._session.batch)

    def _contract(self, entry: str) -> Contract:
        found = [document.value for document in self._session.study.contracts if document.value.entry == entry]
        if not found:
            raise GpuError(f"the spec has no contract of '{entry}' any more")
        return found[0]

    @contextmanager
    def _failing(self, *experiments: Experiment, even_finished: bool = False) -> Iterator[None]:
        """Note what goes wrong inside as the failure of *experiments*, of finished ones only if asked; what ends the context goes on."""
        try:
            yield
        except GpuError as error:
            spared = {failure.experiment for failure in self._failures}
            spared |= set() if even_finished else {timed.experiment for timed in self._finished}
            failed = [one for one in experiments if one not in spared]
            # A driver fault is sticky: every later call in this process would fail with the same one.
            if ends_session(error):
                raise _ContextLost(failed, error) from None
            detail = error.log[:_LOG_KEPT] if isinstance(error, CompileFailed) else ""
            self._failures.extend(Failure(one, str(error), detail) for one in failed)


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
    return Timed(
        experiment=one.experiment,
        samples=samples,
        relative_l2=one.relative_l2,
        launch=facts,
        symbol=launch.function.name,
        cubin_sha256=cubin.sha256,
        compiler=cubin.compiler,
        options=cubin.options,
        source_sha256=one.kernels.code.sha256,
    )
