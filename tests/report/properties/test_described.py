"""Every property of every kind of file has a description, an example that it accepts and, where it may be left out, a default."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict, TypeAdapter

from megasolve.contracts import KINDS
from megasolve.contracts.model.programs.operators import ExplicitOperator, OpaqueOperator, ShapedOperator
from megasolve.report import schema_json
from megasolve.report.properties.described import PROPERTIES

FILES = [kind.partition("/")[0] for kind in KINDS]
STRICT = ConfigDict(strict=True)


def sections(kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the sections of a kind of file by the names of their models."""
    schema = json.loads(schema_json(kind))
    yield KINDS[f"{kind}/v1"].__name__, schema
    yield from schema.get("$defs", {}).items()


def models(model: type[BaseModel], found: dict[str, type[BaseModel]]) -> dict[str, type[BaseModel]]:
    """Return the models of a file by their names."""
    waiting: list[Any] = [model, ShapedOperator, ExplicitOperator, OpaqueOperator]
    while waiting:
        one = waiting.pop()
        if isinstance(one, type) and issubclass(one, BaseModel):
            if one.__name__ not in found:
                found[one.__name__] = one
                waiting += [field.annotation for field in one.model_fields.values()]
        else:
            waiting += getattr(one, "__args__", ())
    return found


def as_read(value: Any) -> Any:
    """Return *value* as a file holds it: lists are tuples."""
    if isinstance(value, list):
        return tuple(map(as_read, value))
    return {key: as_read(part) for key, part in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize("kind", FILES)
def test_every_property_has_a_description_an_example_and_a_default(kind: str) -> None:
    lacking = [
        f"{name}.{key}: {lacks}"
        for name, section in sections(kind)
        for key, value in section.get("properties", {}).items()
        for lacks in ("description", "examples", *([] if key in section.get("required", []) else ["default"]))
        if lacks not in value
    ]
    assert lacking == [], "say them in solver/megasolve/report/properties/"


@pytest.mark.parametrize("kind", FILES)
def test_there_are_words_for_nothing_else(kind: str) -> None:
    there = {(name, key) for name, section in sections(kind) for key in section.get("properties", {})}
    assert {(name, key) for name, table in PROPERTIES[kind].items() for key in table} - there == set()


@pytest.mark.parametrize("kind", FILES)
def test_every_example_is_one_that_the_property_accepts(kind: str) -> None:
    known, refused = models(KINDS[f"{kind}/v1"], {}), []
    for name, table in PROPERTIES[kind].items():
        fields = {field.alias or key: field for key, field in known[name].model_fields.items()}
        for key, (_, example) in table.items():
            annotation: Any = Annotated[fields[key].annotation, *fields[key].metadata] if fields[key].metadata else fields[key].annotation
            is_model = isinstance(annotation, type) and issubclass(annotation, BaseModel)
            adapter = TypeAdapter(annotation) if is_model else TypeAdapter(annotation, config=STRICT)
            try:
                adapter.validate_python(as_read(example), by_alias=True, by_name=False)
            except ValueError as error:
                refused.append(f"{name}.{key}: {example!r}: {error}")
    assert refused == []
