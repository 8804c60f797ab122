"""The two best lines of headroom, with which a plan without megakernels ends."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from ..text.numbers import percent
from ..text.tables import one_line
from .wording import answer_lines, graph_sentence

if TYPE_CHECKING:
    from megasolve.solver import BatchHeadroom, HeadroomResult

LAUNCH_BOUND = Fraction(1, 2)
"""From which idle share on launches are the first thing to say."""


def ending_lines(result: HeadroomResult, command: str) -> list[str]:
    """Return what would save most as a megakernel, and how many regions would pay, for each batch; *command* shows all of it.

    Where the device mostly waits for launches, what the same kernels would take as a CUDA graph stands before it.
    """
    lines: list[str] = []
    for batch in result.batches:
        _, best, counts = answer_lines(batch)
        which = f"batch {batch.batch}: " if len(result.batches) > 1 else ""
        lines += [
            *(one_line(f"{which}{line}") for line in (*_launch_bound(batch), best)),
            f"{which}{counts.rstrip('.')}; {one_line(command)} shows them all.",
        ]
    return lines


def pointer_lines(regions: int, command: str) -> list[str]:
    """Return what stands in place of those lines where so many *regions* are too many to look at beside a plan."""
    return [f"{regions:,} regions could be a megakernel; {one_line(command)} says what each would have to reach."]


def _launch_bound(batch: BatchHeadroom) -> Iterator[str]:
    spent = batch.spent
    if spent is not None and not spent.is_graph and spent.idle_ps >= LAUNCH_BOUND * spent.total_ps > 0:
        share = percent(Fraction(spent.idle_ps) / Fraction(spent.total_ps))
        yield f"The device is idle for {share}, launches, gaps and waits. {graph_sentence(spent)}"
