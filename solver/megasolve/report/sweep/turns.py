"""Where the answer turns as a field falls and grows: what --solve-for asks for, in each form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from megasolve.contracts.files.settings import plain_text

from ..text.tables import markdown_text, one_line
from .json import change_facts, number
from .values import value_text
from .wins import best_text

if TYPE_CHECKING:
    from megasolve.contracts import JsonObject
    from megasolve.solver import FieldChange, FieldTurns


def turns_text(turns: Sequence[FieldTurns]) -> str:
    """Return where the answer turns as lines of text, field by field and batch by batch."""
    lines = [line for one in turns for line in (_head(one), f"  {_side(one.below, one, 0)}", f"  {_side(one.above, one, 1)}")]
    return "\n".join([*map(one_line, lines), ""])


def turns_markdown(turns: Sequence[FieldTurns]) -> str:
    """Return the same as Markdown."""
    lines = [line for one in turns for line in (f"- {_head(one)}", f"  - {_side(one.below, one, 0)}", f"  - {_side(one.above, one, 1)}")]
    return "\n".join(["## Solved for", "", *map(markdown_text, lines), ""])


def _head(one: FieldTurns) -> str:
    now = "stated nowhere" if one.now is None else f"now {value_text(one.now)}"
    return f"solve for {one.path} ({now}) at batch {one.batch}, {one.objective.value}: {best_text(one.best)} is the best"


def _side(change: FieldChange | None, one: FieldTurns, side: int) -> str:
    way = ("below", "above")[side]
    if change is None:
        return f"{way}: the answer stays the same to {value_text(one.within[side])}, the farthest that it was followed"
    before, after = best_text(change.before), best_text(change.after)
    last, first = value_text(change.last), value_text(change.first)
    if change.is_exact:
        return f"{way}: from {first} on it is {after}; {before} still at {last}"
    return f"{way}: between {last} and {first} it becomes {after} (derived times: asked only there)"


def turn_facts(one: FieldTurns) -> JsonObject:
    """Return where the answer turns, as JSON has it."""
    return {
        "path": one.path,
        "batch": one.batch,
        "objective": one.objective.value,
        "now": number(one.now),
        "best": list(one.best),
        "below": None if one.below is None else change_facts(one.below),
        "above": None if one.above is None else change_facts(one.above),
        "within": list(map(number, one.within)),
        "within_text": list(map(plain_text, one.within)),
    }


def turn_rows(turns: Sequence[FieldTurns]) -> Iterator[dict[str, object]]:
    """Yield a row of CSV for each side on which the answer turns."""
    for one in turns:
        for side, change in enumerate((one.below, one.above)):
            about = {"batch": one.batch, "objective": one.objective.value, "status": "solve for"}
            best = best_text(one.best if change is None else change.after)
            yield {**about, "id": best, "notes": f"{one.path}: {_side(change, one, side)}"}
