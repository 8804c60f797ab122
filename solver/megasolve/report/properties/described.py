"""Schemas with words: every property with what it means, an example and, where it may be left out, its default."""

from __future__ import annotations

from collections.abc import Mapping

from megasolve.contracts import Json, JsonObject

from .assume import ASSUME
from .contract import CONTRACT
from .device import DEVICE
from .measured import COMPILED, MEASURED
from .operators import OPERATORS
from .records import RECORDS
from .spec import SPEC
from .table import IGNORED, Properties

PROPERTIES: Mapping[str, Properties] = {
    "assume": ASSUME,
    "compiled": COMPILED,
    "contract": {**CONTRACT, **OPERATORS},
    "device": DEVICE,
    "measured": MEASURED,
    "records": RECORDS,
    "spec": {**SPEC, **{name: words for name, words in ASSUME.items() if name != "Assumptions"}},
}


def described(schema: Mapping[str, Json], kind: str, root: str) -> JsonObject:
    """Return the *schema* of a *kind* of file, whose whole is the section *root*, with the words for every property."""
    tables, sections = {**PROPERTIES[kind], **IGNORED}, _mapping(schema.get("$defs"))
    parts = {name: _section(_mapping(section), tables.get(name, {})) for name, section in sections.items()}
    return {**_section(schema, tables.get(root, {})), **({"$defs": parts} if parts else {})}


def _section(section: Mapping[str, Json], words: Mapping[str, tuple[str, Json]]) -> dict[str, Json]:
    required = section.get("required")
    needed = set(required) if isinstance(required, list) else set()
    properties = _mapping(section.get("properties"))
    told = {key: _property(_mapping(value), words.get(key), is_needed=key in needed) for key, value in properties.items()}
    return {**section, **({"properties": told} if told else {})}


def _property(value: Mapping[str, Json], words: tuple[str, Json] | None, *, is_needed: bool) -> dict[str, Json]:
    if words is None:
        return dict(value)
    meaning, example = words
    also = value.get("description")
    # What may be left out, and has no default of its own, is a mapping that is then empty.
    default: dict[str, Json] = {} if is_needed or "default" in value else {"default": {}}
    return {**value, **default, "description": _joined(meaning, also) if isinstance(also, str) else meaning, "examples": [example]}


def _joined(meaning: str, quantity: str) -> str:
    """Return what a property means with what is said of its *quantity*, the unit only once."""
    unit, _, rest = quantity.partition(", ")
    if unit not in meaning:
        return f"{meaning}; {quantity}"
    return f"{meaning}, {rest}" if rest else meaning


def _mapping(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, Mapping) else {}
