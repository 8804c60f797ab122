"""What is asked of many studies, and what comes of each: plain values, which go to other processes and back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from megasolve.contracts import Document, Finding, Input, JsonObject, Stamp
from megasolve.contracts.files.disk.program import program_digest, program_version
from megasolve.contracts.model.contract import Assumptions
from megasolve.simulate import Effects

from ...evidence.cache import digest
from ...evidence.derivation import Derivation
from ...select.result import Result
from ..solving import TOP


@dataclass(frozen=True, slots=True)
class AskedStudies:
    """What is asked of every spec: what `solve` is asked of one, and how its files are read. By default what each spec says.

    A spec is planned for *batches*, by default all that it lists. *options* are shown in each result, as those that it was made with.
    """

    batches: tuple[int, ...] = ()
    objectives: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    pareto: tuple[str, ...] = ()
    ablation: str = "full"
    effects: Effects = field(default_factory=Effects)
    derivation: Derivation = field(default_factory=Derivation)
    top: int = TOP
    seconds: float | None = None
    whole: bool = False
    device: str | None = None
    root: str | None = None
    settings: tuple[str, ...] = ()
    allow_simulated_hardware: bool = False
    assumed: Document[Assumptions] | None = None
    measured_only: bool = False
    options: JsonObject = field(default_factory=dict)

    def key(self, inputs: tuple[Input, ...], batch: int) -> str:
        """Return the digest of everything that decides the answer for *batch* of a study that was read from *inputs*."""
        goals = [list(self.objectives), list(self.where), list(self.pareto), self.ablation]
        off = [list(self.effects.off), list(self.derivation.off)]
        effort = [self.top, self.seconds, self.whole]
        reading = [self.device, self.root, list(self.settings), self.allow_simulated_hardware, self.measured_only]
        files = [[one.path, one.sha256] for one in inputs]
        return digest([program_digest(), files, batch, goals, off, effort, reading, self.options])

    def stamp(self, inputs: tuple[Input, ...], batch: int) -> Stamp:
        """Return what the answer for *batch* is made of."""
        return Stamp(program_version(), inputs, {**self.options, "batch": [batch]})


Written = Callable[[Result, Stamp], str]
"""Writes the result for one batch as one line: a function of a module."""


@dataclass(frozen=True, slots=True)
class StudyFailure:
    """Why a study has no answer: *because* in one line, and what was found in its files.

    *is_fault*: megasolve or its machine is to blame, not the input.
    """

    because: str
    findings: tuple[Finding, ...] = ()
    is_fault: bool = False


@dataclass(frozen=True, slots=True)
class StudyAnswer:
    """What came of the spec in *file* at *batch*: a *line* of JSON, or a *failure*; without a batch none of them could be asked for.

    *is_feasible*: there is a design. *has_findings*: something is wrong with the best one. *is_stored*: it was taken from the store.
    *warnings* are those of its files, and of its cache.
    """

    file: str
    batch: int | None
    line: str = ""
    failure: StudyFailure | None = None
    is_feasible: bool = False
    has_findings: bool = False
    is_stored: bool = False
    warnings: tuple[Finding | str, ...] = ()
