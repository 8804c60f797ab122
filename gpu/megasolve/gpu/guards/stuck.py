"""A program that never ends by itself."""

from __future__ import annotations

from dataclasses import replace

from megasolve.contracts import Contract, Study

from ..executions import tile_programs
from ..group_calls import Call, Streams
from ..instructions import InstructionProgram, encoded
from ..program import compile_program
from ..streamlet.model import Model


def stuck_program(study: Study, model: Model, contract: Contract) -> InstructionProgram:
    """Return a program of the entry whose first tile waits for an arrival that never comes, and with it all that wait for that tile."""
    calls = tuple(Call(member) for member in contract.members)
    program = compile_program(model, study.spec.value, tile_programs(study, contract, model.sizes.batch), Streams(calls))
    first, *rest = (program.instruction(index) for index in range(len(program)))
    waiting = replace(first, waits=(*first.waits, (program.counters, 1)))
    return encoded([waiting, *rest], program.counters + 1, program.origins, (program.common, program.x, program.y))
