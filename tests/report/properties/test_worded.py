"""Results whose schemas are written by hand have words for every key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from megasolve.contracts import JsonObject
from megasolve.report import schema_json
from megasolve.report.properties.results import WORDS
from megasolve.report.properties.worded import worded


def undescribed(section: Any, path: str = "") -> Iterator[str]:
    """Yield the keys without a description, by their paths."""
    for name, value in section.get("properties", {}).items():
        if "description" not in value:
            yield f"{path}.{name}"
        yield from undescribed(value, f"{path}.{name}")
    within = [section.get(key) for key in ("items", "additionalProperties")]
    for inner in (*within, *section.get("anyOf", []), *section.get("oneOf", [])):
        if isinstance(inner, dict):
            yield from undescribed(inner, f"{path}[]")


@pytest.mark.parametrize("kind", WORDS)
def test_every_key_of_a_result_is_described(kind: str) -> None:
    assert list(undescribed(json.loads(schema_json(kind)))) == [], "say it in solver/megasolve/report/properties/results.py"


def test_a_key_goes_by_the_key_around_it_before_its_own_name_and_a_time_says_its_unit() -> None:
    time: JsonObject = {"type": "number"}
    schema: JsonObject = {"properties": {"a": {"type": "array", "items": {"properties": {"t_us": time, "t_ps": time}}}, "t": time}}
    told = worded(schema, {"a": "a list", "a.t": "its time", "t": "a time"})
    assert told == {
        "properties": {
            "a": {
                "type": "array",
                "items": {
                    "properties": {
                        "t_us": {**time, "description": "its time, in microseconds"},
                        "t_ps": {**time, "description": "its time, in picoseconds, exact"},
                    }
                },
                "description": "a list",
            },
            "t": {**time, "description": "a time"},
        }
    }
