"""Plain scalars by the YAML 1.2 core schema: `no` and `1:30` are text, `1e9` is a number, numbers stay exact."""

from __future__ import annotations

import re
from decimal import Decimal

MAX_NUMBER_LENGTH = 64
MAX_EXPONENT = 308

_BOOLS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_INT = re.compile(r"[-+]?[0-9]+")
_BASED_INT = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SPECIAL = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")

PlainValue = str | int | bool | Decimal | None


class NumberTooLong(ValueError):
    """A number with more digits, or a larger exponent, than any quantity needs."""


def plain_value(text: str) -> PlainValue:
    """Return what the plain scalar *text* stands for.

    Raises
    ------
    NumberTooLong
        More than 64 characters, or an exponent beyond ±308: such numbers cost more to compute with than they say.
    """
    if text in _BOOLS:
        return _BOOLS[text]
    if text in _NULLS:
        return None
    if text[0] in "-+.0123456789":
        return _number(text)
    return text


def _number(text: str) -> PlainValue:
    if _INT.fullmatch(text):
        return int(_not_too_long(text))
    if _FLOAT.fullmatch(text):
        return exact_decimal(text)
    if _BASED_INT.fullmatch(text):
        return int(_not_too_long(text), 0)
    return Decimal(text.replace(".", "")) if _SPECIAL.fullmatch(text) else text


def exact_decimal(text: str) -> Decimal:
    """Return the number that *text* spells, digit by digit, or raise NumberTooLong."""
    try:
        number = Decimal(_not_too_long(text))
    except ArithmeticError:
        raise NumberTooLong(text) from None
    if number and abs(number.adjusted()) > MAX_EXPONENT:
        raise NumberTooLong(text)
    return number


def exact_int(text: str) -> int:
    """Return the whole number that *text* spells, or raise NumberTooLong."""
    return int(_not_too_long(text))


def _not_too_long(text: str) -> str:
    if len(text) > MAX_NUMBER_LENGTH:
        raise NumberTooLong(text)
    return text
