"""What stands in one event of a Kineto trace, as exact values: times, whole numbers, launch shapes and texts.

Each age of the format, and each tool that rewrites traces, types these fields differently; a value of none of the known forms is
never guessed at.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...model.base import PS_PER_US
from ..execution import Dim3
from ..text.decimals import decimal_ps
from ..wording import shortened

# In 2021 the thread of a kernel read "stream 7", and that of a call was its number as text.
_NUMBER = re.compile(r"(?:stream )?(-?\d{1,19})", re.ASCII | re.IGNORECASE)


class NegativeDuration(ValueError):
    """An event ends before it starts."""


def time_ps(value: object) -> int:
    """Return a time in microseconds as picoseconds, exactly; it is always microseconds, whatever displayTimeUnit says.

    Raises ValueError for anything but a number or the text of a plain decimal.
    """
    if isinstance(value, str):
        return decimal_ps(value, PS_PER_US)
    if type(value) is int:
        return value * PS_PER_US
    raise ValueError(f"{shortened(repr(value))} is no time")


def interval_ps(event: Mapping[str, Any]) -> tuple[int, int]:
    """Return start and duration of *event*.

    Raises ValueError where one is missing or no decimal number, and NegativeDuration.
    """
    try:
        start, duration = event["ts"], event["dur"]
    except KeyError as missing:
        raise ValueError(f"has no {missing.args[0]}") from None
    try:
        start_ps, duration_ps = time_ps(start), time_ps(duration)
    except ValueError as error:
        raise ValueError(f"has a {'dur' if _is_time(start) else 'ts'} that cannot be read: {error}") from None
    if duration_ps < 0:
        raise NegativeDuration(f"lasts {duration} us: a negative duration is no measurement")
    return start_ps, duration_ps


def _is_time(value: object) -> bool:
    try:
        time_ps(value)
    except ValueError:
        return False
    return True


def whole(value: object) -> int | None:
    """Return a whole number, also one in text ("7", "stream 7"); None for anything else."""
    # Not isinstance: a truth value is no number.
    if type(value) is int:
        return value
    match = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    return None if match is None else int(match[1])


def positive(value: object) -> int | None:
    """Return a whole number above 0; None for anything else, as 0 stands for unknown where a 0 cannot be."""
    number = value if type(value) is int else whole(value)
    return number if number is not None and number > 0 else None


def dim3(value: object, field: str) -> Dim3 | None:
    """Return three positive numbers; None where nothing is said.

    Raises ValueError for any other form: a launch shape that is half understood would be compared with contracts.
    """
    if isinstance(value, list) and len(value) == 3:
        x, y, z = map(positive, value)
        if x and y and z:
            return x, y, z
    if value is None or value in ([], [0, 0, 0]):
        return None
    raise ValueError(f"has the {field} {shortened(repr(value))}, not three positive numbers")


def name_of(event: Mapping[str, Any]) -> str:
    """Return the name of *event*; ValueError where there is none."""
    name = event.get("name")
    if not isinstance(name, str) or not name:
        raise ValueError("has no name")
    return printable(name)


def printable(text: str) -> str:
    """Return *text* with a question mark for each half of a surrogate pair, which no file or terminal takes."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def arguments(event: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the args of *event*, which may be missing."""
    found = event.get("args")
    return found if isinstance(found, dict) else {}
