"""Running: blocks one after the other, or side by side, each in a child; what goes wrong in one costs that one."""

from __future__ import annotations

import queue
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from megasolve.contracts import Contract, Study
from megasolve.contracts.measuring.times import SeenCosts

from ...children.child import ChildResult, Failed, Finished, TimedOut, reason, run_in_child
from ...compile.compiler import CompileFailed
from ...errors import GpuError
from ...harness.counts import Counts
from ...harness.places.places import MeasuringPlace
from ...harness.request import BLOCK_REQUEST, BlockRequest, Experiment
from ...harness.results import BLOCK_RESULT, BlockResult, Failure
from ...harness.wanted import experiment_of
from .conventional import conventional_contracts
from .costs import SEEN_COSTS
from .journal import finished_in
from .plan import TimesBlock

Answer: TypeAlias = BlockResult | Failure
"""What came of a block, or of one of its experiments outside of any result."""

_RUN_BLOCK, _RUN_COSTS = f"{__package__}.blocks:run_block", f"{__package__}.costs:run_costs"


class DriverLost(GpuError):
    """A child does not even die, so the driver hangs and nothing more can run; *finished* is what its block came to before."""

    finished: tuple[Answer, ...] = ()


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs blocks of *study* at a *place*. *seed* draws inputs and orders; *device* is as the user named it, if at all."""

    study: Study
    place: MeasuringPlace
    counts: Counts
    seed: int
    device: str | None = None

    def answers(self, blocks: Sequence[TimesBlock]) -> Iterator[tuple[TimesBlock, tuple[Answer, ...]]]:
        """Yield each block with what came of it, as they end.

        Raises
        ------
        DriverLost
            The driver hangs; blocks that have not been yielded have not been run.
        """
        workers = min(self.place.workers, len(blocks))
        if workers > 1:
            yield from _side_by_side(blocks, workers, self.answer)
        else:
            yield from _one_by_one(blocks, self.answer)

    def answer(self, block: TimesBlock) -> tuple[Answer, ...]:
        """Run one block and return what came of it.

        Raises
        ------
        DriverLost
            The driver hangs; what was finished of the block before is with the error.
        """
        found: list[Answer] = []
        try:
            for answer in self._run(block, tuple(map(experiment_of, block.wanted))):
                found.append(answer)  # noqa: PERF402 - what came before an error is kept
        except DriverLost as lost:
            lost.finished = tuple(found)
            raise
        return tuple(found)

    def costs(self, block: TimesBlock) -> SeenCosts | str:
        """Return what launches and waits cost, measured in a child as *block* would run in, or why they could not be measured."""
        # No contracts: it launches only the probes, which every place knows.
        result = self._ask(_RUN_COSTS, block, (), {})
        _require_dead(block, result)
        return SEEN_COSTS.validate_python(result.value) if isinstance(result, Finished) else reason(result)

    def _run(self, block: TimesBlock, pending: Sequence[Experiment]) -> Iterator[Answer]:
        """Ask for all that is *pending* in one child, for what it could not do in another, and one by one where a child dies."""
        while pending:
            try:
                result, finished = self._ask_block(block, pending)
            except GpuError as error:
                detail = error.log if isinstance(error, CompileFailed) else ""
                yield from (Failure(one, str(error), detail) for one in pending)
                return
            # Whoever kills the child alone has done it; of several, each is asked alone to find out which.
            is_alone = len(pending) == 1
            if finished is not None:
                yield finished
                pending = _without(pending, finished)
            # Behind what was finished: a driver that hangs costs nothing that was written down.
            _require_dead(block, result)
            if isinstance(result, Finished):
                # A child that ends well and says nothing of what is left would be asked for ever.
                is_useful = finished is not None and bool(finished.timed or finished.failures)
                pending = pending if is_useful else []
            elif isinstance(result, Failed) or is_alone:
                yield from (Failure(one, reason(result), _detail(result)) for one in pending)
                return
            else:
                for one in pending:
                    yield from self._run(block, (one,))
                return

    def _ask_block(self, block: TimesBlock, pending: Sequence[Experiment]) -> tuple[ChildResult, BlockResult | None]:
        """Return what became of a child, and what it finished: its answer or, where it gave none, what it had written down so far."""
        with tempfile.TemporaryDirectory(prefix="megasolve-", ignore_cleanup_errors=True) as folder:
            # What was timed before a child died is not lost: it is written down line by line.
            journal = Path(folder) / "finished.jsonl"
            result = self._ask(_RUN_BLOCK, block, pending, self.contracts(block), str(journal))
            return result, BLOCK_RESULT.validate_python(result.value) if isinstance(result, Finished) else finished_in(journal)

    def _ask(
        self,
        function: str,
        block: TimesBlock,
        experiments: Sequence[Experiment],
        contracts: dict[str, Contract],
        journal: str | None = None,
    ) -> ChildResult:
        request = BlockRequest(
            spec=self.study.spec.file,
            root=self.study.root,
            device=self.device,
            ordinal=self.place.ordinal,
            backend=block.backend,
            batch=block.batch,
            experiments=tuple(experiments),
            counts=self.counts,
            seed=self.seed,
            journal=journal,
        )
        with self.place.environment(self.study, contracts) as environment:
            # A deadline for the whole child, beside those of its launches: it may hang outside of any.
            deadline_s = self.place.deadline_s(max(len(experiments), 1))
            return run_in_child(function, BLOCK_REQUEST.dump_python(request, mode="json"), deadline_s=deadline_s, environment=environment)

    def contracts(self, block: TimesBlock) -> dict[str, Contract]:
        """Return the contracts that a block compiles: of a call of conventional kernels all, as it is qualified as a whole."""
        contracts = {document.value.entry: document.value for document in self.study.contracts}
        wanted = {one.key.entry: contracts[one.key.entry] for one in block.wanted}
        if block.backend == "megakernel":
            return wanted
        group, implementation = block.wanted[0].key.group, next(iter(wanted.values())).implementation or ""
        return {contract.entry: contract for contract in conventional_contracts(self.study, group, implementation)}


def _one_by_one(
    blocks: Sequence[TimesBlock], answer: Callable[[TimesBlock], tuple[Answer, ...]]
) -> Iterator[tuple[TimesBlock, tuple[Answer, ...]]]:
    for block in blocks:
        try:
            found = answer(block)
        except DriverLost as lost:
            # What the block came to is told before the error ends the run.
            yield block, lost.finished
            raise
        yield block, found


def _side_by_side(
    blocks: Sequence[TimesBlock], workers: int, answer: Callable[[TimesBlock], tuple[Answer, ...]]
) -> Iterator[tuple[TimesBlock, tuple[Answer, ...]]]:
    """Yield the answers of several children at a time. An interrupt does not wait for them: they end with this process."""
    waiting: queue.SimpleQueue[TimesBlock | None] = queue.SimpleQueue()
    ended: queue.SimpleQueue[tuple[TimesBlock, tuple[Answer, ...] | BaseException]] = queue.SimpleQueue()

    def work() -> None:
        while (block := waiting.get()) is not None:
            try:
                ended.put((block, answer(block)))
            except BaseException as error:  # noqa: BLE001 - whatever it is, it is raised where the answer is awaited
                ended.put((block, error))

    # Behind all blocks one None for each worker, which ends it.
    for block in (*blocks, *[None] * workers):
        waiting.put(block)
    for _ in range(workers):
        # Daemons: an interrupt ends the process without waiting for them, and the children end with it.
        threading.Thread(target=work, daemon=True).start()
    for _ in blocks:
        block, found = ended.get()
        if isinstance(found, DriverLost):
            yield block, found.finished
        if isinstance(found, BaseException):
            raise found
        yield block, found


def _without(pending: Sequence[Experiment], finished: BlockResult) -> list[Experiment]:
    done = {*(one.experiment for one in finished.timed), *(one.experiment for one in finished.failures)}
    return [one for one in pending if one not in done]


def _require_dead(block: TimesBlock, result: ChildResult) -> None:
    if isinstance(result, TimedOut) and not result.dead:
        raise DriverLost(f"{block}: {result}")


def _detail(result: ChildResult) -> str:
    """Return what a child said last, unless its message says it all."""
    # By name, as the class of an error does not come through JSON; ours say everything in their message.
    if isinstance(result, Finished) or (isinstance(result, Failed) and result.error in _names_of(GpuError)):
        return ""
    return result.stderr


def _names_of(error: type[Exception]) -> set[str]:
    return {error.__name__}.union(*map(_names_of, error.__subclasses__()))
