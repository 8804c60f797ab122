"""An evaluation as text: the planners beside each other, then each case with its designs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from megasolve.contracts.model.wording import counted

from ..text.paint import PLAIN, Paint
from ..text.tables import aligned, indented, one_line
from .tables import CASE_COLUMNS, case_rows, group_columns, group_rows, pool_columns, pool_rows, pool_unit
from .wording import REGRESSION_LINE, cancelled_lines, doubt_lines, heading, plan_lines, summary_lines

if TYPE_CHECKING:
    from megasolve.solver import Case, Evaluation


def evaluation_text(evaluation: Evaluation, paint: Paint = PLAIN) -> str:
    """Return *evaluation* as text."""
    return "\n".join(_lines(evaluation, paint)).rstrip("\n") + "\n"


def _lines(evaluation: Evaluation, paint: Paint) -> Iterator[str]:
    yield paint.bold(one_line(heading(evaluation)))
    if evaluation.is_regression:
        yield paint.yellow(REGRESSION_LINE)
    yield from (paint.yellow(one_line(line)) if evaluation.changes else one_line(line) for line in plan_lines(evaluation))
    yield from (paint.yellow(f"NOTE: {one_line(note)}") for note in evaluation.notes)
    if not evaluation.cases:
        yield "nothing to judge: no batch of the plan has a run"
        return
    yield from summary_lines(evaluation)
    yield ""
    yield from indented(aligned(CASE_COLUMNS, [[one_line(cell) for cell in row] for row in case_rows(evaluation)], paint))
    for case in evaluation.leading:
        yield ""
        yield from _case(case, paint)


def _case(case: Case, paint: Paint) -> Iterator[str]:
    blocks = len({block for one in case.pool for block in one.contender.blocks})
    yield paint.bold(f"batch {case.batch}: {counted(len(case.pool), 'design')} in {counted(blocks, 'block')}")
    yield from (f"  {one_line(line)}" for line in doubt_lines(case))
    yield from (paint.yellow(f"  {one_line(line)}") for line in cancelled_lines(case))
    rows = [[one_line(cell) for cell in row] for row in pool_rows(case)]
    yield from indented(aligned(pool_columns(pool_unit(case)), rows, paint))
    for one in case.pool:
        if one.groups:
            yield ""
            yield f"  {one_line(one.contender.name)} by groups, all calls of each until the {case.objective.replace('_', ' ')}:"
            yield from indented(aligned(group_columns(pool_unit(case)), list(group_rows(one, pool_unit(case))), paint, indent=4), 4)
