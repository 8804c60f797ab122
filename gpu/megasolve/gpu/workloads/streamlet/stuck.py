"""A program that never ends by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from megasolve.contracts import Contract, Study

from ...programs.diagnosis import diagnosed
from ...programs.executions import tile_programs
from ...programs.group_calls import Call, Streams
from ...programs.instructions import InstructionProgram, encoded
from ..calls import LaunchSet, LaunchSide, StatedCall
from .launching import persistent_launches
from .model import Model
from .persistent import compile_program


@dataclass(frozen=True, slots=True)
class StuckCall(StatedCall):
    """The launch of such a *program* on *ctas* CTAs."""

    program: InstructionProgram = field(kw_only=True)
    ctas: int = field(kw_only=True)

    def complaint(self, diagnosis: Sequence[int]) -> str | None:
        """Return at which tile the kernel gave up."""
        return diagnosed(diagnosis).text(self.program) if diagnosis[0] else None

    def gave_up(self, diagnosis: Sequence[int], reason: int) -> bool:
        """Return whether one of its CTAs gave up for *reason* in a wait that the program has.

        Every tile waits for the first one, by counters of its own with other targets, so that any CTA may be the first to say so.
        """
        said = diagnosed(diagnosis)
        return said.reason == reason and said.cta < self.ctas and said.is_a_wait_of(self.program)


def stuck_call(study: Study, model: Model, contract: Contract, ctas: int) -> StuckCall:
    """Return the launch of the stuck program of the entry on *ctas* CTAs."""
    program = stuck_program(study, model, contract)
    calls = tuple(Call(member) for member in contract.members)
    asked = LaunchSet(study, model.sizes.batch, Streams(calls), (LaunchSide(contract, ctas, calls),))
    return StuckCall(tuple(persistent_launches(program, asked)), program=program, ctas=ctas)


def stuck_program(study: Study, model: Model, contract: Contract) -> InstructionProgram:
    """Return a program of the entry whose first tile waits for an arrival that never comes, and with it all that wait for that tile."""
    calls = tuple(Call(member) for member in contract.members)
    program = compile_program(model, study.spec.value, tile_programs(study, contract, model.sizes.batch), Streams(calls))
    first, *rest = (program.instruction(index) for index in range(len(program)))
    # The counter behind the last one of the program, which no tile signals.
    waiting = replace(first, waits=(*first.waits, (program.counters, 1)))
    return encoded([waiting, *rest], program.counters + 1, program.origins, (program.common, program.x, program.y))
