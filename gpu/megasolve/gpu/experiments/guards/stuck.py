"""A program that never ends by itself."""

from __future__ import annotations

from dataclasses import replace

from megasolve.contracts import Contract, Study

from ...programs.executions import tile_programs
from ...programs.group_calls import Call, Streams
from ...programs.instructions import InstructionProgram, encoded
from ...workloads.streamlet.model import Model
from ...workloads.streamlet.persistent import compile_program


def stuck_program(study: Study, model: Model, contract: Contract) -> InstructionProgram:
    """Return a program of the entry whose first tile waits for an arrival that never comes, and with it all that wait for that tile."""
    calls = tuple(Call(member) for member in contract.members)
    program = compile_program(model, study.spec.value, tile_programs(study, contract, model.sizes.batch), Streams(calls))
    first, *rest = (program.instruction(index) for index in range(len(program)))
    # The counter behind the last one of the program, which no tile signals.
    waiting = replace(first, waits=(*first.waits, (program.counters, 1)))
    return encoded([waiting, *rest], program.counters + 1, program.origins, (program.common, program.x, program.y))
