"""Tells the format of a profile from its content, whatever its name, or says what the file is instead."""

from __future__ import annotations

import re

from ..errors import ProfileRefused
from ..execution import Format
from ..text.source import ProfileSource
from .binary_kinds import binary_reason
from .json_kinds import recognize_json
from .tasks import task_file, why_no_profile
from .text_kinds import recognize_text

_SQLITE = b"SQLite format 3\0"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# Behind a bracket stands a value or the end; the sections of INI and TOML begin with one, too.
_JSON = re.compile(rb'\s*(?:\{|\[\s*(?:[\[{"\d\]-]|true\b|false\b|null\b|$))')


def recognize(source: ProfileSource) -> Format:
    """Return the format of *source*, judged by the first 64 KiB of its unzipped content.

    Raises
    ------
    ProfileRefused
        It is none of the formats; the reason says what it is, where that can be told, and what would be read instead.
    """
    head = source.head.removeprefix(_BYTE_ORDER_MARK)
    if not head.strip():
        with source.open() as stream:
            # Gzip without a head is refused by this, unless nothing was packed.
            stream.read(1)
        raise ProfileRefused(source.file, "is empty")
    if (what := task_file(source)) is not None:
        raise ProfileRefused(source.file, why_no_profile(what))
    if head.startswith(_SQLITE):
        return _sqlite(source)
    reason = binary_reason(head, source.path.name)
    if reason is not None:
        raise ProfileRefused(source.file, reason)
    # A cut at the end of the head may halve a character.
    text = head.decode(errors="ignore").lstrip()
    if _JSON.match(head):
        return recognize_json(source.file, text)
    return recognize_text(source, text)


def _sqlite(source: ProfileSource) -> Format:
    if source.is_gzip:
        raise ProfileRefused(source.file, "is a gzip of a sqlite file, which is not read in place: unzip it first (gunzip)")
    return Format.NSYS_SQLITE
