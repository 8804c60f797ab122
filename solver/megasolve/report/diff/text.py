"""What changed between two plans, for a person: a paragraph for each batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from megasolve.contracts.model.wording import counted

from ..evaluate.wording import change_words
from ..text.numbers import percent, unit_of
from ..text.paint import PLAIN, Paint
from ..text.tables import one_line

if TYPE_CHECKING:
    from megasolve.solver.compare.difference import BatchDifference, Dropped, PlanDifference, Shift

LISTED = 3


def diff_text(found: PlanDifference, tolerance: Fraction | None, paint: Paint = PLAIN) -> str:
    """Return *found* as text; with *tolerance* batches that became slower by more are marked."""
    then, now = map(one_line, found.device)
    head = f"{one_line(found.spec)} on {then}" if then == now else f"{one_line(found.spec)}, on {then} before and on {now} after"
    lines = [paint.bold(head), *(one_line(change_words(change)) for change in found.changes)]
    if not found.changes:
        lines.append("both plans were made of the same files, options and version")
    for batch in found.batches:
        lines += ["", *_batch_lines(batch, tolerance, paint)]
    return "".join(f"{line}\n" for line in lines)


def _batch_lines(batch: BatchDifference, tolerance: Fraction | None, paint: Paint) -> Iterator[str]:
    planner = "" if batch.ablation == "full" else f", {batch.ablation}"
    line = f"batch {batch.batch}, {one_line(batch.objective)}{planner}: {_best(batch)}"
    is_worse = tolerance is not None and batch.is_worse(tolerance)
    yield paint.yellow(f"{line}: worse than allowed") if is_worse else line
    slower = [one for one in batch.shifted if one.after_ps > one.before_ps]
    faster = [one for one in batch.shifted if one.after_ps < one.before_ps][::-1]
    yield from _shift_lines(slower, "slower")
    yield from _shift_lines(faster, "faster")
    if batch.dropped:
        yield f"  {counted(len(batch.dropped), 'candidate')} no longer ranked: {_listed(list(map(_dropped, batch.dropped)))}"
    if batch.added:
        yield f"  {counted(len(batch.added), 'candidate')} newly ranked: {_listed([one_line(one) for one in batch.added])}"


def _best(batch: BatchDifference) -> str:
    if batch.is_missing or batch.is_new:
        return "only in the plan before" if batch.is_missing else "only in the plan after"
    if batch.before_ps is None or batch.after_ps is None:
        return _feasibility(batch)
    unit = unit_of(batch.before_ps)
    times = f"{unit.text(batch.before_ps)} -> {unit.text(batch.after_ps)}"
    change = "the same" if batch.before_ps == batch.after_ps else _signed(batch.relative)
    if batch.has_other_best:
        return f"best was {one_line(batch.best_before[0])} and is {one_line(batch.best_after[0])}, {times}, {change}"
    return f"best stays {one_line(next(name for name in batch.best_after if name in batch.best_before))}, {times}, {change}"


def _feasibility(batch: BatchDifference) -> str:
    if batch.before_ps is None and batch.after_ps is None:
        return "nothing is feasible, before and after"
    return "nothing was feasible, and now something is" if batch.before_ps is None else "nothing is feasible any more"


def _signed(share: Fraction | None) -> str:
    if share is None:
        return "from nothing"
    return f"+{percent(share)}" if share > 0 else percent(share)


def _shift_lines(shifts: Sequence[Shift], word: str) -> Iterator[str]:
    if shifts:
        most = [f"{one_line(one.id)} {_signed(one.relative)}" for one in shifts[:LISTED]]
        yield f"  {counted(len(shifts), 'candidate')} {word}: {_listed(most, len(shifts))}"


def _dropped(one: Dropped) -> str:
    if not one.causes:
        return one_line(one.id)
    more = f", and {counted(len(one.causes) - 1, 'more cause')}" if len(one.causes) > 1 else ""
    return one_line(f"{one.id} ({one.causes[0]}{more})")


def _listed(shown: Sequence[str], count: int | None = None) -> str:
    more = (len(shown) if count is None else count) - LISTED
    return ", ".join(shown[:LISTED]) + (f" and {more} more" if more > 0 else "")
