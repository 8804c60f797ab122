"""Which tool wrote a JSON file, from the keys at the top of its first 64 KiB; the rest may be broken or gigabytes long."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..errors import ProfileRefused
from ..execution import Format
from .other_json import json_reason
from .remedies import RECORD, SQLITE, TRACE

_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*+)(?:"(\s*+:)?)?|[{}\[\]]', re.DOTALL)

_KINETO_KEYS = frozenset(
    {
        "baseTimeNanoseconds",
        "cuda_driver_version",
        "cuda_runtime_version",
        "cupti_version",
        "deviceProperties",
        "displayTimeUnit",
        "distributedInfo",
        "schemaVersion",
        "traceEvents",
        "traceName",
        "with_stack",
    }
)
_NSYS_LINES = f"is the jsonlines export of nsys, which is not read: {SQLITE}"
_JSON_LINES = "is JSON lines of no known tool"
_EVENT_LINES = f"is the events of a trace, one a line, and no whole trace: {TRACE}, or join them with jq -s '{{traceEvents: .}}'"
_EVENT_KEYS = frozenset({"ph", "ts"})
_IN_ENTRIES: tuple[tuple[frozenset[str], Format], ...] = (
    (frozenset({"count", "timeMs", "averageMs"}), Format.TENSORRT_PROFILE),
    (frozenset({"computeMs", "latencyMs", "startComputeMs"}), Format.TENSORRT_TIMES),
    (_EVENT_KEYS, Format.KINETO),
)


@dataclass(slots=True)
class _Outline:
    """The keys at the two outer levels, and how many documents stand one behind the other."""

    documents: int = 0
    outer: list[str] = field(default_factory=list)
    inner: list[str] = field(default_factory=list)


def recognize_json(file: str, head: str) -> Format:
    """Return the format of the JSON that begins with *head*, or raise ProfileRefused with what it is."""
    outline = _outline(head)
    outer, inner = set(outline.outer), set(outline.inner)
    is_array = head.startswith("[")
    reason = json_reason(inner if is_array else outer)
    if reason is not None:
        raise ProfileRefused(file, reason)
    if is_array:
        return _array(file, head, inner)
    if "Layers" in outer:
        return Format.TENSORRT_LAYERS
    if outer & _KINETO_KEYS:
        return Format.KINETO
    if outline.documents > 1:
        raise ProfileRefused(file, _lines(outer))
    if outer >= _EVENT_KEYS:
        raise ProfileRefused(file, _EVENT_LINES)
    raise ProfileRefused(file, f"is JSON of no known tool: it has none of traceEvents, Layers; {RECORD}")


def _lines(outer: set[str]) -> str:
    if outer >= _EVENT_KEYS:
        return _EVENT_LINES
    return _NSYS_LINES if "Type" in outer else f"{_JSON_LINES}; {RECORD}"


def _array(file: str, head: str, inner: set[str]) -> Format:
    for keys, of in _IN_ENTRIES:
        if keys & inner:
            return of
    if not head[1:].strip(" \t\r\n]"):
        raise ProfileRefused(file, "is an empty JSON array: nothing was recorded")
    raise ProfileRefused(
        file, f"is a JSON array of no known tool: its entries are neither trace events nor layers or times of trtexec; {RECORD}"
    )


def _outline(head: str) -> _Outline:
    outline, depth = _Outline(), 0
    for text, is_key in _tokens(head):
        if text in {"{", "["} and not is_key:
            outline.documents += depth == 0
            depth += 1
        elif text in {"}", "]"} and not is_key:
            depth -= 1
        elif depth == 1:
            outline.outer.append(text)
        elif depth == 2:
            outline.inner.append(text)
    return outline


def _tokens(head: str) -> Iterator[tuple[str, bool]]:
    """Yield brackets, and keys marked as such."""
    for match in _TOKEN.finditer(head):
        if match[2]:
            yield match[1], True
        elif match[1] is None:
            yield match[0], False
