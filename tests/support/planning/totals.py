"""What one execution of a program moves and computes: what worked examples by hand, and published models, are compared with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from megasolve.contracts.model.programs.operators import Block
from megasolve.contracts.operators.work import OperatorWork
from megasolve.contracts.sizes.operators import size_of, work_of


@dataclass(frozen=True, slots=True)
class ProgramTotals:
    """What one execution of a program moves and computes; state bytes are read and written, operators are executions."""

    operators: int = 0
    weight_bytes: int = 0
    activation_bytes: int = 0
    output_bytes: int = 0
    state_bytes: int = 0
    flops: int = 0

    def plus(self, work: OperatorWork, times: int) -> ProgramTotals:
        """Return these totals with *times* executions of *work* more."""
        return ProgramTotals(
            self.operators + times,
            self.weight_bytes + times * work.weight_bytes,
            self.activation_bytes + times * work.activation_bytes,
            self.output_bytes + times * work.output_bytes,
            self.state_bytes + times * work.state_bytes,
            self.flops + times * work.flops,
        )


def program_totals(program: Iterable[Block], symbols: Mapping[str, int]) -> ProgramTotals:
    """Return what one execution of *program* moves and computes, with every repeat."""
    totals = ProgramTotals()
    for block in program:
        times = size_of(block.repeat, symbols, 0)
        for operator in block.operators:
            totals = totals.plus(work_of(operator, symbols), times)
    return totals
