"""Words for results whose schemas are written by hand: a key is described by its name, or by the key around it and its name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from megasolve.contracts import Json, JsonObject

Words: TypeAlias = Mapping[str, str]
_UNITS = {"_us": "in microseconds", "_ps": "in picoseconds, exact"}


def worded(schema: JsonObject, words: Words) -> JsonObject:
    """Return *schema* with the *words* for every key that has none."""
    return _worded(schema, "", words)


def _worded(schema: Mapping[str, Json], around: str, words: Words) -> dict[str, Json]:
    return {key: _part(key, value, around, words) for key, value in schema.items()}


def _part(key: str, value: Json, around: str, words: Words) -> Json:
    if key == "properties" and isinstance(value, Mapping):
        return {name: _property(name, one, around, words) for name, one in value.items() if isinstance(one, Mapping)}
    if key in ("items", "additionalProperties") and isinstance(value, Mapping):
        return _worded(value, around, words)
    if key in ("anyOf", "oneOf") and isinstance(value, list | tuple):
        return [_worded(one, around, words) if isinstance(one, Mapping) else one for one in value]
    return value


def _property(name: str, value: Mapping[str, Json], around: str, words: Words) -> dict[str, Json]:
    whole = _worded(value, name, words)
    meaning = next(_meanings(name, around, words), None)
    if meaning is None:
        return whole
    also = value.get("description")
    return {**whole, "description": f"{meaning}; {also}" if isinstance(also, str) else meaning}


def _meanings(name: str, around: str, words: Words) -> Iterator[str]:
    """Yield what is said of a key; of a time it is said once, and then in which unit this one is."""
    yield from (words[key] for key in (f"{around}.{name}", name) if key in words)
    stem, unit = name[:-3], _UNITS.get(name[-3:])
    yield from (f"{words[key]}, {unit}" for key in (f"{around}.{stem}", stem) if unit and key in words)
