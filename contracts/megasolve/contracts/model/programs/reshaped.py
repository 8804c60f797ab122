"""Validators that let a file write a value in the short way, without a trace of it in the paths of errors."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError, ValidatorFunctionWrapHandler
from pydantic_core import InitErrorDetails, PydanticCustomError, PydanticKnownError

_UNION_ERRORS = {"union_tag_invalid": "literal_error", "union_tag_not_found": "missing"}


def one_or_many(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    """Read a value that stands alone as a list of one."""
    if isinstance(value, tuple):
        return handler(value)
    try:
        return handler((value,))
    except ValidationError as error:
        raise _without_first_step(error) from None


def by_kind(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    """Read one of several models that a key `kind` tells apart, so that errors lie at the keys of the file."""
    try:
        return handler(value)
    except ValidationError as error:
        if error.errors()[0]["type"] in _UNION_ERRORS:
            raise _about_kind(error) from None
        if error.errors()[0]["loc"]:
            raise _without_first_step(error) from None
        raise


def _without_first_step(error: ValidationError) -> ValidationError:
    # An error without a step is the echo of the others: refused entries are not counted, so their list seems too short.
    inner = [_moved(detail, detail["loc"][1:]) for detail in error.errors() if detail["loc"]]
    return ValidationError.from_exception_data(error.title, inner)


def _moved(detail: Any, path: tuple[str | int, ...]) -> InitErrorDetails:
    kind, context = detail["type"], detail.get("ctx", {})
    try:
        moved: PydanticKnownError | PydanticCustomError = PydanticKnownError(kind, context or None)
    except (KeyError, TypeError):
        moved = PydanticCustomError(kind, detail["msg"], context)
    known: Any = kind if isinstance(moved, PydanticKnownError) else moved
    return InitErrorDetails(type=known, loc=path, input=detail["input"], ctx=context)


def _about_kind(error: ValidationError) -> ValidationError:
    detail: Any = error.errors()[0]
    if detail["type"] == "union_tag_not_found":
        return ValidationError.from_exception_data(error.title, [InitErrorDetails(type="missing", loc=("kind",), input=detail["input"])])
    *others, last = detail["ctx"]["expected_tags"].split(", ")
    expected = f"{', '.join(others)} or {last}"
    about = InitErrorDetails(type="literal_error", loc=("kind",), input=detail["ctx"]["tag"], ctx={"expected": expected})
    return ValidationError.from_exception_data(error.title, [about])
