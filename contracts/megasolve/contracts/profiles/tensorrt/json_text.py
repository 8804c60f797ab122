"""The JSON of ``trtexec``, whose writer neither escapes names nor spells numbers that are none as JSON does."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from ...model.base import PS_PER_MS
from ..errors import ProfileRefused
from ..text.decimals import decimal_ps
from ..text.source import ProfileSource
from ..wording import LONGEST_REASON, shortened

MAX_BYTES = 256 * 2**20

# C++ prints these where a total is 0; no value that is read stands there.
_NO_PERCENTAGE = re.compile(r'("percentage"\s*:\s*)([+-]?(?:nan|inf(?:inity)?))', re.IGNORECASE)
_ENDS = ("]", "}")


class WrittenDecimal(str):
    """A decimal as it is written, which is told from a text of JSON: that is no number."""

    __slots__ = ()


def read_json(source: ProfileSource, kept: Callable[[dict[str, Any]], object] | None = None) -> Any:
    """Return the document in *source*, exact: decimals as `WrittenDecimal`, and each object as what *kept* makes of it.

    Raises
    ------
    ProfileRefused
        It is larger than 256 MiB, not UTF-8, truncated, or no JSON; with the byte where that shows.
    """
    with source.open() as stream:
        content = stream.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ProfileRefused(source.file, f"is larger than {MAX_BYTES // 2**20} MiB, which no export of trtexec is")
    try:
        text = _NO_PERCENTAGE.sub(_blanked, content.decode("utf-8-sig"))
        del content
        return json.loads(text, parse_float=WrittenDecimal, parse_constant=WrittenDecimal, object_hook=kept)
    except UnicodeDecodeError as error:
        raise ProfileRefused(source.file, f"is not UTF-8 text (byte {error.start + 1})") from None
    except json.JSONDecodeError as error:
        raise ProfileRefused(source.file, _why_no_json(error)) from None
    except ValueError:
        raise ProfileRefused(source.file, "has a number of thousands of digits, which no export of trtexec has") from None
    except RecursionError:
        raise ProfileRefused(source.file, "is nested too deeply for an export of trtexec") from None


def milliseconds(key: str, value: object) -> int:
    """Return *value*, which stands at *key* of an entry, in picoseconds; ValueError where it is no number or negative."""
    if not isinstance(value, WrittenDecimal) and type(value) is not int:
        raise ValueError(f"{key} is {'missing' if value is None else 'no number'}")
    try:
        time_ps = decimal_ps(str(value), PS_PER_MS)
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None
    if time_ps < 0:
        raise ValueError(f"{key} is negative ({value})")
    return time_ps


def refused_entry(source: ProfileSource, row: int, reason: str) -> ProfileRefused:
    """Return the refusal of entry number *row*, counted from 0 as in the array."""
    return ProfileRefused(source.file, f"entry {row}: {shortened(reason, LONGEST_REASON)}")


def _blanked(match: re.Match[str]) -> str:
    return match[1] + "0".ljust(len(match[2]))


def _why_no_json(error: json.JSONDecodeError) -> str:
    breaks_off = not error.doc[error.pos :].strip()
    if breaks_off or not error.doc.rstrip().endswith(_ENDS):
        return f"is truncated: the JSON breaks off on line {error.lineno}; export it again"
    offset = len(error.doc[: error.pos].encode())
    return (
        f"is no JSON at byte {offset} (line {error.lineno}, column {error.colno}: {error.msg});"
        " trtexec does not escape quotes and backslashes in layer names"
    )
