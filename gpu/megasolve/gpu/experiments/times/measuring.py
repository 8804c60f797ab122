"""Measuring: from wanted times to records in a file, with a report of what became of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from megasolve.contracts import Key, Record, Study, keys_of
from megasolve.contracts.measuring.times import SeenCosts
from megasolve.simulate.plan.wanted import WantedTime

from ...errors import GpuError
from ...harness.acceptance import Verdict, refusals
from ...harness.files.lines_file import LinesFileRefused
from ...harness.files.refused_file import keep_refused
from ...harness.results import BlockResult, Failure, Timed, WholeTime
from ...harness.wanted import experiment_of
from ...workloads.named import workload_of
from .measured_record import measured_record
from .plan import TimesBlock
from .record_file import RecordFile
from .running import Answer, Runner


@dataclass(frozen=True, slots=True)
class WrittenTime:
    """A wanted time that has a record now. *overhead_us* is what its launch takes with nothing to do."""

    wanted: WantedTime
    record: Record
    overhead_us: float


@dataclass(frozen=True, slots=True)
class RefusedTime:
    """Samples that are no record, the rules that they break, and the file that keeps them, None where it could not be written."""

    wanted: WantedTime
    broken: tuple[Verdict, ...]
    kept: Path | None = None


@dataclass(frozen=True, slots=True)
class FailedTime:
    """A wanted time that could not be taken, and why in one line; *detail* is more to read."""

    wanted: WantedTime
    message: str
    detail: str


@dataclass(frozen=True, slots=True)
class CallSum:
    """All conventional kernels of a call at once (*whole*), against the sum of their own times, which must all be known."""

    block: TimesBlock
    whole: WholeTime
    kernels_us: float


@dataclass(slots=True)
class TimesReport:
    """What became of every wanted time; *stopped* says why the rest was not tried."""

    written: list[WrittenTime] = field(default_factory=list)
    refused: list[RefusedTime] = field(default_factory=list)
    failed: list[FailedTime] = field(default_factory=list)
    sums: list[CallSum] = field(default_factory=list)
    costs: SeenCosts | str | None = None
    stopped: str | None = None

    @property
    def is_complete(self) -> bool:
        """Whether every wanted time has a record now."""
        return not (self.refused or self.failed or self.stopped)


def unheld(study: Study, wanted: Sequence[WantedTime], records: Sequence[Record]) -> tuple[WantedTime, ...]:
    """Return those of *wanted* that none of *records* gives, taken from the kernels as they are now.

    Raises
    ------
    GpuError
        A workload cannot be used.
    """
    contracts = {document.value.entry: document.value for document in study.contracts}
    sources: dict[Key, set[str | None]] = defaultdict(set)
    for record in records:
        for key in keys_of(record):
            sources[key].add(record.provenance.source_sha256)

    @cache
    def source_of(entry: str) -> str:
        contract = contracts[entry]
        # Once an entry, by the cache, and not once for each of its times: it hashes all sources.
        return workload_of(study, contract).kernels(contract).sha256

    return tuple(one for one in wanted if one.key not in sources or source_of(one.key.entry) not in sources[one.key])


def refuse_mixture(target: RecordFile, *, fake: bool) -> None:
    """Refuse a file that holds records of the other kind, real or of the stand-in.

    Raises
    ------
    LinesFileRefused
        It does.
    """
    if any(record.provenance.fake != fake for record in target.records):
        held, wanted = ("the stand-in", "a GPU") if not fake else ("a GPU", "the stand-in")
        raise LinesFileRefused(
            f"{target.path} holds records of {held}, which never mix with those of {wanted}; write to another file with -o"
        )


def measure(runner: Runner, blocks: Sequence[TimesBlock], target: RecordFile, *, tool: str, progress: Callable[[str], None]) -> TimesReport:
    """Measure *blocks* and write every time that is accepted to *target* as soon as its block has ended.

    Parameters
    ----------
    tool
        The name and version of this program.
    progress
        Called with one line for each thing that has begun or ended.

    Raises
    ------
    OSError
        The file cannot be written; what it holds stays.
    """
    recorder = _Recorder(runner, target, tool)
    if not blocks:
        return recorder.report
    progress("what launches and waits cost")
    try:
        recorder.report.costs = runner.costs(blocks[0])
        for number, (block, answers) in enumerate(runner.answers(blocks), start=1):
            for answer in answers:
                recorder.take(block, answer)
            progress(f"{number} of {len(blocks)}: {block}")
    # What was accepted before stands in the file already; only the rest is lost.
    except GpuError as error:
        recorder.report.stopped = str(error)
    return recorder.report


@dataclass(frozen=True, slots=True)
class _Recorder:
    """Turns answers into records, and tells the report."""

    runner: Runner
    target: RecordFile
    tool: str
    report: TimesReport = field(default_factory=TimesReport)

    def take(self, block: TimesBlock, answer: Answer) -> None:
        """Write what is accepted of *answer*, and note the rest."""
        wanted = {experiment_of(one): one for one in block.wanted}
        failures = (answer,) if isinstance(answer, Failure) else answer.failures
        self.report.failed.extend(FailedTime(wanted[failure.experiment], failure.message, failure.detail) for failure in failures)
        if isinstance(answer, BlockResult):
            for timed in answer.timed:
                self._record(wanted[timed.experiment], timed, answer)
            self.report.sums.extend(self._sums(block, answer))

    def _record(self, wanted: WantedTime, timed: Timed, result: BlockResult) -> None:
        if broken := refusals(timed, result.repeat_of(timed.experiment), self.runner.place.limits):
            kept = keep_refused(self.target.path, wanted, timed, result, broken, tool=self.tool)
            self.report.refused.append(RefusedTime(wanted, broken, kept))
            return
        device = self.runner.study.device.value
        record = measured_record(wanted, timed, result, counts=self.runner.counts, device=device, tool=self.tool)
        self.target.add(record, wanted.replaces)
        self.report.written.append(WrittenTime(wanted, record, timed.samples.overhead_us / timed.samples.calls))

    def _sums(self, block: TimesBlock, result: BlockResult) -> Iterator[CallSum]:
        """Yield the sum of the kernels of a call, where each of them was timed."""
        if result.whole is not None and len(result.timed) == len(self.runner.contracts(block)):
            yield CallSum(block, result.whole, sum(timed.samples.median_call_us for timed in result.timed))
