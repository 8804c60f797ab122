"""A sweep as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..solve.wording import without_words
from ..text.outside import beyond_plan_lines
from ..text.settings import setting_lines
from ..text.tables import markdown, markdown_text
from .notes import notes_of
from .panels import panels
from .plot import plot_lines

if TYPE_CHECKING:
    from megasolve.solver import Sweep


def sweep_markdown(sweep: Sweep, *, show_all: bool = False, show_plot: bool = False) -> str:
    """Return *sweep* as Markdown; what is shown is as for `sweep_table`."""
    lines = [f"# {markdown_text(sweep.spec)} on {markdown_text(sweep.device)}{without_words(sweep.without)}", ""]
    for line in setting_lines(sweep.settings):
        lines += [f"> **{markdown_text(line)}**", ""]
    for line in (*beyond_plan_lines(sweep.outside), *notes_of(sweep)):
        lines += [f"> **Note:** {markdown_text(line)}", ""]
    for panel in panels(sweep, show_all=show_all):
        lines += [f"## {markdown_text(panel.title)}", "", *(f"- {markdown_text(line)}" for line in panel.before)]
        lines += ["", *markdown(panel.columns, panel.rows)] if panel.rows else []
        lines += ["", *(f"- {markdown_text(line)}" for line in panel.after), ""]
    return "\n".join([*lines, *(["```", *plot_lines(sweep), "```", ""] if show_plot else [])])
