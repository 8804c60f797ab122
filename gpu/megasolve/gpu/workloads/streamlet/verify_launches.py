"""The verifier of conventional launches: tiles inside the arenas and within the kernels, and no two of one launch that race."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...programs.arenas import Layout
from ...programs.instructions import Instruction
from ...programs.ordering import conflicts
from ...programs.verify import ProgramFault, inspected
from .conventional import KernelLaunch


def launch_faults(launches: Iterable[KernelLaunch], layout: Layout) -> tuple[ProgramFault, ...]:
    """Return every reason why *launches* must not run on arenas of *layout*; the launches themselves follow each other.

    The instruction that a fault names is the CTA of the launch.
    """
    return tuple(fault for number, launch in enumerate(launches) for fault in _faults(number, launch, layout))


def _faults(number: int, launch: KernelLaunch, layout: Layout) -> Iterator[ProgramFault]:
    where = f"launch {number} ({launch.origin})"
    # Behind the arguments of its operation a row of the table is padding.
    tiles = [tuple(row[: len(launch.operation.arguments)]) for row in launch.table.tolist()]
    looked_at = [inspected(launch.operation, arguments, layout) for arguments in tiles]
    wrong = [(cta, text) for cta, (_, texts) in enumerate(looked_at) for text in texts]
    yield from (ProgramFault("arguments", f"{where}, CTA {cta}: {launch.operation.name}: {text}", cta) for cta, text in wrong)
    if wrong:
        return
    # Without waits: nothing orders the CTAs of one launch.
    bare = [Instruction(launch.operation, arguments, (), (), 0) for arguments in tiles]
    for conflict in conflicts(bare, range(len(bare)), {cta: touched for cta, (touched, _) in enumerate(looked_at)}, layout.sizes):
        place = layout.name_at(conflict.arena, conflict.element)
        text = f"{where}: CTAs {conflict.earlier} and {conflict.later} race for {place}: one of them writes, and nothing orders them"
        yield ProgramFault("race", text, conflict.later)
