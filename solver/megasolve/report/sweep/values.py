"""Values of a field as text, and where the answer changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from megasolve.contracts.files.settings import plain_text

from .wins import best_text

if TYPE_CHECKING:
    from megasolve.contracts.model.base import Tree
    from megasolve.solver import FieldChange


def value_text(value: Tree) -> str:
    """Return a value as a file would have it."""
    return plain_text(value)


def change_line(change: FieldChange) -> str:
    """Return where another design becomes the best: exactly, or between which values that were asked."""
    before, after = best_text(change.before), best_text(change.after)
    if change.is_exact:
        return f"{before} at {value_text(change.last)}, {after} from {value_text(change.first)} on"
    return (
        f"somewhere between {value_text(change.last)} and {value_text(change.first)}: {before} -> {after} (derived times: asked only there)"
    )
