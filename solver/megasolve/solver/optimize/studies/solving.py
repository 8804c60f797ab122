"""Solving many studies: specs are opened and batches planned by whoever works, and answers are told in the order asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from megasolve.contracts import Finding

from ...evidence.derivation import Stage, Watch
from ...pool.executor import Executor
from ...pool.pool import ProcessPool
from .asked import AskedStudies, StudyAnswer, StudyFailure, Written
from .opening import Opened, SpecTask, opened
from .planning import BatchTask, Planned, planned
from .store import Store, Stored

OPEN_AT_ONCE = 64
"""So many specs are open at a time: their studies are kept until their batches are planned."""


def solve_studies(
    files: Sequence[str],
    asked: AskedStudies,
    tell: Callable[[StudyAnswer], None],
    *,
    written: Written,
    executor: Executor | None = None,
    opener: Executor | None = None,
    store: Store | None = None,
    resume: bool = False,
    watch: Watch | None = None,
) -> None:
    """Plan every batch of every spec in *files*, each as a task of its own, and *tell* the answers in the order asked.

    An answer is told as soon as all before it are. It is the same, to the byte, whoever works and however many, unless a limit of time
    ends a search. What goes wrong with a study is its answer, and the others go on.

    Parameters
    ----------
    files
        The paths of the specs. The same one may come twice.
    asked
        What is asked of each.
    tell
        Hears the answers.
    written
        Writes a result as a line; `megasolve.report.solved_line` writes what `solve --format json` prints, on one line.
    executor
        Who plans; by default this process. It needs no files.
    opener
        Who reads and judges the specs; by default whoever plans. It needs the files, by the same paths.
    store
        Where finished results are kept, as soon as they are.
    resume
        Take what the store has, and plan only what it has not.
    watch
        Told how many answers there are, of how many.
    """
    planner = executor or ProcessPool(1)
    run = _Run(asked, tell, written, planner, opener=opener or planner, recalled=store if resume else None, kept=store, watch=watch)
    run.begin(len(files))
    for first in range(0, len(files), OPEN_AT_ONCE):
        run.solve(files[first : first + OPEN_AT_ONCE])


class _Run:
    """One run over many specs."""

    def __init__(
        self,
        asked: AskedStudies,
        tell: Callable[[StudyAnswer], None],
        written: Written,
        executor: Executor,
        *,
        opener: Executor,
        recalled: Store | None,
        kept: Store | None,
        watch: Watch | None,
    ) -> None:
        self._asked = asked
        self._tell = tell
        self._written = written
        self._executor = executor
        self._opener = opener
        self._recalled = recalled
        self._kept = kept
        self._watch = watch
        self._done = self._known = self._unopened = 0

    def begin(self, specs: int) -> None:
        """Begin with so many *specs*, each of which counts as one answer until it is known how many it gives."""
        self._unopened = specs
        self._show()

    def solve(self, files: Sequence[str]) -> None:
        """Open *files* and plan all their batches."""
        specs = self._opened(files)
        self._unopened -= len(files)
        slots = [slot for file, spec in zip(files, specs, strict=True) for slot in self._slots(file, spec)]
        self._known += len(slots)
        turn = _InTurn([slot.answer for slot in slots], self._tell)
        waiting = [(place, slot.task) for place, slot in enumerate(slots) if slot.task is not None]
        self._done += len(slots) - len(waiting)
        self._show()

        def answered(number: int, answer: StudyAnswer) -> None:
            place = waiting[number][0]
            self._done += 1
            turn.fill(place, replace(answer, warnings=(*slots[place].warnings, *answer.warnings)))
            self._show()

        def finished(number: int, plan: Planned) -> None:
            task = waiting[number][1]
            if self._kept is not None and plan.failure is None:
                self._kept.keep(task.key, Stored(plan.line, plan.is_feasible, plan.has_findings))
            warnings = (f"Warning: {plan.warning}",) if plan.warning else ()
            said = StudyAnswer(task.file, task.batch, plan.line, plan.failure, plan.is_feasible, plan.has_findings, warnings=warnings)
            answered(number, said)

        def lost(number: int, fate: str) -> None:
            task = waiting[number][1]
            answered(number, StudyAnswer(task.file, task.batch, failure=_lost(task.file, fate)))

        self._executor.run(planned, [task for _, task in waiting], finished, lambda task: task.file, lost=lost)

    def _opened(self, files: Sequence[str]) -> list[Opened]:
        found: dict[int, Opened] = {}

        def lost(number: int, fate: str) -> None:
            found[number] = Opened(failure=_lost(files[number], fate))

        self._opener.run(opened, [SpecTask(file, self._asked) for file in files], found.__setitem__, lost=lost)
        return [found[number] for number in range(len(files))]

    def _slots(self, file: str, spec: Opened) -> list[_Slot]:
        """Return what there is to answer for a spec: its failure, or each batch."""
        if spec.study is None:
            return [_Slot(StudyAnswer(file, None, failure=spec.failure, warnings=spec.warnings))]
        slots = []
        for place, (batch, key) in enumerate(spec.batches):
            warnings = spec.warnings if not place else ()
            stored = self._recalled.recall(key) if self._recalled is not None else None
            if stored is not None:
                said = StudyAnswer(
                    file, batch, stored.line, None, stored.is_feasible, stored.has_findings, is_stored=True, warnings=warnings
                )
                slots.append(_Slot(said))
            else:
                task = BatchTask(file, spec.study, spec.inputs, batch, key, self._asked, self._written)
                slots.append(_Slot(None, task, warnings))
        return slots

    def _show(self) -> None:
        if self._watch:
            self._watch(Stage("plans", self._done, self._known + self._unopened))


@dataclass(frozen=True, slots=True)
class _Slot:
    """A place among the answers: the *answer*, or the *task* that gives it and the warnings that stand before it."""

    answer: StudyAnswer | None
    task: BatchTask | None = None
    warnings: tuple[Finding | str, ...] = ()


class _InTurn:
    """Tells *answers* in their order, each as soon as all before it are there."""

    def __init__(self, answers: Sequence[StudyAnswer | None], tell: Callable[[StudyAnswer], None]) -> None:
        self._answers = dict(enumerate(answers))
        self._next = 0
        self._tell = tell
        self._told()

    def fill(self, place: int, answer: StudyAnswer) -> None:
        """Put *answer* in its place."""
        self._answers[place] = answer
        self._told()

    def _told(self) -> None:
        while (answer := self._answers.get(self._next)) is not None:
            # What was told is kept no longer: there may be thousands of long lines.
            self._answers[self._next] = None
            self._next += 1
            self._tell(answer)


def _lost(file: str, fate: str) -> StudyFailure:
    return StudyFailure(f"{file}: {fate}, as did one before it at the same task", is_fault=True)
