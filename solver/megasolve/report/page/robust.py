"""What would change the answer: how far each time may be off before another design is the best, and what to measure next."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from megasolve.contracts.model.wording import counted

from ..sweep.robust import chance_lines, common_lines, next_lines, signed
from ..sweep.wins import best_text
from ..text.numbers import unit_of
from ..text.short_ids import short_id
from ..text.tables import one_line

if TYPE_CHECKING:
    from megasolve.solver import Flip, Robustness, TimeFlips

MOST_ROWS = 12
# The picture ends at half and at one and a half times what a time is.
FARTHEST = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class FlipRow:
    """One time: what it is, and how far it may fall and grow; the range in which nothing changes in percent of the picture."""

    time: str
    evidence: str
    now: str
    below: str
    above: str
    then: str
    left: float
    width: float


@dataclass(frozen=True, slots=True)
class RobustView:
    """How sure a plan is: in a sentence for those who read nothing else (*nearest*), and time by time."""

    nearest: str
    before: tuple[str, ...]
    rows: tuple[FlipRow, ...]
    after: tuple[str, ...]


def robust_view(robust: Robustness) -> RobustView:
    """Return how sure a plan is."""
    every = list(robust.every_flip)
    safe = len(robust.flips) - len(every)
    after = [f"... {counted(len(every) - MOST_ROWS, 'more time')} that can turn it, farther off"] if len(every) > MOST_ROWS else []
    after += [f"{counted(safe, 'time')} can be anything up to 1,000 times what it is"] if safe else []
    lines = [*after, *common_lines(robust), *next_lines(robust)]
    rows = tuple(_row(one) for one in every[:MOST_ROWS])
    before = [line for line in chance_lines(robust) if not line.startswith("(--")]
    return RobustView(_nearest(robust, every), tuple(map(_said, before)), rows, tuple(map(_said, lines)))


def _said(line: str) -> str:
    return one_line(short_id(line))


def _nearest(robust: Robustness, every: list[TimeFlips]) -> str:
    if not every:
        return "No single time, up to 1,000 times what it is, would change the answer." if robust.flips else ""
    first = every[0]
    flip = first.nearest
    if flip is None:
        return ""
    way = "longer" if flip.ratio > 0 else "shorter"
    size = signed(abs(flip.ratio)).lstrip("+")
    return one_line(f"The least that would change it: {first.time.name} {size} {way} than stated; then {_then(flip)} is the best.")


def _then(flip: Flip) -> str:
    return best_text([short_id(name) for name in flip.after])


def _row(one: TimeFlips) -> FlipRow:
    unit = unit_of(one.time.ps)
    below, above = (None if side is None else side.ratio for side in (one.below, one.above))
    left, right = _place(-FARTHEST if below is None else below), _place(FARTHEST if above is None else above)
    return FlipRow(
        time=one_line(one.time.name),
        evidence=one.time.evidence,
        now=unit.text(one.time.ps),
        below="never" if below is None else signed(below),
        above="never" if above is None else signed(above),
        then=one_line(_then(one.nearest)) if one.nearest else "",
        left=left,
        width=max(right - left, 0.5),
    )


def _place(ratio: Fraction) -> float:
    """Return where a relative difference stands, in percent from the left."""
    held = max(-FARTHEST, min(FARTHEST, ratio))
    return float((held / FARTHEST + 1) * 50)
