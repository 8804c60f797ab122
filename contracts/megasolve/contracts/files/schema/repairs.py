"""Repairs of refused values: what to write instead."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from ...model.base import MOST_COUNT
from ...model.wording import shown
from .shape import Slot, bounds, expectation
from .units import RATE, family_of_key, written_quantity

_YAML_1_1_BOOLS = {"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}
_PLAIN_ENTRY = re.compile(r"[A-Za-z0-9_./*-]{1,60}")
_COUNT_TEXT = re.compile(r"\s*([0-9][0-9_,]{0,30})(?:\s*[A-Za-z]+)?\s*")


def quantity_message(found: Any, key: str, kind: str, expected: str) -> str:
    """Return what is wrong with the quantity *found* under *key*, in one line with its repair."""
    if kind == "quantity_text":
        return f"found {shown(found)}, {expected}{_number_alone(str(found), key)}"
    return f"found {shown(found)}, {expected}{number_repair(found, key)}"


def _number_alone(text: str, key: str) -> str:
    family = family_of_key(key)
    exact = None if family is None else written_quantity(text, family)
    if exact is None and re.fullmatch(r"\s*[0-9.]+([eE][-+]?[0-9]+)?\s*", text):
        return f": write {text.strip()} without quotes"
    return "" if exact is None else f": write {_plain(exact)}"


def number_repair(found: Any, key: str) -> str:
    """Return, for a bandwidth too small to be one, what the same figure is in bytes per second; else nothing."""
    is_number = isinstance(found, int | Decimal) and not isinstance(found, bool) and Decimal(found).is_finite()
    if family_of_key(key) is not RATE or not is_number or not 0 < found < 10**5:
        return ""
    in_tera, in_giga = (_plain(Decimal(found) * scale) for scale in (10**12, 10**9))
    return f"; {shown(found)} TB/s is {in_tera}, {shown(found)} GB/s is {in_giga}"


def range_message(found: Any, key: str, slot: Slot | None) -> str:
    """Return which range the number *found* is out of."""
    least, most = (None, None) if slot is None else bounds(slot)
    if most is None or (most == MOST_COUNT and found < (least or 0)):
        return f"found {shown(found)}, expected {expectation(slot, key)}, {least} or more"
    if family_of_key(key) is RATE:
        tera = " to ".join(_plain(Decimal(bound) / 10**12) for bound in (least or 0, most)) + " TB/s"
        return f"found {shown(found)}, expected {least:,} to {most:,} bytes per second ({tera})"
    # Zero is out of a range that it seems to begin.
    span = f"above 0, at most {most:,}" if found == 0 and not least else f"from {least or 0:,} to {most:,}"
    return f"found {shown(found)}, expected {expectation(slot, key)} {span}"


def type_repair(found: Any, expected: str) -> str:
    """Return how to write *found* so that it is what is *expected*, or nothing."""
    if expected == "text" and isinstance(found, int | Decimal):
        return ": put it in quotes"
    if expected == "a list" and _PLAIN_ENTRY.fullmatch(str(found)):
        return f": write [{found}]"
    if expected == "true or false" and isinstance(found, str):
        meant = _YAML_1_1_BOOLS.get(found.lower()) or {"true": "true", "false": "false"}.get(found.lower())
        return f": write {meant}" if meant else ""
    return _count_repair(found) if expected == "a whole number" else ""


def _count_repair(found: Any) -> str:
    if isinstance(found, Decimal) and found.is_finite() and found == found.to_integral_value() and abs(found) < 10**12:
        return f": write {int(found)}"
    match = _COUNT_TEXT.fullmatch(found) if isinstance(found, str) else None
    return f": write {int(re.sub('[_,]', '', match[1]))}" if match else ""


def _plain(number: Decimal) -> str:
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
