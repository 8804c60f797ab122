"""How messages spell paths and values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

KeyPath = tuple[str | int, ...]

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_LONGEST_TEXT = 60
_LONGEST_NAME = 300
_LONGEST_LIST = 8
_LONGEST_STEP = 100


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return *number* with its noun in the right form, digits grouped: ``1 step``, ``12,000 steps``; *many* where an s does not do."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def path_text(path: KeyPath) -> str:
    """Return *path* as text: ``$.launch.roles[1].registers``."""
    return "$" + "".join(_step(step) for step in path)


def in_section(path: KeyPath) -> str:
    """Return the section at *path* as a phrase: ``in launch.roles[1]``, or ``at the top level``."""
    return f"in {path_text(path).removeprefix('$').removeprefix('.')}" if path else "at the top level"


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    if len(step) > _LONGEST_STEP:
        step = f"{step[:_LONGEST_STEP]}..."
    return f".{step}" if _PLAIN_KEY.fullmatch(step) else f"[{step!r}]"


def shown(value: object) -> str:
    """Return *value* as a message shows it: text in quotes, numbers and short lists as they are, the rest by what it is."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return repr(value if len(value) <= _LONGEST_TEXT else value[: _LONGEST_TEXT - 3] + "...")
    if isinstance(value, Decimal):
        return _decimal_text(value)
    # A line of JSON is a list where YAML has a tuple.
    if isinstance(value, tuple | list):
        return _list_text(value)
    return "a mapping" if isinstance(value, dict) else str(value)


def quoted(name: str) -> str:
    """Return the *name* of a file or a device in quotes; one longer than any that is meant is cut."""
    return repr(name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 3]}...")


def kind_shown(value: object) -> str:
    """Return what *value* is without quoting it."""
    if isinstance(value, str):
        return "text"
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return "a number"
    return "a list" if isinstance(value, tuple | list) else shown(value)


def _list_text(value: Sequence[object]) -> str:
    if len(value) > _LONGEST_LIST or any(isinstance(entry, tuple | list | dict) for entry in value):
        return "a list"
    return f"[{', '.join(map(shown, value))}]"


def _decimal_text(value: Decimal) -> str:
    if not value.is_finite():
        return ".nan" if value.is_nan() else f"{'-' * value.is_signed()}.inf"
    return format(value, "f") if abs(value.adjusted()) < 20 else str(value).lower()


def one_of(names: Iterable[str]) -> str:
    """Return the allowed *names* as a phrase: ``'a', 'b' or 'c'``."""
    *head, last = (repr(name) for name in names)
    return f"{', '.join(head)} or {last}" if head else last
