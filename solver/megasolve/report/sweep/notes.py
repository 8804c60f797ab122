"""What is to be said of all plans of a sweep together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from megasolve.solver import BatchResult, Sweep


def notes_of(sweep: Sweep) -> list[str]:
    """Return what is said of each of the plans, once, with their number where it is not said of all."""
    results = [result for batches in sweep.batches for result in batches.results]
    results += [point.result for field in sweep.fields for point in field.points]
    every = dict.fromkeys(note for result in results for note in _of_more_than_one(result))
    counts = {note: sum(note in result.notes for result in results) for note in every}
    return [note if counts[note] == len(results) else f"{note} ({counts[note]} of {len(results)} plans)" for note in every]


def _of_more_than_one(result: BatchResult) -> Iterator[str]:
    """Yield the notes that are not about the best design of this plan alone, as playback and findings are."""
    wrong = set(map(str, result.findings))
    yield from (note for note in result.notes if note not in wrong and not note.startswith("playback"))
