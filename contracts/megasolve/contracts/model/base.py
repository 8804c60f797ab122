"""The base of every file model: strict, frozen, no unknown keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Final, Generic, Literal, NoReturn, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, PlainSerializer, StringConstraints, Tag, WithJsonSchema
from pydantic_core import PydanticCustomError

PS_PER_NS = 10**3
PS_PER_US = 10**6
PS_PER_MS = 10**9
PS_PER_SECOND = 10**12
MOST_US = 10**12
MOST_COUNT = 2**31 - 1


class Frozen(BaseModel):
    """A value read from a file: it never changes after it was checked."""

    # Deferred: most parts are only ever built as a part of a whole file, and most commands read few kinds of files.
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", validate_by_alias=True, validate_by_name=True, defer_build=True)


class NotKnown(Exception):
    """Something depends on a value that nobody knows, because its file has no usable one there."""


def _refuse(*_: object, **__: object) -> NoReturn:
    raise NotKnown


_LOOKS = (
    *("__getattr__", "__bool__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__"),
    *("__len__", "__iter__", "__contains__", "__getitem__", "__call__", "__str__", "__repr__", "__format__", "__fspath__"),
    *("__int__", "__float__", "__index__", "__neg__", "__abs__", "__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__"),
    *("__floordiv__", "__rfloordiv__", "__truediv__", "__rtruediv__", "__mod__", "__rmod__"),
)

# Stands in a model where its file has no usable value; whoever looks at it is told so by `NotKnown`. All that is known of it is that
# something stands there: it is not None. So whatever is found out in spite of it holds for each value that it may get.
UNKNOWN: Final[Any] = type("Unknown", (), {**dict.fromkeys(_LOOKS, _refuse), "__class__": property(_refuse), "__slots__": ()})()


class PartlyKnown(tuple[Any, ...]):  # noqa: SLOT001 (what is as long as its entries has no room for slots)
    """A list of a file with entries that are not known, or not all of them; *turn* says which of those is judged."""

    turn: int

    def __new__(cls, entries: Iterable[Any], turn: int = 0) -> PartlyKnown:
        """Return a list of *entries*."""
        made = super().__new__(cls, entries)
        made.turn = turn
        return made


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where a value stands in a file; lines and columns count from 1, columns in code points."""

    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Located(Generic[T_co]):
    """A checked value together with the place that declares it."""

    value: T_co
    place: Place


def one_as_list(value: object) -> object:
    """Return a section that stands where a list of such sections may stand as that list."""
    return (value,) if isinstance(value, Mapping) else value


