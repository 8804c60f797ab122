"""Values as YAML text that every reader takes the same way: one line per key, flow collections, exact numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal

from ...files.exact_json import decimal_text

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./+-]*")
_NO_TEXT = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


def mapping_lines(mapping: Mapping[str, object]) -> list[str]:
    """Return a block mapping: one line for each key, its value in flow style."""
    return [f"{key}: {flow(value)}" for key, value in mapping.items()]


def commented(mapping: Mapping[str, object], comments: Sequence[str]) -> str:
    """Return a file with one block mapping under *comments*, a line each."""
    return "".join(f"{line}\n" for line in (*(f"# {one_line(comment)}" for comment in comments), *mapping_lines(mapping)))


def flow(value: object) -> str:
    """Return *value* in flow style, on one line."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{quoted(str(key))}: {flow(part)}' for key, part in value.items())}}}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(map(flow, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Decimal):
        return decimal_text(value)
    return str(value) if isinstance(value, int) else quoted(str(value))


def quoted(text: str) -> str:
    """Return *text* as a scalar that is text in every version of YAML: plain where that is safe, else in double quotes."""
    if _PLAIN.fullmatch(text) and text.lower() not in _NO_TEXT:
        return text
    return one_line(json.dumps(text, ensure_ascii=False))


def one_line(text: str) -> str:
    """Return *text* for a comment: on one line, and without anything that a terminal would obey."""
    return "".join(char if char.isprintable() else _escape(char) for char in text)


def _escape(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"
