"""A panel of a report: a table with lines around it, which text and Markdown show alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..text.tables import Column


@dataclass(frozen=True, slots=True)
class Panel:
    """A *title*, what is said *before* the table, the table, and what is said *after* it."""

    title: str
    columns: Sequence[Column] = ()
    rows: Sequence[Sequence[str]] = ()
    before: Sequence[str] = ()
    after: Sequence[str] = ()
