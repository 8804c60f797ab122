"""Programs of waits and arrivals alone: their instructions compute nothing, for proofs about the order of things."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from megasolve.gpu.programs.arenas import laid_out
from megasolve.gpu.programs.finishing import CtaPool, replay
from megasolve.gpu.programs.group_calls import Call
from megasolve.gpu.programs.instructions import Instruction, InstructionProgram, Origin, encoded
from megasolve.gpu.programs.operations import OPERATIONS

_TANH = {"function": 2, "rows": 1, "cols": 1, "lda": 1, "ldb": 1, "ldy": 1}
_ELEMENTS = 100_000

BARE_LAYOUT = laid_out([("floats", "places", (_ELEMENTS,))])
"""The arenas of these programs."""


def bare(waits: Iterable[tuple[int, int]] = (), signals: Iterable[int] = (), place: int = 0) -> Instruction:
    """Return an instruction with these waits and arrivals, which writes the element *place* and reads the last of all."""
    operation = OPERATIONS["elementwise"]
    arguments = {**_TANH, "a": _ELEMENTS - 1, "b": _ELEMENTS - 1, "y": place}
    return Instruction(operation, tuple(arguments.get(name, 0) for name in operation.arguments), tuple(waits), tuple(signals), 0)


def program_of(common: Sequence[Instruction], x: Sequence[Instruction] = (), y: Sequence[Instruction] = ()) -> InstructionProgram:
    """Return a program of three streams; it has as many counters as its instructions name."""
    instructions = [*common, *x, *y]
    named = {counter for one in instructions for counter in (*one.signals, *(wait[0] for wait in one.waits))}
    first, second = len(common), len(common) + len(x)
    streams = range(first), range(first, second), range(second, len(instructions))
    return encoded(instructions, max(named, default=-1) + 1, [Origin(Call("B"), "bare", 0)], streams)


def barrier_program(meetings: Sequence[int]) -> InstructionProgram:
    """Return a program in which CTA c meets a barrier of all CTAs *meetings[c]* times: round by round an arrival each, then a wait each.

    The wait of a CTA in a round is the instruction behind the arrivals of that round, so one CTA to an instruction and tickets both run it.
    """
    rounds = [[cta for cta, times in enumerate(meetings) if times > turn] for turn in range(max(meetings))]
    arriving = [[bare([], [turn], place=_place(turn, cta)) for cta in ctas] for turn, ctas in enumerate(rounds)]
    waiting = [[bare([(turn, len(meetings))], [], place=_place(turn, cta) + 1) for cta in ctas] for turn, ctas in enumerate(rounds)]
    return program_of([one for turn in zip(arriving, waiting, strict=True) for part in turn for one in part])


def _place(turn: int, cta: int) -> int:
    return 2 * (turn * 1_000 + cta)


def one_cta_each(ctas: int, instructions: int) -> list[CtaPool]:
    """Return a grid without tickets: CTA c runs instruction c of each of so many rounds of one instruction per CTA."""
    return [CtaPool(range(cta, ctas * instructions, ctas), 1) for cta in range(ctas)]


def finishes(program: InstructionProgram, pools: Sequence[CtaPool], resident: int, *, ordered: bool = True) -> bool:
    """Return whether *program* ends when *pools* run it; CTAs start in order or, unless *ordered*, possibly in the opposite one."""
    instructions = [program.instruction(index) for index in range(len(program))]
    orders = (False,) if ordered else (False, True)
    return all(len(replay(instructions, (), pools, resident, descending=order).ran) == len(program) for order in orders)
