"""How robust a plan is, as a panel."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from megasolve.contracts.model.wording import counted

from ..solve.wording import objective_words
from ..text.numbers import TimeUnit, decimal_text, unit_of
from ..text.tables import Column
from .panel import Panel
from .wins import best_text

if TYPE_CHECKING:
    from megasolve.solver import Flip, NextMeasurement, Robustness, TimeFlips

MOST_TIMES = 10
MOST_CHANCES = 4
_MILLION = 10**6


def robust_panel(robust: Robustness, *, show_all: bool) -> Panel:
    """Return how likely the best design is, how far each time may be off, and what to measure next."""
    every = list(robust.every_flip)
    shown = every if show_all else every[:MOST_TIMES]
    unit = unit_of(max((one.time.ps for one in shown), default=0))
    columns = [
        Column("time"),
        Column("evidence"),
        Column(f"is ({unit.name})", is_number=True),
        Column("off by", is_number=True),
        Column(f"at ({unit.name})", is_number=True),
        Column("then the best is"),
        Column("other side", is_number=True),
    ]
    title = f"robustness at batch {robust.batch}: {objective_words(robust.objective)}"
    hidden = len(every) - len(shown)
    after = [f"... {counted(hidden, 'more time')} that can turn it, farther off, with --all"] if hidden else []
    safe = len(robust.flips) - len(every)
    after += [f"{counted(safe, 'time')} can be anything up to 1,000 times what it is"] if safe else []
    rows = [_cells(one, unit) for one in shown]
    return Panel(title, columns, rows, list(chance_lines(robust)), [*after, *common_lines(robust), *next_lines(robust)])


def signed(ratio: Fraction) -> str:
    """Return a relative difference in percent with its sign; one too small to show is not shown as none."""
    if ratio and abs(ratio) < Fraction(5, 100_000):
        return f"{'+' if ratio > 0 else '-'}<0.01 %"
    return f"{'+' if ratio >= 0 else ''}{decimal_text(ratio * 100, 2)} %"


def _cells(one: TimeFlips, unit: TimeUnit) -> list[str]:
    flip = one.nearest
    if flip is None:
        return []
    other = next((side for side in (one.below, one.above) if side is not None and side is not flip), None)
    accuracy = one.time.use.record.accuracy
    stated = f" ±{decimal_text(Fraction(accuracy) * 100, 2)} %" if accuracy is not None else ""
    times = [unit.number(one.time.ps), signed(flip.ratio), unit.number(flip.value)]
    return [one.time.name, f"{one.time.evidence}{stated}", *times, best_text(flip.after), signed(other.ratio) if other else ""]


def chance_lines(robust: Robustness) -> Iterator[str]:
    """Yield how likely the best design is the best by what its evidence states, and what else may be."""
    if not robust.best:
        yield "nothing is feasible"
        return
    if not robust.is_whole:
        yield f"of the {counted(robust.designs, 'best design')} that the search found; no other one is looked at"
    times = counted(len(robust.flips), "time")
    if robust.assumed_accuracy:
        rest = f"; the others are assumed to be off by up to {decimal_text(robust.assumed_accuracy * 100, 2)} %"
    else:
        rest = "; the others are taken as exact" if 0 < robust.stated < len(robust.flips) else ""
    if robust.is_limited:
        yield "limits on times are not looked at while times move"
    if robust.chance is None:
        yield f"{best_text(robust.best)}; none of {times} states a spread or an accuracy, so nobody can say how likely it is the best"
        yield "(--accuracy 0.05 assumes that such times are off by up to 5 %)"
        return
    draws = f"{_share(robust.chance)} of {robust.draws:,} draws (seed {robust.seed})"
    yield f"{best_text(robust.best)} is the best in {draws}; {robust.stated} of {times} state how accurate they are{rest}"
    others = [one for one in robust.chances if one.share and one.same_as is None and one.id not in robust.best]
    more = [f"and {counted(len(others) - MOST_CHANCES, 'more design')}"] if len(others) > MOST_CHANCES else []
    if others:
        yield f"else {', '.join([*(f'{one.id} in {_share(one.share)}' for one in others[:MOST_CHANCES]), *more])}"


def _share(share: float) -> str:
    return f"{share * 100:.1f} %"


def common_lines(robust: Robustness) -> Iterator[str]:
    """Yield at which common factor all times of one kind of evidence turn the answer."""
    for one in robust.common:
        where = "" if one.backend is None else f" of the {one.backend} side"
        flip = one.nearest
        turns = "nothing turns" if flip is None else f"{_factor(flip)} they make {best_text(flip.after)} the best"
        yield f"all {one.times} {one.evidence} times{where} by one factor: {turns}"


def _factor(flip: Flip) -> str:
    return f"at {decimal_text(Fraction(flip.value, _MILLION), 6).rstrip('0')} ({signed(flip.ratio)})"


def next_lines(robust: Robustness) -> Iterator[str]:
    """Yield what to measure next, what would settle most first."""
    if not robust.measure_next and robust.best:
        settled = robust.chance in (None, 1.0)
        yield f"measure next: {'nothing has to be' if settled else 'no one of these times, once it is known, would change the choice'}"
    for number, one in enumerate(robust.measure_next, 1):
        yield f"measure next, {number}: {one.time.time.name} ({one.time.time.evidence}){_gain(one)}{_by(one)}"


def _gain(one: NextMeasurement) -> str:
    if one.chance_now is None or one.chance_then is None:
        return f": {signed(one.time.nearest.ratio)} turns the answer" if one.time.nearest else ""
    return f": once it is known, the choice is right in {_share(one.chance_then)} of draws, now in {_share(one.chance_now)}"


def _by(one: NextMeasurement) -> str:
    return f"; {one.command}" if one.command else ""
