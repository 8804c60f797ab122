"""The two best lines of headroom, with which a plan without megakernels ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..text.tables import one_line
from .wording import answer_lines

if TYPE_CHECKING:
    from megasolve.solver import HeadroomResult


def ending_lines(result: HeadroomResult, command: str) -> list[str]:
    """Return what would save most as a megakernel, and how many regions would pay, for each batch; *command* shows all of it."""
    lines: list[str] = []
    for batch in result.batches:
        _, best, counts = answer_lines(batch)
        which = f"batch {batch.batch}: " if len(result.batches) > 1 else ""
        lines += [one_line(f"{which}{best}"), f"{which}{counts.rstrip('.')}; {one_line(command)} shows them all."]
    return lines
