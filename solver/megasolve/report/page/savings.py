"""What megakernels save from batch to batch beside what launching them costs: S(b) and F of the paper (section VII)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ..sweep.categories import category_lines
from ..sweep.panels import ABOUT_SAVINGS
from ..text.numbers import TimeUnit, unit_of
from ..text.short_ids import short_id
from ..text.tables import one_line
from .plots import Frame, Tick

if TYPE_CHECKING:
    from megasolve.solver import BatchSweep, RegionSaving

LEFT, RIGHT, TOP, BOTTOM = 96, 380, 14, 150
MOST_REGIONS = 6


@dataclass(frozen=True, slots=True)
class SavingRow:
    """The saving of one megakernel at one batch; *why* nobody knows it, where that is so."""

    batch: int
    saving: str
    fixed: str
    difference: str
    pays: str
    why: str


@dataclass(frozen=True, slots=True)
class SavingPlot:
    """One megakernel region: its *saving* and *fixed* cost as points, with axes, and the same as rows."""

    region: str
    unit: str
    columns: tuple[Tick, ...]
    ticks: tuple[Tick, ...]
    saving: tuple[tuple[int, int], ...]
    fixed: tuple[tuple[int, int], ...]
    zero: int
    rows: tuple[SavingRow, ...]


@dataclass(frozen=True, slots=True)
class SavingsView:
    """The category of a model in words, and a plot of each megakernel that some winner has; *more* have none here."""

    category: tuple[str, ...]
    plots: tuple[SavingPlot, ...]
    about: str
    more: int


def savings_view(swept: BatchSweep) -> SavingsView:
    """Return what the megakernels of the winners of *swept* save."""
    won = list(dict.fromkeys(region for one in swept.category.extents for region in one.regions))
    shown = [[one for one in swept.savings if one.region == region] for region in won[:MOST_REGIONS]]
    plots = tuple(_plot(sorted(each, key=lambda one: one.batch)) for each in shown if each)
    more = len({one.region for one in swept.savings}) - len(plots)
    return SavingsView(tuple(map(one_line, category_lines(swept))), plots, " ".join(ABOUT_SAVINGS), more)


def _plot(each: Sequence[RegionSaving]) -> SavingPlot:
    known = [(at, one.saving) for at, one in enumerate(each) if one.saving is not None]
    times = [Fraction(ps) for _, saving in known for ps in (saving.saving_ps, saving.fixed_ps)]
    high, low = max([*times, Fraction(0)]), min([*times, Fraction(0)])
    frame = Frame(LEFT, RIGHT, TOP, BOTTOM, low, high if high > low else low + 1)
    unit = unit_of(max(high, -low))
    columns = tuple(Tick(frame.x(at, len(each)), BOTTOM, str(one.batch)) for at, one in enumerate(each))
    ticks = tuple(Tick(LEFT, frame.y(value), unit.text(value)) for value in dict.fromkeys((high, Fraction(0), low)))
    saving = tuple((frame.x(at, len(each)), frame.y(Fraction(one.saving_ps))) for at, one in known)
    fixed = tuple((frame.x(at, len(each)), frame.y(Fraction(one.fixed_ps))) for at, one in known)
    region = one_line(short_id(each[0].region))
    return SavingPlot(region, unit.name, columns, ticks, saving, fixed, frame.y(0), tuple(_rows(each, unit)))


def _rows(each: Sequence[RegionSaving], unit: TimeUnit) -> Iterator[SavingRow]:
    for one in each:
        if one.saving is None:
            yield SavingRow(one.batch, "", "", "", "?", one_line(one.because))
        else:
            found = one.saving
            saving, fixed, difference = (unit.number(ps) for ps in (found.saving_ps, found.fixed_ps, found.difference_ps))
            yield SavingRow(one.batch, saving, fixed, difference, "yes" if found.pays else "no", "")
