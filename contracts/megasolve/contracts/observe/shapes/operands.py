"""The operands of a call: tensors with their sides and the bytes of an element."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from ...profiles.execution import OperatorCall

_BYTES = {
    "c10::BFloat16": 2,
    "c10::Half": 2,
    "float": 4,
    "double": 8,
    "long int": 8,
    "long": 8,
    "int": 4,
    "short": 2,
    "short int": 2,
    "signed char": 1,
    "char": 1,
    "unsigned char": 1,
    "bool": 1,
    "c10::complex<float>": 8,
}
_NO_NUMBERS = frozenset({"long int", "long", "int", "short", "short int", "signed char", "char", "unsigned char", "bool"})


@dataclass(frozen=True, slots=True)
class Operand:
    """A tensor at *position* among the operands of a call."""

    position: int
    sides: tuple[int, ...]
    element_bytes: int
    is_float: bool

    @property
    def numel(self) -> int:
        """Its elements."""
        return prod(self.sides)

    @property
    def size_bytes(self) -> int:
        """Its bytes."""
        return self.numel * self.element_bytes

    @property
    def rank(self) -> int:
        """The number of its sides."""
        return len(self.sides)

    @property
    def rows(self) -> int:
        """Its elements over the last side."""
        return prod(self.sides[:-1])


def tensors(call: OperatorCall) -> tuple[Operand, ...]:
    """Return the operands of *call* that are tensors with elements, those of a list of tensors one by one; none where a type is unknown."""
    found = list(_tensors(call))
    return () if any(one is None for one in found) else tuple(one for one in found if one is not None)


def concrete(call: OperatorCall, position: int) -> str:
    """Return the value at *position*, nothing where it is a tensor or was not recorded."""
    return call.concrete[position] if position < len(call.concrete) else ""


def whole_numbers(words: str) -> tuple[int, ...]:
    """Return the numbers of a value such as ``[1, 2]`` or ``3``; none where it holds anything else."""
    parts = [part.strip() for part in words.strip("[]() ").split(",") if part.strip()]
    return tuple(map(int, parts)) if all(part.lstrip("-").isdigit() for part in parts) else ()


def _tensors(call: OperatorCall) -> Iterator[Operand | None]:
    lists = "TensorList" in call.types
    element = max((of for of in map(_element_bytes, call.types) if of), default=2)
    for position, sides in enumerate(call.operands):
        kind = call.types[position] if position < len(call.types) else ""
        if not sides:
            continue
        if lists and isinstance(sides[0], tuple):
            yield from (Operand(position, part, element, is_float=True) for part in sides if part and prod(part))
        elif all(isinstance(side, int) for side in sides) and prod(sides):
            width = _element_bytes(kind)
            yield None if width is None else Operand(position, sides, width, kind not in _NO_NUMBERS)


def _element_bytes(kind: str) -> int | None:
    if "Float8" in kind:
        return 1
    return _BYTES.get(kind)
