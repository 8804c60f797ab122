"""Measurements made up for tests: forecasts by hand, the pools that they are judged in, and rows of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from megasolve.contracts import Place
from megasolve.contracts.runs.timed_run import TimedRun
from megasolve.solver import Contender, Statistic
from megasolve.solver.evaluate.forecasts.forecast import Forecast, Predicted
from megasolve.solver.evaluate.timed_design import TimedDesign, timed_pool

HEAD = "candidate,batch,block,run,time_us"


def forecast(
    scores: Mapping[str, int], *, best: Sequence[str] = (), designs: Mapping[str, str] | None = None, accuracy: str | None = None
) -> Forecast:
    """Return what a planner says that gives these *scores*; *designs* names the first candidate of the same design."""
    stated = None if accuracy is None else Fraction(accuracy)
    rows = {name: Predicted(name, score, (designs or {}).get(name, name), accuracy=stated) for name, score in scores.items()}
    return Forecast("full", 1, "first_publication", tuple(best), rows, {"x": "LIM-09 too many registers"})


def pool(times: Mapping[str, Mapping[str, Sequence[int]] | Sequence[int]]) -> tuple[TimedDesign, ...]:
    """Return designs by the mean of their times, which are said by block, or one for each block."""
    return timed_pool([Contender(name, (), None, _blocks(of)) for name, of in times.items()], Statistic())


def _blocks(times: Mapping[str, Sequence[int]] | Sequence[int]) -> dict[str, tuple[int, ...]]:
    if isinstance(times, Mapping):
        return {block: tuple(of) for block, of in times.items()}
    return {f"b{place}": (time,) for place, time in enumerate(times)}


def timed(
    candidate: str, time_ps: int, *, block: str = "a", run: str = "1", group: str | None = None, entries: tuple[str, ...] | None = None
) -> TimedRun:
    """Return one run."""
    return TimedRun(candidate, 1, block, run, time_ps, Place("runs.csv", 2), group, entries)


def table(rows: Sequence[tuple[object, ...]], head: str = HEAD) -> str:
    """Return a table of runs as CSV."""
    return "\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n"
