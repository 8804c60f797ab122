"""The operators of PyTorch that a trace with shapes records, and the modules that they ran in: what the kernels of a launch compute."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..execution import Captured, Operands, OperatorCall, Span
from .calls import LAUNCHES, RuntimeCall
from .fields import arguments, name_of, whole

MODULE_MARK = "nn.Module: "

# Operands of one operator, and elements of a list of tensors: what is longer is none that is looked at.
_MOST = 256


class _Form(NamedTuple):
    """What equal calls of an operator share."""

    name: str
    operands: Operands
    types: tuple[str, ...]
    concrete: tuple[str, ...]


class Operators:
    """The calls of operators that were taken so far, by the number that kernels and launch calls carry; equal forms are one object."""

    def __init__(self) -> None:
        self.modules: list[Span] = []
        self._forms: dict[_Form, _Form] = {}
        self._calls: dict[int, _Form] = {}
        self._objects: dict[int, OperatorCall] = {}

    def take(self, event: Mapping[str, Any]) -> None:
        """Take an operator, if the trace recorded its shapes."""
        details = arguments(event)
        number, operands = external_id(details), details.get("Input Dims")
        if number is None or not isinstance(operands, list) or len(operands) > _MOST:
            return
        types, concrete = details.get("Input type"), details.get("Concrete Inputs")
        form = _Form(name_of(event), _frozen(operands), _texts(types), _texts(concrete))
        self._calls[number] = self._forms.setdefault(form, form)

    def of(self, number: int | None) -> OperatorCall | None:
        """Return the call with that *number*, one object for all that ask for it."""
        form = None if number is None else self._calls.get(number)
        if number is None or form is None:
            return None
        if number not in self._objects:
            self._objects[number] = OperatorCall(number, *form)
        return self._objects[number]


def external_id(details: Mapping[str, Any]) -> int | None:
    """Return the number that ties kernels, calls and operators together."""
    return whole(details.get("External id", details.get("external id")))


def captured_of(calls: Iterable[tuple[int, RuntimeCall]], captures: Sequence[Span], operators: Operators) -> tuple[Captured, ...]:
    """Return the launches within *captures*, in the order in which they were called for."""
    inside = (call for _, call in calls if call.role in LAUNCHES)
    found = [(window, call) for call in inside for window in _windows(call, captures)]
    ordered = sorted(found, key=lambda one: (one[0], one[1].start_ps))
    return tuple(Captured(window, call.kernel, operators.of(call.external)) for window, call in ordered)


def _windows(call: RuntimeCall, captures: Sequence[Span]) -> Iterator[int]:
    for number, capture in enumerate(captures):
        if capture.thread == call.thread and capture.start_ps <= call.start_ps <= capture.end_ps:
            yield number
            return


def _frozen(operands: list[Any]) -> Operands:
    """Return sizes as tuples; a list of tensors is a tuple of them, and what is no size is left out."""
    return tuple(_sizes(one) for one in operands)


def _sizes(one: object) -> tuple[Any, ...]:
    if not isinstance(one, list) or len(one) > _MOST:
        return ()
    if one and all(isinstance(part, list) for part in one):
        return tuple(_sizes(part) for part in one)
    return tuple(size for size in one if type(size) is int and size >= 0)


def _texts(values: object) -> tuple[str, ...]:
    return tuple(str(value)[:80] for value in values[:_MOST]) if isinstance(values, list) else ()
