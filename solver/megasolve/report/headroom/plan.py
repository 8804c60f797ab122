"""The build order: what to write first, what that saves, and where it stops to pay."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from megasolve.contracts import JsonObject
from megasolve.contracts.model.wording import counted

from ..text.csv import csv_text
from ..text.kernel_words import microseconds
from ..text.numbers import TimeUnit, percent, unit_of, us_text
from ..text.paint import PLAIN, Paint
from ..text.short_ids import short_id
from ..text.tables import Column, aligned, indented, markdown, markdown_text, one_line
from .json import time_facts

if TYPE_CHECKING:
    from megasolve.solver import BatchPlan, BuildRow, Built, PlanResult

CSV_COLUMNS = ("batch", "new", "score_us", "saves_us", "added", "dropped", "design", "rivals")


def plan_text(result: PlanResult, paint: Paint = PLAIN) -> str:
    """Return *result* as text."""
    return "\n".join(line for batch in result.batches for line in _batch_lines(result, batch, paint))


def plan_markdown(result: PlanResult) -> str:
    """Return *result* as Markdown."""
    return "\n".join(line for batch in result.batches for line in _markdown_lines(result, batch)) + "\n"


def plan_csv(result: PlanResult) -> str:
    """Return *result* as CSV text, a row for each step of the order."""
    return csv_text(CSV_COLUMNS, (_csv_row(batch, row) for batch in result.batches for row in batch.order.rows))


def plan_facts(batch: BatchPlan) -> list[JsonObject]:
    """Return the steps of the order, as `headroom/v1` has them."""
    return [_facts(row) for row in batch.order.rows]


def order_lines(batch: BatchPlan) -> list[str]:
    """Return the answer in three sentences."""
    first, *built = batch.order.rows
    unit = unit_of(first.best.score_ps)
    today = f"With nothing new the best design takes {unit.text(first.best.score_ps)}: {short_id(first.best.id)}."
    if not built:
        what = (
            f"none of the {len(batch.order.candidates):,} assumed entries saves anything"
            if batch.order.candidates
            else "nothing is assumed"
        )
        return [today, f"Build nothing: {what}.", "All that is new here is assumed; nothing of it is predicted."]
    steps = "; ".join(f"{names_of(row.added)} saves {unit.text(row.saves_ps)}" for row in built if row.added)
    last = built[-1]
    share = percent(1 - Fraction(last.best.score_ps) / Fraction(first.best.score_ps))
    stop = f"After {counted(last.at_most, 'new entry').replace('entrys', 'entries')} nothing more is saved"
    return [today, f"Build in this order: {steps}.", f"{stop}: {unit.text(last.best.score_ps)}, {share} less, all of it assumed."]


def usual_line(result: PlanResult) -> str | None:
    """Return what was assumed because nothing is assumed in the study; None where something is."""
    if result.usual is None:
        return None
    dispatch = result.usual.dispatch
    launch = f", {microseconds(dispatch.exposed_ps or 0)} a launch" if dispatch is not None else ""
    waits = f", {microseconds(result.usual.wait_ps)} a wait" if result.usual.wait_ps else ""
    what = f"any region as a megakernel, its tiles as fast as today's kernels, whatever its launch shape{launch}{waits}"
    return f"nothing is assumed in the study, so this is: {what}; assume: in the spec, or --assume FILE, says otherwise"


def note_lines(batch: BatchPlan) -> Iterator[str]:
    """Yield what cannot be built, what is too close to call, and where a step does not build on the one before it."""
    unit = unit_of(batch.order.rows[0].best.score_ps)
    if batch.unfit:
        entry, because = batch.unfit[0]
        yield (
            f"{len(batch.unfit):,} of {len(batch.order.candidates):,} assumed entries fit on no SM, such as {short_id(entry)}: {because}; "
            "launch: in the assumption says another shape"
        )
    for row in batch.order.rows:
        for rival in row.rivals:
            yield f"too close to call with {row.at_most}: {names_of(rival.new)} gives {unit.text(rival.score_ps)} ({short_id(rival.id)})"
        if row.dropped:
            yield f"the best with {row.at_most} does without {names_of(row.dropped)}; the best order inside it: {_inside(row, unit)}"


def _inside(row: BuildRow, unit: TimeUnit) -> str:
    steps = [f"{names_of(one.new) or 'nothing'} ({unit.text(one.score_ps)})" for one in (*row.inside, row.best)]
    return ", then ".join(steps)


def _batch_lines(result: PlanResult, batch: BatchPlan, paint: Paint) -> list[str]:
    today, answer, end = order_lines(batch)
    return [
        one_line(today),
        paint.bold(one_line(answer)),
        end,
        "",
        f"{result.spec} on {result.device}, batch {batch.batch}: build order, each row proven",
        *(paint.yellow(line) for line in [usual_line(result)] if line),
        *(paint.yellow(one_line(note)) for note in note_lines(batch)),
        "",
        *indented(aligned(_columns(batch), _rows(batch), paint)),
        "",
    ]


def _markdown_lines(result: PlanResult, batch: BatchPlan) -> list[str]:
    head = f"## {markdown_text(result.spec)} on {markdown_text(result.device)}, batch {batch.batch}: build order"
    answer = [f"{markdown_text(line)}  " for line in order_lines(batch)]
    usual = usual_line(result)
    notes = [f"- {markdown_text(note)}" for note in (*([usual] if usual else []), *note_lines(batch))]
    return [*answer, "", head, "", *markdown(_columns(batch), _rows(batch)), "", *notes, *([""] if notes else [])]


def _columns(batch: BatchPlan) -> list[Column]:
    unit = unit_of(batch.order.rows[0].best.score_ps)
    numbers = [Column("new", is_number=True), Column(f"score ({unit.name})", is_number=True), Column("saves", is_number=True)]
    return [*numbers, Column("builds"), Column("best design"), Column("evidence of what is new")]


def _rows(batch: BatchPlan) -> list[list[str]]:
    unit = unit_of(batch.order.rows[0].best.score_ps)
    return [
        [
            str(row.at_most),
            unit.number(row.best.score_ps),
            unit.number(row.saves_ps) if row.at_most else "-",
            names_of(row.added) or "-",
            short_id(row.best.id),
            "assumed" if row.best.new else "-",
        ]
        for row in batch.order.rows
    ]


def names_of(new: Collection[str]) -> str:
    """Return the names of entries as a phrase."""
    return " and ".join(sorted(new))


def _csv_row(batch: BatchPlan, row: BuildRow) -> dict[str, object]:
    cells = (
        batch.batch,
        row.at_most,
        us_text(row.best.score_ps),
        us_text(row.saves_ps),
        " ".join(sorted(row.added)),
        " ".join(sorted(row.dropped)),
        row.best.id,
        " | ".join(rival.id for rival in row.rivals),
    )
    return dict(zip(CSV_COLUMNS, cells, strict=True))


def _facts(row: BuildRow) -> JsonObject:
    return {
        "new": row.at_most,
        **_built(row.best),
        **time_facts("saves", row.saves_ps),
        "added": sorted(row.added),
        "dropped": sorted(row.dropped),
        "rivals": _each(row.rivals),
        "inside": _each(row.inside),
        "proven": True,
        "evidence": "assumed" if row.best.new else None,
    }


def _each(designs: Sequence[Built]) -> list[JsonObject]:
    return [_built(one) for one in designs]


def _built(one: Built) -> JsonObject:
    accuracy = None if one.accuracy is None else float(one.accuracy)
    return {"id": one.id, **time_facts("score", one.score_ps), "entries": sorted(one.new), "accuracy": accuracy}
