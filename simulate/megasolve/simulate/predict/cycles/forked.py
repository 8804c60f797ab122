"""The value of two streams inside of roles without its whole schedule: equal steps are simulated once.

Nothing of one step runs beside another one. Where the host never keeps the device waiting, a step takes as long whenever it begins, and so
does each repeat of a block. So a value is a sum over those that differ, exactly the one of the whole event graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby

from ...events.engine import simulate
from ...events.graph import NodeKind
from ...events.outcome import Deadlock
from ...plan.objective import Objective
from ...plan.sharing import Sharing
from ..composition import MAIN, Composition
from ..lowering.inside import Occurrence, append_occurrence, forks, occurrences
from ..lowering.writer import Detail, Writer
from ..occurrences import Run, Runs, cycle_blocks, publication_blocks
from .threads import host_parts


def forked_ps(composition: Composition, objective: Objective) -> Fraction | Deadlock | None:
    """Return when a composition is published, or how long a cycle of it takes; None where only its whole event graph says that."""
    is_first = objective is Objective.FIRST_PUBLICATION
    if composition.sharing is not Sharing.INSIDE or MAIN not in composition.threads_ahead:
        return None
    blocks = publication_blocks(composition) if is_first else cycle_blocks(composition)
    if not forks(composition, blocks) or (is_first and any(map(_is_issued, _runs(blocks)))):
        return None
    total = _device_ps(composition, blocks, {})
    if is_first or isinstance(total, Deadlock):
        return total
    return max(total, Fraction(sum(host_parts(composition).values())))


def _runs(blocks: Sequence[Runs]) -> Iterator[Run]:
    """Yield the runs of *blocks*, each once, however often it comes again."""
    for one in (one for block in blocks if block.repeat for one in block.runs):
        if isinstance(one, Run):
            yield one
        else:
            yield from _runs([one])


def _is_issued(run: Run) -> bool:
    """Whether issuing a run takes the host any time."""
    return any(launched.cost.host_ps for launched in run.each_launch())


def _device_ps(composition: Composition, blocks: Sequence[Runs], known: dict[Occurrence, Fraction | Deadlock]) -> Fraction | Deadlock:
    """Return how long *blocks* take one after the other; what is *known* is not simulated again."""
    total = Fraction(0)
    for block in (block for block in blocks if block.repeat):
        for is_block, part in groupby(block.runs, key=lambda one: isinstance(one, Runs)):
            runs = tuple(part)
            if is_block:
                found = _device_ps(composition, [one for one in runs if isinstance(one, Runs)], known)
                if isinstance(found, Deadlock):
                    return found
                total += block.repeat * found
                continue
            for occurrence in occurrences(composition, Runs(runs)):
                if occurrence not in known:
                    known[occurrence] = _simulated(composition, occurrence)
                if isinstance(found := known[occurrence], Deadlock):
                    return found
                total += block.repeat * found
    return total


def _simulated(composition: Composition, occurrence: Occurrence) -> Fraction | Deadlock:
    writer = Writer(composition, detail=Detail.COMPACT)
    writer.ahead_hosts = composition.threads_ahead
    writer.device = (writer.add("begins", NodeKind.CONTROL, 0, ()),)
    append_occurrence(writer, occurrence)
    outcome = simulate(writer.build(writer.publish(*writer.device)))
    return outcome if isinstance(outcome, Deadlock) else Fraction(outcome.finish[-1])
