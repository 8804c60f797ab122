"""A sweep as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..solve.wording import without_words
from ..text.outside import beyond_plan_lines
from ..text.paint import PLAIN, Paint
from ..text.settings import setting_lines
from ..text.tables import aligned, indented, one_line
from .notes import notes_of
from .panel import Panel
from .panels import panels
from .plot import plot_lines

if TYPE_CHECKING:
    from megasolve.solver import Sweep


def sweep_table(sweep: Sweep, *, show_all: bool = False, show_plot: bool = False, paint: Paint = PLAIN) -> str:
    """Return *sweep* as text; *show_all* has megakernels that no winner has, *show_plot* bars of the scores."""
    lines = [
        f"{sweep.spec} on {sweep.device}{without_words(sweep.without)}",
        *(paint.yellow(one_line(line)) for line in setting_lines(sweep.settings)),
        *beyond_plan_lines(sweep.outside),
        *(paint.yellow(f"NOTE: {one_line(note)}") for note in notes_of(sweep)),
        "",
    ]
    for panel in panels(sweep, show_all=show_all):
        lines += [*_panel_lines(panel, paint), ""]
    if show_plot:
        lines += plot_lines(sweep, paint.columns)
    return "\n".join(lines)


def _panel_lines(panel: Panel, paint: Paint) -> list[str]:
    table = aligned(panel.columns, panel.rows, paint) if panel.rows else []
    return [paint.bold(one_line(panel.title)), *indented([*panel.before, *table, *map(one_line, panel.after)])]
