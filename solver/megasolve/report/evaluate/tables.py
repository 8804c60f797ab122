"""The tables of an evaluation: cells that text and Markdown share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..text.numbers import decimal_text, signed_percent, unit_of
from ..text.tables import Column
from .wording import interval_words, match_words, regret_words, slower_words

if TYPE_CHECKING:
    from megasolve.solver import Case, Evaluation, JudgedDesign, Ratio

    from ..text.numbers import TimeUnit

CASE_COLUMNS = (
    Column("batch", is_number=True),
    Column("by"),
    Column("fastest design of the pool"),
    Column("match"),
    Column("regret", is_number=True),
    Column("tau-b", is_number=True),
    Column("next one slower by"),
)


def case_rows(evaluation: Evaluation) -> Iterator[list[str]]:
    """Yield, for each case, a row of what was measured, then one of what each planner says."""
    for place, case in enumerate(evaluation.leading):
        margin = "-" if case.ratio is None else slower_words(case.ratio)
        yield [str(case.batch), "measured", " = ".join(case.measured_best), "", "", "", margin]
        for planner in evaluation.planners:
            yield ["", planner, *_planner_cells(evaluation.cases[planner][place])]


def _planner_cells(case: Case) -> list[str]:
    named = " = ".join(case.predicted_best) or "nothing in the pool"
    tau = "-" if case.tau_b is None else f"{case.tau_b:.3f}"
    margin = "-" if case.predicted_margin is None else signed_percent(case.predicted_margin)
    return [named, match_words(case), regret_words(case.regret), tau, margin]


def pool_columns(unit: TimeUnit) -> tuple[Column, ...]:
    """Return the columns of the designs of a case."""
    return (
        Column(f"measured ({unit.name})", is_number=True),
        Column("over best", is_number=True),
        Column("95 % interval"),
        Column(f"predicted ({unit.name})", is_number=True),
        Column("error", is_number=True),
        Column("blocks", is_number=True),
        Column("runs", is_number=True),
        Column("design"),
    )


def pool_unit(case: Case) -> TimeUnit:
    """Return the unit of the times of a case."""
    return unit_of(case.pool[0].measured_ps)


def pool_rows(case: Case) -> Iterator[list[str]]:
    """Yield a row for each design, fastest first."""
    unit = pool_unit(case)
    for one in case.pool:
        over = "best" if one is case.pool[0] else signed_percent(one.measured_ps / case.pool[0].measured_ps - 1)
        interval = "-" if one.ratio is None or one is case.pool[0] else _interval(one, one.ratio, case.pool[0])
        predicted = "-" if one.predicted_ps is None else unit.number(one.predicted_ps)
        counts = [str(len(one.contender.blocks)), str(one.contender.runs)]
        yield [unit.number(one.measured_ps), over, interval, predicted, _error(one), *counts, one.contender.name]


def _interval(one: JudgedDesign, ratio: Ratio, best: JudgedDesign) -> str:
    """Return the interval of a ratio, and of how many blocks it is where they are not all of both."""
    told = interval_words(ratio)
    is_whole = ratio.blocks == len(one.contender.blocks) == len(best.contender.blocks)
    return told if is_whole or ratio.low is None else f"{told} in {ratio.blocks} blocks"


def _error(one: JudgedDesign) -> str:
    return "-" if one.error is None else signed_percent(one.error)


def group_columns(unit: TimeUnit) -> tuple[Column, ...]:
    """Return the columns of the groups of a design."""
    return (
        Column("group"),
        Column(f"measured ({unit.name})", is_number=True),
        Column(f"predicted ({unit.name})", is_number=True),
        Column(f"off by ({unit.name})", is_number=True),
        Column("error", is_number=True),
    )


def group_rows(one: JudgedDesign, unit: TimeUnit) -> Iterator[list[str]]:
    """Yield a row for each group that was measured, and one for what is in none of them."""
    for part in one.groups:
        error = "-" if part.error is None else signed_percent(part.error)
        off = decimal_text(part.difference_ps / unit.ps, unit.places)
        signed = off if off.startswith("-") else f"+{off}"
        yield [part.group or "launches, waits, overlap", unit.number(part.measured_ps), unit.number(part.predicted_ps), signed, error]
