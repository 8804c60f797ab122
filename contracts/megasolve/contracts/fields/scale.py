"""Scales: the values of a numeric field as whole numbers, in the smallest step that the field knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from ..files.schema.shape import expectation, slot_at
from ..model.base import Tree
from ..model.wording import kind_shown
from .named import NamedField, authored, is_number
from .path import UnusableField
from .setting import path_and_value

_US_PLACES = 6
_RATIO_PLACES = 6


@dataclass(frozen=True, slots=True)
class Scale:
    """A field whose values have *places* decimals: times in microseconds six, which are picoseconds; counts none."""

    places: int
    is_time: bool

    def whole(self, value: Decimal | int) -> int:
        """Return *value* in steps of the field, rounded down."""
        return int((Decimal(value).scaleb(self.places)).to_integral_value(rounding="ROUND_FLOOR"))

    def value(self, steps: int) -> Tree:
        """Return the value of so many *steps*, as a file has it."""
        return Decimal(steps).scaleb(-self.places) if self.places else steps


@dataclass(frozen=True, slots=True)
class Range:
    """The values of the field at *path* from *low* to *high*, shown at so many *steps*, None where nobody said how many."""

    path: str
    low: Decimal
    high: Decimal
    steps: int | None


def scale_of(path: str, fields: Sequence[NamedField]) -> Scale:
    """Return the scale of *fields*, which *path* names.

    Raises
    ------
    UnusableField
        One of them holds no number.
    """
    for field in fields:
        if not is_number(field):
            raise UnusableField(f"{path!r} is no number: {field} holds {kind_shown(field.value) if field.value is not None else 'none'}")
    if str(fields[0].path[-1]).endswith("_us"):
        return Scale(_US_PLACES, is_time=True)
    document = fields[0].document
    slot = slot_at(type(document.value), fields[0].path, authored(document.value))
    known = [field.value for field in fields if isinstance(field.value, Decimal)]
    if expectation(slot, "").startswith("a whole") and not known:
        return Scale(0, is_time=False)
    digits = [-exponent for value in known if isinstance(exponent := value.as_tuple().exponent, int)]
    return Scale(max(_RATIO_PLACES, *digits), is_time=False) if digits else Scale(_RATIO_PLACES, is_time=False)


def parse_range(text: str) -> Range:
    """Return the range that *text* is: ``PATH=A..B`` or ``PATH=A..B/STEPS``.

    Raises
    ------
    UnusableField
        It is none.
    """
    path, words = path_and_value(text)
    low, dots, rest = (words or "").partition("..")
    high, slash, steps = rest.partition("/")
    numbers = [_number(low), _number(high)]
    count = int(steps) if steps.strip().isdecimal() else None
    if not dots or None in numbers or (slash and not count):
        raise UnusableField(f"{text!r} is no range: write PATH=A..B or PATH=A..B/STEPS, with numbers A and B and at least one step")
    first, last = (number or Decimal(0) for number in numbers)
    if last <= first:
        raise UnusableField(f"{text!r} is no range: {last} is not above {first}")
    return Range(path, first, last, count)


def _number(text: str) -> Decimal | None:
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number.adjusted()) <= 30 else None
