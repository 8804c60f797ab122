"""Facts: plain values as the cache keeps them, read back only if each is exactly of the kind that was written."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction


def exactly(facts: object, names: Collection[str]) -> Mapping[str, object]:
    """Return *facts* if it maps exactly *names*.

    Raises
    ------
    ValueError
        It does not. The other functions of this module raise it likewise.
    """
    if not isinstance(facts, Mapping) or {*facts} != {*names}:
        raise ValueError(f"expected exactly {', '.join(names)}")
    return facts


def whole(value: object, least: int = 0) -> int:
    """Return *value* if it is a whole number of at least *least*; true and 1.0 are none."""
    if type(value) is not int or value < least:
        raise ValueError(f"expected a whole number >= {least}, not {value!r}")
    return value


def text(value: object) -> str:
    """Return *value* if it is a text that is not empty."""
    if not isinstance(value, str) or not value:
        raise ValueError(f"expected a text, not {value!r}")
    return value


def texts(value: object) -> tuple[str, ...]:
    """Return *value*, a list of texts, as a tuple."""
    if not isinstance(value, list | tuple):
        raise ValueError(f"expected a list of texts, not {value!r}")
    return tuple(text(one) for one in value)


def factor(value: object) -> Fraction:
    """Return the positive fraction that *value* is the text of, as `str` writes it."""
    try:
        found = Fraction(text(value))
    except ZeroDivisionError:
        found = Fraction(0)
    if found <= 0 or str(found) != value:
        raise ValueError(f"expected a fraction above 0 in lowest terms, not {value!r}")
    return found


def fractions(value: object) -> tuple[tuple[str, Fraction], ...]:
    """Return *value*, a mapping of operators to positive fractions, as pairs in order."""
    if not isinstance(value, Mapping):
        raise ValueError(f"expected factors by operator, not {value!r}")
    return tuple((text(operator), factor(one)) for operator, one in sorted(value.items()))
