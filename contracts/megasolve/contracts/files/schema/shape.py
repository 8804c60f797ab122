"""The shape of the models: which keys stand where, and what each may hold."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal, TypeGuard, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from ...model.base import Frozen
from ...model.wording import KeyPath, one_of
from .units import unit_of_key


@dataclass(frozen=True, slots=True)
class Slot:
    """What one path of a file may hold: its annotation, the constraints that stand beside it, and what the file has there."""

    annotation: Any
    metadata: tuple[Any, ...] = ()
    found: Any = None


def field_keys(model: type[Frozen]) -> dict[str, FieldInfo]:
    """Return the fields of *model* by the keys that a file spells."""
    return {info.alias or name: info for name, info in model.model_fields.items()}


def slot_at(model: type[Frozen], path: KeyPath, tree: Any = None) -> Slot | None:
    """Return what stands at *path* of a file of *model*, or None where the models do not say.

    Where a key `kind` tells several models apart, *tree*, the whole file, says which of them stands there.
    """
    slot = Slot(model, found=tree)
    for step in path:
        found = _entry(slot, step) if isinstance(step, int) else _value(slot, step)
        if found is None:
            return None
        slot = found
    return slot


def section_at(model: type[Frozen], path: KeyPath, tree: Any = None) -> type[Frozen] | None:
    """Return the model of the section at *path* of the file *tree*, or None where there is none."""
    slot = slot_at(model, path, tree)
    return None if slot is None else section_of(slot)


def section_of(slot: Slot) -> type[Frozen] | None:
    """Return the model of the section that *slot* holds, or None where it holds none."""
    return _section(slot.annotation, slot.found)


def sections(model: type[Frozen], path: KeyPath = ()) -> Iterator[tuple[KeyPath, type[Frozen]]]:
    """Yield every section of *model* with its path, without list positions, outer ones first."""
    yield path, model
    for key, info in field_keys(model).items():
        inner = _section(info.annotation)
        if inner is not None:
            yield from sections(inner, (*path, key))


def bounds(slot: Slot) -> tuple[Any, Any]:
    """Return the least and the greatest number that *slot* may hold, None where there is no bound."""
    constraints = tuple(_constraints(slot.annotation, slot.metadata))
    least, most = ([value for entry in constraints if (value := getattr(entry, name, None)) is not None] for name in ("ge", "le"))
    return max(least, default=None), min(most, default=None)


def expectation(slot: Slot | None, key: str | int) -> str:
    """Return what *slot* expects, as a phrase for people; *key* tells the unit of a number."""
    parts = () if slot is None else tuple(alternatives(slot.annotation))
    kind = parts[0] if parts else object
    if get_origin(kind) is Literal:
        return one_of(map(str, get_args(kind)))
    if kind in (int, Decimal):
        unit = unit_of_key(str(key))
        return f"a number of {unit}" if unit else "a whole number" if kind is int else "a number"
    return _PHRASES.get(get_origin(kind) or kind, "a mapping" if _section(kind) else "another value")


_PHRASES: dict[Any, str] = {str: "text", bool: "true or false", tuple: "a list", Mapping: "a mapping", dict: "a mapping"}


def _entry(slot: Slot, index: int) -> Slot | None:
    for part in alternatives(slot.annotation):
        if get_origin(part) is tuple:
            return Slot(get_args(part)[0], found=step_into(slot.found, index))
    return None


def _value(slot: Slot, key: str) -> Slot | None:
    for entry in _alternatives_of_kind(slot.annotation, slot.found):
        # One section may stand for a list of one.
        part = get_args(entry)[0] if get_origin(entry) is tuple else entry
        if get_origin(part) in (Mapping, dict):
            return Slot(get_args(part)[1], found=step_into(slot.found, key))
        if _is_model(part) and (info := field_keys(part).get(key)) is not None:
            return Slot(info.annotation, tuple(info.metadata), step_into(slot.found, key))
    return None


def sections_in(annotation: Any) -> list[type[Frozen]]:
    """Return the models of the sections that *annotation* allows, those in a list aside."""
    return [part for part in alternatives(annotation) if _is_model(part)]


def step_into(found: Any, step: str | int) -> Any:
    """Return what *found* holds at *step*, None where it holds nothing there."""
    try:
        return found[step]
    except (KeyError, IndexError, TypeError):
        return None


def _section(annotation: Any, found: Any = None) -> type[Frozen] | None:
    for part in _alternatives_of_kind(annotation, found):
        if _is_model(part):
            return part
        if get_origin(part) is tuple:
            return _section(get_args(part)[0])
    return None


def _alternatives_of_kind(annotation: Any, found: Any) -> list[Any]:
    """Return the types that *annotation* allows, those first that have the `kind` of what was *found*."""
    parts = list(alternatives(annotation))
    kind = found.get("kind") if isinstance(found, Mapping) else None
    return sorted(parts, key=lambda part: kind not in _kinds(part))


def _kinds(part: Any) -> tuple[Any, ...]:
    info = part.model_fields.get("kind") if _is_model(part) else None
    return get_args(info.annotation) if info is not None else ()


def _is_model(part: Any) -> TypeGuard[type[Frozen]]:
    return isinstance(part, type) and issubclass(part, Frozen)


def alternatives(annotation: Any) -> Iterator[Any]:
    """Yield the types that *annotation* allows, without None and without constraints."""
    if get_origin(annotation) is Annotated:
        yield from alternatives(get_args(annotation)[0])
    elif get_origin(annotation) in (Union, types.UnionType):
        for part in get_args(annotation):
            yield from alternatives(part)
    elif annotation is not type(None):
        yield annotation


def _constraints(annotation: Any, metadata: tuple[Any, ...]) -> Iterator[Any]:
    for constraint in metadata:
        yield from constraint.metadata if isinstance(constraint, FieldInfo) else (constraint,)
    if get_origin(annotation) is Annotated:
        inner, *outer = get_args(annotation)
        yield from _constraints(inner, tuple(outer))
    elif get_origin(annotation) in (Union, types.UnionType):
        for part in get_args(annotation):
            yield from _constraints(part, ())