def _whole_number(value: object, *, scale: int, unit: str, minimum: int, maximum: int | None) -> int:
    """Return *value* times ten to the power *scale*, exactly, or refuse it."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal | float):
        if isinstance(value, str):
            raise PydanticCustomError("quantity_text", "write the number alone; the key holds the unit ({unit})", {"unit": unit})
        raise PydanticCustomError("quantity_type", "expected a number of {unit}", {"unit": unit})
    exact = Decimal(str(value)) if isinstance(value, float) else Decimal(value)
    if not exact.is_finite():
        raise PydanticCustomError("quantity_finite", "expected a finite number of {unit}", {"unit": unit})
    if abs(exact.adjusted()) > 30:
        raise PydanticCustomError("quantity_range", "expected a number of {unit} between 1e-30 and 1e30", {"unit": unit})
    scaled = exact.scaleb(scale)
    if scaled != scaled.to_integral_value():
        places = f"at most {scale} decimal places" if scale else "a whole number"
        raise PydanticCustomError("quantity_places", "expected {places} of {unit}", {"places": places, "unit": unit})
    whole = int(scaled)
    if whole < minimum:
        least = "above 0" if minimum > 0 else "0 or more"
        raise PydanticCustomError("quantity_sign", "expected a number of {unit} {least}", {"unit": unit, "least": least})
    if maximum is not None and exact > maximum:
        most = f"at most {maximum:,} ({maximum // (24 * 3600 * PS_PER_US)} days)"
        raise PydanticCustomError("quantity_most", "expected a number of {unit}, {most}", {"unit": unit, "most": most})
    return whole


def _ratio(value: object) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | Decimal | float):
        raise PydanticCustomError("quantity_type", "expected a number", {})
    return Decimal(str(value))


def _to(scale: int, unit: str, minimum: int, maximum: int | None = None) -> BeforeValidator:
    return BeforeValidator(lambda value: _whole_number(value, scale=scale, unit=unit, minimum=minimum, maximum=maximum))


def us_text(ps: int) -> str:
    """Return picoseconds as exact microseconds with six decimal places, as JSON results print them."""
    whole, rest = divmod(ps, PS_PER_US)
    return f"{whole}.{rest:06d}"


def _as_authored(ps: int) -> Decimal:
    # A context is compared as people and tools write it: in microseconds.
    return Decimal(ps).scaleb(-6)


_POSITIVE: dict[str, object] = {"type": "number", "exclusiveMinimum": 0}
_NOT_NEGATIVE: dict[str, object] = {"type": "number", "minimum": 0}
_US = PlainSerializer(_as_authored)
_US_SCHEMA: dict[str, object] = {"maximum": MOST_US, "description": "microseconds, at most 6 decimal places"}

DurationPs = Annotated[int, _to(6, "microseconds", 1, MOST_US), _US, WithJsonSchema(_POSITIVE | _US_SCHEMA)]
CostPs = Annotated[int, _to(6, "microseconds", 0, MOST_US), _US, WithJsonSchema(_NOT_NEGATIVE | _US_SCHEMA)]
GapPs = Annotated[
    int, _to(6, "microseconds", -MOST_US * PS_PER_US, MOST_US), _US, WithJsonSchema({"type": "number", "minimum": -MOST_US} | _US_SCHEMA)
]
Bytes = Annotated[int, _to(0, "bytes", 0), WithJsonSchema(_NOT_NEGATIVE | {"description": "bytes"})]
BytesPerSecond = Annotated[int, _to(0, "bytes per second", 1), WithJsonSchema(_POSITIVE | {"description": "bytes per second"})]
FlopsPerSecond = Annotated[
    int, _to(0, "flops per second", 1), WithJsonSchema(_POSITIVE | {"description": "floating-point operations per second"})
]
Hertz = Annotated[int, _to(0, "hertz", 1), WithJsonSchema(_POSITIVE | {"description": "hertz"})]
Relative = Annotated[
    Decimal,
    BeforeValidator(_ratio),
    Field(ge=0, le=1),
    WithJsonSchema(_NOT_NEGATIVE | {"maximum": 1, "description": "relative, 0.02 is 2 %"}),
]
Rate = Annotated[
    Decimal, BeforeValidator(_ratio), Field(gt=0, le=10**6), WithJsonSchema(_POSITIVE | {"maximum": 10**6, "description": "per second"})
]
Count = Annotated[int, Field(ge=1, le=MOST_COUNT)]
CountOrZero = Annotated[int, Field(ge=0, le=MOST_COUNT)]


class BudgetRange(Frozen):
    """The counts from *start* to *to*, *step* apart."""

    start: Count = Field(alias="from")
    to: Count
    step: Count = 1

    @property
    def counts(self) -> range:
        """Every count of the range."""
        return range(self.start, self.to + 1, self.step)

    def __str__(self) -> str:
        return f"{self.start}..{self.to}" + (f"/{self.step}" if self.step > 1 else "")


# What is wrong is said of the alternative that was meant; no key of a file has such a character.
TAG = "\0"


def list_or_word(value: object) -> str:
    """Return the tag of a list, or of a single word where one may stand instead."""
    return TAG + ("list" if isinstance(value, list | tuple) else "word")


def _count_or_range(value: object) -> str:
    return TAG + ("range" if isinstance(value, Mapping | BudgetRange) else "count")


def _count_range_or_word(value: object) -> str:
    return TAG + "word" if isinstance(value, str) else _count_or_range(value)


_Counted = Annotated[Count, Tag(TAG + "count")]
_Spanned = Annotated[BudgetRange, Tag(TAG + "range")]
Budget = Annotated[_Counted | _Spanned, Discriminator(_count_or_range)]
BudgetOrRest = Annotated[_Counted | _Spanned | Annotated[Literal["rest"], Tag(TAG + "word")], Discriminator(_count_range_or_word)]


def counts_of(budget: int | BudgetRange) -> Sequence[int]:
    """Return the counts that *budget* is, or spans."""
    return (budget,) if isinstance(budget, int) else budget.counts


Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_.-]*$", max_length=64)]
EntryName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_.+-]*$", max_length=128)]
Text = Annotated[str, StringConstraints(min_length=1)]
ObjectName = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*:[A-Za-z_][A-Za-z0-9_]*$", max_length=256),
]
RuleCode = Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}-[0-9]{2}$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
ComputeCapability = Annotated[str, StringConstraints(pattern=r"^[0-9]+\.[0-9]+$")]


class Ignored(Frozen):
    """Findings that a file asks to be left out: those of *rule*, below the path *at* or in the whole file, and why."""

    rule: RuleCode
    at: Text | None = None
    because: Text


Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"
JsonObject: TypeAlias = "Mapping[str, Json]"
Scalar = str | int | bool | Decimal | None
Tree = Scalar | tuple[Any, ...] | Mapping[str, Any]
