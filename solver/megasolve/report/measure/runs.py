"""What runs of candidates and co-runs came to, or what they would launch, for a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from megasolve.contracts.measuring.runs import ExcludedRun, MeasuredRuns, PairSide, PlannedRuns, TimedComposition, TimedPair
from megasolve.contracts.model.wording import counted

from ..text.paint import PLAIN, Paint
from ..text.tables import Column, one_line, titled

_RUNS = (
    *(Column("batch", is_number=True), Column("candidate (cover@policy)"), Column("time (µs)", is_number=True), Column("95 % (µs)")),
    *(Column("over best", is_number=True), Column("blocks", is_number=True)),
)
_CO_RUNS = (
    *(Column("batch", is_number=True), Column("producer"), Column("CTAs", is_number=True), Column("alone (µs)", is_number=True)),
    *(Column("beside (µs)", is_number=True), Column("times", is_number=True), Column("consumer"), Column("CTAs", is_number=True)),
    *(Column("alone (µs)", is_number=True), Column("beside (µs)", is_number=True), Column("times", is_number=True)),
)


def runs_text(found: MeasuredRuns, notes: Sequence[str], *, paint: Paint = PLAIN) -> str:
    """Return the candidates by batch, the fastest first, then the co-runs, then what did not qualify, and what to know beside."""
    runs, co_runs = found.compositions, found.co_runs
    lines = [
        *titled(_RUNS, list(_timed(runs)), paint),
        *titled(_CO_RUNS, [[str(one.batch), *_side(one.producer), *_side(one.consumer)] for one in co_runs if one.because is None], paint),
        *(paint.red(one_line(line)) for line in _failures(runs, co_runs)),
        *(one_line(line) for line in _notes(runs, co_runs)),
        *map(_excluded, found.excluded),
        one_line(f"wrote {counted(len(runs) + len(co_runs), 'run')} to {found.measured}"),
        *map(one_line, notes),
    ]
    return "".join(f"{line}\n" for line in lines)


def launches_text(found: PlannedRuns, notes: Sequence[str], *, paint: Paint = PLAIN) -> str:
    """Return the launches of each candidate, in the order in which the host issues them, and what would run beside each other."""
    lines: list[str] = []
    for one in found.compositions:
        lines += [paint.bold(one_line(f"{one.candidate}, batch {one.batch}")), *(f"  {one_line(launch)}" for launch in one.launches)]
    lines += [one_line(f"{pair.what}, batch {pair.batch}") for pair in found.co_runs]
    return "".join(f"{line}\n" for line in [*lines, *map(_excluded, found.excluded), *map(one_line, notes)])


def _excluded(one: ExcludedRun) -> str:
    return one_line(f"not run: {one.candidate}, batch {one.batch}: {one.because}")


def _timed(runs: Sequence[TimedComposition]) -> Iterator[list[str]]:
    """Yield a row for each candidate that has a time, by batch, the fastest of each first."""
    best: dict[int, float] = {}
    timed = [(one.batch, one.time_us, one.interval_us, one) for one in runs if one.time_us is not None and one.interval_us is not None]
    for batch, time_us, (low, high), one in sorted(timed, key=lambda row: row[:2]):
        best_us = best.setdefault(batch, time_us)
        over = "best" if time_us == best_us else f"+{(time_us / best_us - 1) * 100:.2f} %"
        yield [str(batch), one.candidate, f"{time_us:,.3f}", f"{low:,.3f} to {high:,.3f}", over, str(one.samples)]


def _side(side: PairSide) -> list[str]:
    ctas = "free" if side.ctas is None else str(side.ctas)
    return [_side_name(side), ctas, f"{side.solo_us:,.3f}", f"{side.pair_us:,.3f}", f"{side.slowdown:.2f}"]


def _failures(runs: Sequence[TimedComposition], co_runs: Sequence[TimedPair]) -> Iterator[str]:
    yield from (f"did not qualify: {one.candidate}, batch {one.batch}: {one.because}" for one in runs if one.because)
    yield from (f"did not qualify: {_named(one)}: {one.because}" for one in co_runs if one.because)


def _notes(runs: Sequence[TimedComposition], co_runs: Sequence[TimedPair]) -> Iterator[str]:
    yield from (f"{one.candidate}, batch {one.batch}: {note}" for one in runs for note in one.notes)
    yield from (f"{_named(one)}: {note}" for one in co_runs for note in one.notes)


def _named(one: TimedPair) -> str:
    sides = [_side_name(side) + ("" if side.ctas is None else f" on {side.ctas}") for side in (one.producer, one.consumer)]
    return f"{' beside '.join(sides)}, batch {one.batch}"


def _side_name(side: PairSide) -> str:
    return f"{side.backend[0]}:{'+'.join(side.groups)}"
