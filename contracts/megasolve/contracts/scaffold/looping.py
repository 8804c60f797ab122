"""Contracts that loop on the device beside a profile: one launch runs all steps, so that the profile has no time of one step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..model.contract import Contract
from ..model.wording import counted
from ..observe.globs import Globs
from ..observe.observation import StepsBy
from ..observe.steps.marks import STEP_MARKS
from ..profiles.execution import Execution, KernelShape
from ..profiles.wording import microseconds
from .matching import claims

_REPAIR = "a record is the time of one step: measure it, or write it from a run of a known number of steps"


@dataclass(frozen=True, slots=True)
class Looping:
    """What a profile shows of *contract*, whose one launch runs all steps: its *launches*, their time, and the marks of *steps*."""

    contract: Contract
    launches: int
    total_ps: int
    steps: int

    @property
    def is_contradicted(self) -> bool:
        """Whether it was launched step by step."""
        return 1 < self.steps <= self.launches

    def __str__(self) -> str:
        entry, steps = self.contract.entry, f"all {self.steps:,} steps" if self.steps > 1 else "all steps"
        if self.is_contradicted:
            told = f"'{entry}' says loops_on_device: true, one launch for all steps, but {counted(self.launches, 'launch', 'launches')}"
            return f"{told} of it ran in {self.steps:,} steps; say false where each step is a launch"
        if self.launches == 1:
            told = f"one launch of '{entry}' runs {steps} (loops_on_device: true) in {microseconds(self.total_ps)}"
            return f"{told}, and nothing tells their times apart; {_REPAIR}"
        told = f"{self.launches:,} launches of '{entry}', each of which runs all of its steps (loops_on_device: true)"
        return f"{told}, take {microseconds(self.total_ps)}, and nothing tells the times of steps apart; {_REPAIR}"


def looping(execution: Execution, contracts: Sequence[Contract], by: StepsBy) -> tuple[Looping, ...]:
    """Return what *execution*, whose steps are found as *by* says, shows of those of *contracts* that loop on the device."""
    if not any(contract.loops_over_steps for contract in contracts):
        return ()
    launched = _launched(execution)
    claimed = claims(contracts, tuple(launched))
    steps = _marked_steps(execution, by)
    return tuple(_looping(contracts, claimed, launched, steps))


def _looping(
    contracts: Sequence[Contract], claimed: Mapping[str, Sequence[KernelShape]], launched: Mapping[KernelShape, tuple[int, int]], steps: int
) -> Iterator[Looping]:
    for contract in contracts:
        seen = [launched[shape] for shape in claimed[contract.entry]]
        if contract.loops_over_steps and seen:
            yield Looping(contract, sum(launches for launches, _ in seen), sum(total_ps for _, total_ps in seen), steps)


def _launched(execution: Execution) -> Mapping[KernelShape, tuple[int, int]]:
    """Return how often each shape was launched, and how long it ran in all."""
    found: dict[KernelShape, tuple[int, int]] = {}
    for kernel in execution.kernels:
        launches, total_ps = found.get(kernel.shape, (0, 0))
        found[kernel.shape] = (launches + 1, total_ps + (kernel.duration_ps or 0))
    for summary in execution.summaries:
        launches, total_ps = found.get(summary.shape, (0, 0))
        found[summary.shape] = (launches + summary.instances, total_ps + summary.total_ps)
    return found


def _marked_steps(execution: Execution, by: StepsBy) -> int:
    """Return how many marks of steps there are, also of those that launched nothing; 0 where nothing marks them."""
    marks = (by.marks,) if by.marks is not None else STEP_MARKS if by.is_usual else ()
    counts = (sum(globs.match(span.name) for span in execution.annotations) for globs in (Globs([mark]) for mark in marks))
    return next((count for count in counts if count), 0)
