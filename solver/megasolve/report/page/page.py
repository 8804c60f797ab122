"""The page: one HTML file with its style, its script and its data in it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from jinja2 import Environment, FunctionLoader, StrictUndefined

from .frozen import ResultFile, frozen_view
from .view import StudyView, study_view

if TYPE_CHECKING:
    from jinja2 import Template

    from megasolve.solver.reported.reported import Reported


def report_page(studies: Sequence[Reported | ResultFile], version: str) -> str:
    """Return the page of *studies*, and of what result files say, in that order."""
    views = [_view(one, f"study-{number}", version) for number, one in enumerate(studies, start=1)]
    title = ", ".join(view.name for view in views)
    return _template().render(title=title, studies=views, version=version, style=_asset("page.css"), script=_asset("page.js"))


def _view(shown: Reported | ResultFile, key: str, version: str) -> StudyView:
    return frozen_view(shown, key, version) if isinstance(shown, ResultFile) else study_view(shown, key)


@cache
def _template() -> Template:
    # Whatever a name holds is text: nothing that comes from a file is ever markup.
    environment = Environment(
        loader=FunctionLoader(_asset), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["compact"] = _compact
    return environment.get_template("page.html.jinja")


def _compact(data: object) -> str:
    """Return *data* as JSON without a space: a canvas has thousands of numbers."""
    return json.dumps(data, separators=(",", ":"))


def _asset(name: str) -> str:
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")
