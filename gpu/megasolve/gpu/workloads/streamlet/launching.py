"""What persistent launches of a program are handed: the program, the streams that each runs, counters, tickets, arenas and guards."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...compile.build import symbols_of
from ...programs.instructions import InstructionProgram
from ..calls import Buffer, Constant, KernelArgument, LaunchSet, Scratch, StatedLaunch, TraceMemory, Word

ARENAS = (Buffer("floats"), Buffer("weights"), Buffer("ids"))
# One for each stream: the common one, X and Y.
_TICKETS = 3
# Of each instruction, in 64 bits: when it was taken, when its wait was over, when it was done, and its SM.
TRACE_WORDS = 4


def persistent_launches(program: InstructionProgram, asked: LaunchSet) -> Iterator[StatedLaunch]:
    """Yield the launch of each side of *asked* by *program*. Two share its counters, and each has tickets of its own."""
    held = tuple(Constant(words) for words in (program.words, program.waits, program.signals))
    for number, side in enumerate(asked.sides):
        (symbol,) = symbols_of(side.contract)
        told = _told(program, asked, number)
        rest = _rest(program, number)
        # Streams of no instructions make the same kernel find nothing to do.
        arguments, idle = ((*held, Constant(streams), *rest) for streams in (told, np.zeros_like(told)))
        yield StatedLaunch(symbol, side.contract.grid_ctas or side.ctas, arguments, side.contract.entry, idle)


def _told(program: InstructionProgram, asked: LaunchSet, number: int) -> NDArray[np.int32]:
    if len(asked.sides) == 1:
        return program.streams(asked.x_ctas)
    return program.streams_of_pool((program.x, program.y)[number], asked.sides[number].ctas)


def _rest(program: InstructionProgram, number: int) -> tuple[KernelArgument, ...]:
    """Return the arguments of a persistent entry behind its program and streams."""
    counted = (Scratch("counters", program.counters), Scratch(f"tickets {number}", _TICKETS))
    return (*counted, *ARENAS, Word.STOP, Word.DIAGNOSIS, TraceMemory(TRACE_WORDS * len(program)), Word.TIMEOUT_NS)
