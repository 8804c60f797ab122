"""Amending YAML in its text: one more entry of a list, a list begun, or a key put aside as a comment; every other character stays as it is.

What was written is read back: where it does not hold just what was meant, as with an anchor that others name, nothing is amended.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml

from .documents import parse_yaml

_LINE = re.compile(r"\n")


def appended(text: str, key: str, item: str) -> str | None:
    """Return *text* with *item*, as YAML writes it, behind the last entry of the list at the top-level *key*; None where that cannot be."""
    node = _pair(text, key)
    if node is None or not isinstance(node[1], yaml.SequenceNode):
        return None
    written = _in_flow(text, node[1], item) if node[1].flow_style else _in_block(text, node[1], item)
    held, more = _value(text), _value(f"item: {item}")
    if written is None or held is None or more is None:
        return None
    return written if _holds(written, {**held, key: (*held[key], more["item"])}) else None


def begun(text: str, key: str, item: str) -> str | None:
    """Return *text* with a list that holds *item* at the new top-level *key*, behind all else; None where that cannot be."""
    held, more = _value(text), _value(f"item: {item}")
    if held is None or more is None or key in held:
        return None
    ending = _ending(text)
    written = f"{text}{'' if text.endswith(ending) else ending}{key}:{ending}  - {item}{ending}"
    return written if _holds(written, {**held, key: (more["item"],)}) else None


def put_aside(text: str, key: str, why: str) -> str | None:
    """Return *text* with the lines of the top-level *key* as comments, below one that says *why*; None where that cannot be."""
    node, held = _pair(text, key), _value(text)
    if node is None or held is None or node[0].start_mark.column:
        return None
    lines = text.split("\n")
    first, last = node[0].start_mark.line, _last_line(node[1])
    lines[first : last + 1] = [f"# {why}", *(f"# {line}" for line in lines[first : last + 1])]
    written = "\n".join(lines)
    return written if _holds(written, {name: value for name, value in held.items() if name != key}) else None


def _pair(text: str, key: str) -> tuple[Any, Any] | None:
    """Return the nodes of the top-level *key* and of its value."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        return None
    pairs = root.value if isinstance(root, yaml.MappingNode) else ()
    return next(((name, value) for name, value in pairs if name.value == key), None)


def _in_flow(text: str, node: yaml.SequenceNode, item: str) -> str:
    if not node.value:
        at = node.end_mark.index - 1
        return f"{text[:at]}{item}{text[at:]}"
    at = node.value[-1].end_mark.index
    return f"{text[:at]}, {item}{text[at:]}"


def _in_block(text: str, node: yaml.SequenceNode, item: str) -> str | None:
    last = node.value[-1]
    if isinstance(last, yaml.ScalarNode) and last.style in {"|", ">"}:
        return None
    end = [*(match.start() for match in _LINE.finditer(text)), len(text)][_last_line(last)]
    ending = _ending(text)
    at = end - text[:end].endswith("\r")
    return f"{text[:at]}{ending}{' ' * node.start_mark.column}- {item}{text[at:]}"


def _ending(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _last_line(node: Any) -> int:
    """Return the number of the last line that *node* stands on, from 0."""
    if isinstance(node, yaml.ScalarNode) or node.flow_style or not node.value:
        behind = isinstance(node, yaml.ScalarNode) and node.style in {"|", ">"}
        return int(node.end_mark.line) - behind
    last = node.value[-1]
    return _last_line(last[1] if isinstance(node, yaml.MappingNode) else last)


def _value(text: str) -> Mapping[str, Any] | None:
    parsed = parse_yaml(text)
    return parsed.value if parsed.is_whole and not parsed.faults and isinstance(parsed.value, dict) else None


def _holds(text: str, expected: Mapping[str, Any]) -> bool:
    return repr(_value(text)) == repr(dict(expected))
