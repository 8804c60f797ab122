"""Words for results whose schemas are written by hand: a key is described by its name, or by the key around it and its name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

from megasolve.contracts import PS_PER_US, Json, JsonObject

Words: TypeAlias = Mapping[str, str | tuple[str, Json]]
"""What a key means and, of one whose value is neither an object nor a list, an example."""

_UNITS = {"_us": "in microseconds", "_ps": "in picoseconds, exact"}


class _Said(NamedTuple):
    meaning: str
    example: Json


def worded(schema: JsonObject, words: Words) -> JsonObject:
    """Return *schema* with the *words* for every key that has none, and an example for every key that can do with that of its values."""
    return _worded(schema, "", words)


def _worded(schema: Mapping[str, Json], around: str, words: Words) -> dict[str, Json]:
    return {key: _part(key, value, around, words) for key, value in schema.items()}


def _part(key: str, value: Json, around: str, words: Words) -> Json:
    if key == "properties" and isinstance(value, Mapping):
        return {name: _property(name, one, around, words) for name, one in value.items() if isinstance(one, Mapping)}
    if key == "$defs" and isinstance(value, Mapping):
        return {name: _worded(one, name, words) for name, one in value.items() if isinstance(one, Mapping)}
    if key in ("items", "additionalProperties") and isinstance(value, Mapping):
        return _worded(value, around, words)
    if key in ("anyOf", "oneOf") and isinstance(value, list | tuple):
        return [_worded(one, around, words) if isinstance(one, Mapping) else one for one in value]
    return value


def _property(name: str, value: Mapping[str, Json], around: str, words: Words) -> dict[str, Json]:
    whole = _worded(value, name, words)
    said = next(_sayings(name, around, words), None)
    if said is not None:
        also = value.get("description")
        whole["description"] = f"{said.meaning}; {also}" if isinstance(also, str) else said.meaning
    examples = _examples(value) if said is None or said.example is None else [said.example]
    return {**whole, "examples": examples} if examples and "examples" not in value else whole


def _examples(value: Mapping[str, Json]) -> list[Json]:
    """Return examples that follow from what *value* may be: its only value, the first of a few, or those of one of its forms."""
    if "const" in value:
        return [value["const"]]
    few, forms = value.get("enum"), value.get("anyOf", ())
    if isinstance(few, list | tuple):
        return [next(one for one in few if one is not None)]
    told = (one.get("examples") for one in forms if isinstance(one, Mapping)) if isinstance(forms, list | tuple) else ()
    return next((list(one) for one in told if isinstance(one, list | tuple)), [])


def _sayings(name: str, around: str, words: Words) -> Iterator[_Said]:
    """Yield what is said of a key; of a time it is said once, and then in which unit this one is."""
    yield from (_said(words[key]) for key in (f"{around}.{name}", name) if key in words)
    stem, unit = name[:-3], _UNITS.get(name[-3:])
    for key in (f"{around}.{stem}", stem):
        if unit and key in words:
            meaning, example = _said(words[key])
            exact = round(example * PS_PER_US) if name.endswith("_ps") and isinstance(example, int | float) else example
            yield _Said(f"{meaning}, {unit}", exact)


def _said(words: str | tuple[str, Json]) -> _Said:
    return _Said(words, None) if isinstance(words, str) else _Said(*words)
