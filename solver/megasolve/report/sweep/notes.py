"""What is to be said of all plans of a sweep together."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from megasolve.solver import Sweep


def notes_of(sweep: Sweep) -> list[str]:
    """Return what is said of each of the plans, once, with their number where it is not said of all."""
    results = [result for batches in sweep.batches for result in batches.results]
    results += [point.result for field in sweep.fields for point in field.points]
    every = dict.fromkeys(note for result in results for note in result.notes if not note.startswith("playback"))
    counts = {note: sum(note in result.notes for result in results) for note in every}
    return [note if counts[note] == len(results) else f"{note} ({counts[note]} of {len(results)} plans)" for note in every]
