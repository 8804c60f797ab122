"""What each side of two that run beside each other pays, in the forms of an explanation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from megasolve.contracts.model.wording import counted

from ..text.numbers import exact_ps, ratio_text, signed_percent, unit_of, us_text

if TYPE_CHECKING:
    from megasolve.contracts import JsonObject
    from megasolve.solver import PaidBySides, PaidSide


def sides_lines(paid: PaidBySides | None) -> list[str]:
    """Return what each side takes beside the other one and alone; nothing where nothing runs side by side."""
    return list(_lines(paid)) if paid else []


def _lines(paid: PaidBySides) -> Iterator[str]:
    unit = unit_of(paid.cycle_ps)
    steps = "the step" if paid.steps == 1 else f"the {counted(paid.steps, 'step')}"
    serial = "" if paid.serial_ps is None else f"; one after the other it takes {unit.text(paid.serial_ps)}"
    yield f"side by side a steady cycle of {counted(paid.steps, 'step')} and a chunk takes {unit.text(paid.cycle_ps)}{serial}"
    for side, name in zip(paid.sides, (f"{steps}:", "the chunk:"), strict=True):
        yield f"  {name} {unit.text(side.beside_ps)}, alone {_alone(side, unit.text(side.alone_ps or 0))}"


def _alone(side: PaidSide, alone: str) -> str:
    return "not known" if side.paid is None else f"{alone}: {signed_percent(side.paid)}"


def sides_facts(paid: PaidBySides | None) -> JsonObject:
    """Return the same for JSON; nothing where nothing runs side by side."""
    if paid is None:
        return {}
    serial_us = None if paid.serial_ps is None else us_text(paid.serial_ps)
    sides = {side.name: _side_facts(side) for side in paid.sides}
    return {"side_by_side": {"cycle_steps": paid.steps, "cycle_us": us_text(paid.cycle_ps), "serial_us": serial_us, **sides}}


def _side_facts(side: PaidSide) -> JsonObject:
    alone: JsonObject = {"alone_us": None, "alone_ps": None}
    if side.alone_ps is not None:
        alone = {"alone_us": us_text(side.alone_ps), "alone_ps": exact_ps(side.alone_ps)}
    return {"beside_us": us_text(side.beside_ps), "beside_ps": exact_ps(side.beside_ps), **alone, "paid": ratio_text(side.paid)}
