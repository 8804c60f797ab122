"""Why a tile schedule takes as long as it does: where each operator's share of the workers' time went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .outcome import TileSchedule, TileSpan
from .program import TileProgram


@dataclass(frozen=True, slots=True)
class OperatorTime:
    """The time of workers in the *tiles* of one operator, in picoseconds; an opaque tile counts for every worker.

    *idle_ps* was spent waiting right before them, *queued_ps* from their start until their load was served, *loading_ps* from
    then until they computed (with prefetched weights that were late), *computing_ps* computing, with the cost of waits.
    """

    operator: str
    tiles: int
    idle_ps: int
    queued_ps: int
    loading_ps: int
    computing_ps: int

    @property
    def total_ps(self) -> int:
        """All of it."""
        return self.idle_ps + self.queued_ps + self.loading_ps + self.computing_ps


@dataclass(frozen=True, slots=True)
class Why:
    """The operators in program order, and *ending_ps*, what workers were idle after their last tile.

    Together they are the makespan times the workers.
    """

    operators: tuple[OperatorTime, ...]
    ending_ps: int


def why(schedule: TileSchedule, program: TileProgram) -> Why:
    """Sum up by operator where the time of the workers of *schedule* went.

    Raises
    ------
    ValueError
        If *schedule* was not traced.
    """
    if len(schedule.spans) < program.tile_count:
        raise ValueError("the schedule has no spans: run schedule_tiles(..., trace=True)")
    sums: dict[str, list[int]] = {program.tile(position).operator: [0] * 5 for position in range(program.tile_count)}
    free_at = [0] * schedule.workers
    # By start, so that the idle time before a tile is what its worker waited since its last one.
    for span in sorted(schedule.spans, key=lambda span: (span.start_ps, span.computed_ps)):
        tile = program.tile(span.tile)
        taken = range(schedule.workers) if tile.is_opaque else range(span.worker, span.worker + 1)
        for position, amount in enumerate(_amounts(span, [free_at[worker] for worker in taken])):
            sums[tile.operator][position] += amount
        for worker in taken:
            free_at[worker] = span.computed_ps
    ending_ps = sum(schedule.makespan_ps - at for at in free_at)
    return Why(tuple(OperatorTime(operator, *amounts) for operator, amounts in sums.items()), ending_ps)


def _amounts(span: TileSpan, free_at: Sequence[int]) -> tuple[int, int, int, int, int]:
    """Return what *span* adds: one tile, and the times of the workers that were last free at *free_at*."""
    width = len(free_at)
    return (
        1,
        sum(span.start_ps - at for at in free_at),
        width * span.queued_ps,
        width * (span.compute_ps - span.start_ps - span.queued_ps),
        width * (span.computed_ps - span.compute_ps),
    )
