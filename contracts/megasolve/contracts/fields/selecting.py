"""Selecting: the entries of a list that a selector means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..model.base import Tree

# What people call the keys of records.
ALIASES = {"entry": "entries", "budget": "budget_ctas"}
NAMES = ("name", "entry", "group")


def is_selected(entry: Tree, place: int, wanted: tuple[tuple[str, str], ...]) -> bool:
    """Whether *entry*, the one at *place* of its list, has all that is *wanted* of it."""
    return all(_has(entry, key, value) if key else _is_called(entry, place, value) for key, value in wanted)


def _is_called(entry: Any, place: int, name: str) -> bool:
    if name.isdecimal():
        return place == int(name)
    return isinstance(entry, Mapping) and any(entry.get(key) == name for key in NAMES)


def _has(entry: Any, key: str, value: str) -> bool:
    return isinstance(entry, Mapping) and any(_is_equal(found, value) for found in _found(entry, key))


def _found(entry: Mapping[str, Any], key: str) -> tuple[Any, ...]:
    """Return what *entry* has under *key*: its own, the one that is meant by it, or one of its shapes or of its provenance."""
    named = ALIASES.get(key, key)
    inner = [entry.get("shapes", {}).get(key), entry.get("provenance", {}).get({"evidence": "kind"}.get(key, key))]
    found = entry.get(key, entry.get(named))
    if found is None:
        return tuple(one for one in inner if one is not None)
    return tuple(found) if isinstance(found, tuple | list) else (found,)


def _is_equal(found: Any, value: str) -> bool:
    if isinstance(found, bool):
        return value == str(found).lower()
    return str(found) == value


def known_values(entries: list[Any], key: str) -> list[str]:
    """Return the values that *entries* have under *key*, each once."""
    return list(dict.fromkeys(str(one) for entry in entries if isinstance(entry, Mapping) for one in _found(entry, key)))
