"""Results whose schemas are written by hand have words for every key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

from megasolve.contracts import JsonObject
from megasolve.report import schema_json
from megasolve.report.properties.results import WORDS
from megasolve.report.properties.worded import worded
from megasolve.report.schemas import RESULTS


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


# The library has no types.
VALIDATOR: Any = import_module("jsonschema").Draft202012Validator

Property = tuple[str, dict[str, Any]]


def properties(part: Any, path: str = "") -> Iterator[Property]:
    """Yield every property in *part* of a schema, wherever it stands, by its path."""
    if isinstance(part, dict):
        for name, value in part.get("properties", {}).items():
            yield f"{path}.{name}", value
        for key, value in part.items():
            if key not in ("examples", "default"):
                yield from properties(value, path if key in ("properties", "$defs", "items", "anyOf") else f"{path}.{key}")
    elif isinstance(part, list):
        for one in part:
            yield from properties(one, path)


def is_scalar(value: dict[str, Any], sections: dict[str, Any]) -> bool:
    """Whether a value may be text, a number or a truth value."""
    if "$ref" in value:
        return is_scalar(sections[value["$ref"].rpartition("/")[2]], sections)
    if forms := value.get("anyOf"):
        return any(is_scalar(one, sections) for one in forms)
    kinds = value.get("type", [])
    return (
        "const" in value
        or "enum" in value
        or not {"string", "integer", "number", "boolean"}.isdisjoint([kinds] if isinstance(kinds, str) else kinds)
    )


@pytest.mark.parametrize("kind", RESULTS)
def test_every_property_of_a_result_that_is_no_object_or_list_has_an_example(kind: str) -> None:
    schema = json.loads(schema_json(kind))
    sections = schema.get("$defs", {})
    assert [path for path, value in properties(schema) if is_scalar(value, sections) and not value.get("examples")] == []


@pytest.mark.parametrize("kind", RESULTS)
def test_every_example_of_a_result_is_one_that_its_property_may_have(kind: str) -> None:
    schema = json.loads(schema_json(kind))
    defined = {"$defs": schema.get("$defs", {})}
    told = [(path, value, one) for path, value in properties(schema) for one in value.get("examples", [])]
    assert [(path, one) for path, value, one in told if not VALIDATOR({**defined, **value}).is_valid(one)] == []


@pytest.mark.parametrize("kind", WORDS)
def test_every_key_of_a_result_is_described(kind: str) -> None:
    assert list(undescribed(json.loads(schema_json(kind)))) == [], "say it in solver/megasolve/report/properties/results.py"


def test_a_time_has_its_example_in_its_unit_and_what_has_few_values_or_forms_one_of_them() -> None:
    few: JsonObject = {"enum": [None, "a", "b"]}
    form: JsonObject = {"anyOf": [{"type": "string", "examples": ["x"]}, {"type": "null"}]}
    schema: JsonObject = {"properties": {"t_us": {}, "t_ps": {}, "few": few, "one": {"const": 3}, "form": form}}
    told: Any = worded(schema, {"t": ("a time", 1.5)})
    examples = {key: value["examples"] for key, value in told["properties"].items()}
    assert examples == {"t_us": [1.5], "t_ps": [1_500_000], "few": ["a"], "one": [3], "form": ["x"]}


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
