"""The verifier: what must hold of a program before any launch, proved from its words alone.

Every number stays in its range, every counter gets exactly the arrivals that are waited for, every tile stays inside the arenas and
within what the kernels can do, the grid finishes with as many CTAs as are resident, and no two tiles race.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from .arenas import Layout
from .finishing import CtaPool, Ending, replay
from .instructions import Instruction, InstructionProgram
from .operation import Operation
from .operations import OPERATIONS
from .ordering import conflicts
from .tile import Access

Kind = Literal["range", "counter", "arguments", "grid", "deadlock", "race"]

_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class ProgramFault:
    """One reason not to launch a program; *instruction* is the one concerned, None where it is the program as a whole."""

    kind: Kind
    message: str
    instruction: int | None = None

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True)
class ProgramGrid:
    """The grid of a launch, in CTAs: all of them, how many the device holds at a time, and how many are pool X.

    *ordered* says that the device starts CTAs in the order of their numbers; without it the program must also finish if it does not.
    """

    ctas: int
    resident: int
    x_ctas: int = 0
    cooperative: bool = True
    ordered: bool = False


def faults(
    program: InstructionProgram, layout: Layout, grid: ProgramGrid, operations: Collection[str] | None = None
) -> tuple[ProgramFault, ...]:
    """Return every reason why *program* must not be launched as *grid* on arenas of *layout*; empty if it is sound.

    *operations* are those that the entry holds, by default all. What makes further proofs pointless ends the list: a deadlock is not
    looked for where counters are wrong, nor races behind one.
    """
    found = [*grid_faults(grid), *_range_faults(program, frozenset(OPERATIONS if operations is None else operations))]
    # Words out of range are no instructions, so nothing else can be read from them.
    if any(fault.kind == "range" for fault in found):
        return tuple(found)
    instructions = [program.instruction(index) for index in range(len(program))]
    touched: dict[int, tuple[Access, ...]] = {}
    for index, one in enumerate(instructions):
        touched[index], texts = inspected(one.operation, one.arguments, layout)
        found.extend(_fault(program, "arguments", index, f"{one.operation.name}: {text}") for text in texts)
    found.extend(_counter_faults(program, instructions))
    found.extend(_stream_faults(program, instructions))
    # A replay of counters that are wrong would only repeat what was said.
    if found:
        return tuple(found)
    endings = _endings(program, instructions, grid)
    found.extend(_stuck(program, instructions, endings, grid))
    # A race is looked for in an order that is possible: that of a replay which ran to its end.
    return tuple(found or _races(program, instructions, endings[0].ran, touched, layout))


def grid_faults(grid: ProgramGrid) -> Iterator[ProgramFault]:
    """Yield why *grid* cannot be launched at all. It is never made smaller: another grid is another design, with times of its own."""
    if grid.cooperative and grid.ctas > grid.resident:
        yield ProgramFault(
            "grid",
            f"a cooperative grid of {grid.ctas:,} CTAs > {grid.resident:,} resident at a time; a smaller one is another design: "
            f"declare a budget of at most {grid.resident:,} and measure that",
        )
    if not 0 <= grid.x_ctas <= grid.ctas:
        yield ProgramFault("grid", f"pool X has {grid.x_ctas} of {grid.ctas} CTAs; expected 0 to {grid.ctas}")
    if grid.ctas < 1 or grid.resident < 1:
        yield ProgramFault("grid", f"{grid.ctas} CTAs of which {grid.resident} are resident; at least 1 of each")


def _range_faults(program: InstructionProgram, operations: frozenset[str]) -> Iterator[ProgramFault]:
    names = {operation.code: operation.name for operation in OPERATIONS.values()}
    for index, (code, first_wait, waits, first_signal, signals, origin, *_) in enumerate(program.words.tolist()):
        if not 0 <= origin < len(program.origins):
            yield ProgramFault("range", f"instruction {index}: origin {origin}, expected 0 to {len(program.origins) - 1}", index)
        elif code not in names:
            yield _fault(program, "range", index, f"no operation has code {code}")
        elif names[code] not in operations:
            yield _fault(program, "range", index, f"the entry has no '{names[code]}', only {', '.join(sorted(operations))}")
        elif not _is_inside(first_wait, waits, len(program.waits)) or not _is_inside(first_signal, signals, len(program.signals)):
            yield _fault(program, "range", index, "its waits or signals lie outside the lists of the program")
    named = chain(program.waits[:, 0].tolist(), program.signals.tolist())
    for counter in sorted({counter for counter in named if not 0 <= counter < program.counters}):
        yield ProgramFault("range", f"counter {counter}, expected 0 to {program.counters - 1}")
    # Each instruction in one stream, once: a tile that runs twice, or never, is no schedule of this program.
    if [*program.common, *program.x, *program.y] != list(range(len(program))):
        yield ProgramFault("range", f"the streams do not hold each of the {len(program)} instructions once")


def _is_inside(first: int, count: int, length: int) -> bool:
    return first >= 0 and count >= 0 and first + count <= length


def inspected(operation: Operation, arguments: tuple[int, ...], layout: Layout) -> tuple[tuple[Access, ...], tuple[str, ...]]:
    """Return the accesses of a tile, and what is wrong with its arguments: beyond the kernels, or outside the arenas."""
    beyond = operation.beyond(arguments)
    if beyond:
        return (), beyond
    # Only now: accesses divide by sizes, which are known to be at least 1 here.
    touched = operation.touched(arguments)
    return touched, tuple(text for text in (_outside(access, layout) for access in touched) if text)


def _outside(access: Access, layout: Layout) -> str:
    """Return what is wrong with the place of *access*; empty if it lies inside its arena and does not write an element twice."""
    region = access.region
    size = layout.sizes[region.arena]
    if region.runs < 1 or region.length < 1:
        return f"{access.argument} has {region.runs} rows of {region.length} elements"
    if region.stride < 0 or region.offset < 0 or region.end > size:
        return f"{access.argument} is elements {region.offset} to {region.end - 1} of {region.arena}, which has {size}"
    if access.writes and region.runs > 1 and region.stride < region.length:
        return f"{access.argument} has rows of {region.length} elements that overlap: they begin {region.stride} apart"
    return ""


def _counter_faults(program: InstructionProgram, instructions: Sequence[Instruction]) -> Iterator[ProgramFault]:
    arrivals = Counter(chain.from_iterable(one.signals for one in instructions))
    for index, one in enumerate(instructions):
        for counter, target in one.waits:
            found = arrivals[counter]
            if found < target:
                yield _fault(
                    program, "counter", index, f"waits for {target} arrivals at counter {counter}, which gets {found}: it never opens"
                )
            elif found > target:
                text = f"waits for {target} arrivals at counter {counter}, which gets {found}: it opens before the last of them"
                yield _fault(program, "counter", index, text)
    # Arrivals that nobody waits for are harmless by themselves, and the trace of a wait that the compiler lost.
    awaited = {counter for one in instructions for counter, _ in one.waits}
    for counter in sorted(set(range(program.counters)) - awaited):
        yield ProgramFault("counter", f"counter {counter} gets {arrivals[counter]} arrivals and nothing waits for it: a wait was dropped")


def _stream_faults(program: InstructionProgram, instructions: Sequence[Instruction]) -> Iterator[ProgramFault]:
    # A common instruction may be held by any CTA, so it must not need one that only a pool can run.
    arrives = {counter: index for index in (*program.x, *program.y) for counter in instructions[index].signals}
    for index in program.common:
        for counter, _ in instructions[index].waits:
            if counter in arrives:
                other = f"instruction {arrives[counter]} ({program.origin(arrives[counter])})"
                text = f"all CTAs share it, but it waits for {other} of one pool, whose CTAs may all hold common ones"
                yield _fault(program, "deadlock", index, text)


def _endings(program: InstructionProgram, instructions: Sequence[Instruction], grid: ProgramGrid) -> list[Ending]:
    """Replay the grid in the order of its numbers and, unless the device keeps that order, the other way round."""
    pools = (CtaPool(program.x, grid.x_ctas), CtaPool(program.y, grid.ctas - grid.x_ctas))
    # Which CTA starts first is not promised: the order of numbers and its reverse are tried, the farthest from each other.
    orders = (False,) if grid.ordered or grid.resident >= grid.ctas else (False, True)
    return [replay(instructions, program.common, pools, grid.resident, descending=descending) for descending in orders]


def _stuck(
    program: InstructionProgram, instructions: Sequence[Instruction], endings: Sequence[Ending], grid: ProgramGrid
) -> Iterator[ProgramFault]:
    for ending in endings:
        left = sorted(set(range(len(program))).difference(ending.ran))
        if not left:
            continue
        where = f"{grid.resident:,} of {grid.ctas:,} CTAs resident, {len(ending.ran):,} of {len(program):,} instructions run"
        for index in ending.held[:_MOST_NAMED]:
            yield _fault(program, "deadlock", index, f"deadlock: {_why(program, instructions, index, ending)} ({where})")
        if not ending.held:
            yield _fault(program, "deadlock", left[0], f"never taken: its pool has no CTA that starts ({where})")
        # One order in which it does not end is enough to refuse it, so the next ending is not told.
        return


def _why(program: InstructionProgram, instructions: Sequence[Instruction], index: int, ending: Ending) -> str:
    """Say what an instruction waits for that does not come: the first counter that stays closed, and an arrival that is missing."""
    ran = set(ending.ran)
    for counter, target in instructions[index].waits:
        missing = [other for other, one in enumerate(instructions) if counter in one.signals and other not in ran]
        if missing:
            arrived = f"waits for counter {counter} ({target - len(missing)} of {target} arrivals)"
            return f"{arrived}: missing is {_missing(program, index, missing, ending)}"
    return "is held"


def _missing(program: InstructionProgram, index: int, missing: Sequence[int], ending: Ending) -> str:
    if index in missing:
        return "its own arrival"
    # One that is held leads on along the chain of waits; one that nobody took does not.
    other = next((one for one in missing if one in ending.held), missing[0])
    state = "which waits, too" if other in ending.held else "which no CTA takes"
    return f"instruction {other} ({program.origin(other)}), {state}"


def _races(
    program: InstructionProgram,
    instructions: Sequence[Instruction],
    order: Sequence[int],
    touched: Mapping[int, Sequence[Access]],
    layout: Layout,
) -> Iterator[ProgramFault]:
    for conflict in conflicts(instructions, order, touched, layout.sizes):
        place = layout.name_at(conflict.arena, conflict.element)
        text = (
            f"races with instruction {conflict.earlier} ({program.origin(conflict.earlier)}) for {place}: "
            "one of them writes, and neither waits for the other"
        )
        yield _fault(program, "race", conflict.later, text)


def _fault(program: InstructionProgram, kind: Kind, index: int, text: str) -> ProgramFault:
    return ProgramFault(kind, f"instruction {index} ({program.origin(index)}): {text}", index)
