"""Validating what a file holds, long lists in parts: what is refused may be much more than the file itself."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated, Any, Generic, TypeVar, get_args, get_origin

from pydantic import ConfigDict, TypeAdapter, ValidationError

from ._base import Frozen
from ._shape import field_keys, section_at
from ._wording import KeyPath
from .schema_errors import Refused, schema_faults, unknown_key

ModelT = TypeVar("ModelT", bound=Frozen)

# An error of pydantic takes a kilobyte, and a short entry of a list has several.
_PART = 500
_MOST_UNKNOWN = 1_000
_STRICT = ConfigDict(strict=True)


class Validation(Generic[ModelT]):
    """What came of validating *tree* as *model*: *value* is None unless nothing is *refused*, which is made as it is asked for."""

    def __init__(self, model: type[ModelT], tree: dict[str, Any]) -> None:
        self.value: ModelT | None = None
        self._model = model
        self._tree = tree

    def refused(self) -> Iterator[Refused]:
        """Validate, and yield everything that is refused; behind the last there is a *value*, if there was none."""
        surplus = self._without_surplus_keys()
        whole, in_parts = dict(self._tree), set[str]()
        for key in self._long_lists():
            entries: list[Any] = []
            for part, details in _parts(self._model, key, self._tree[key]):
                entries += part
                if details:
                    in_parts.add(key)
                    yield from schema_faults(self._model, self._tree, details)
            whole[key] = tuple(entries) if key not in in_parts else ()
        try:
            # By alias only: a model's own field names count in picoseconds and are no keys of a file.
            value = self._model.model_validate(whole, by_alias=True, by_name=False)
        except ValidationError as error:
            details = [detail for detail in error.errors(include_url=False) if not {*detail["loc"][:1]} & in_parts]
            yield from schema_faults(self._model, self._tree, details)
        else:
            self.value = None if in_parts or surplus else value
        for path, keys in surplus:
            yield from (unknown_key((*path, key)) for key in keys)

    def _long_lists(self) -> list[str]:
        fields = field_keys(self._model)
        return [key for key, entries in self._tree.items() if isinstance(entries, tuple) and len(entries) > _PART and key in fields]

    def _without_surplus_keys(self) -> list[tuple[KeyPath, list[str]]]:
        """Take the unknown keys out of mappings that have thousands, and return them by path; the first ones are left to pydantic."""
        surplus = []
        for path, mapping in _wide_mappings((), self._tree):
            section = section_at(self._model, path, self._tree)
            unknown = [key for key in mapping if key not in field_keys(section)] if section is not None else []
            if keys := unknown[_MOST_UNKNOWN:]:
                surplus.append((path, keys))
            for key in keys:
                del mapping[key]
        return surplus


def _wide_mappings(path: KeyPath, value: Any) -> Iterator[tuple[KeyPath, dict[str, Any]]]:
    if isinstance(value, dict):
        if len(value) > _MOST_UNKNOWN:
            yield path, value
        parts: Any = value.items()
    else:
        parts = enumerate(value)
    for step, part in parts:
        if part and isinstance(part, dict | tuple):
            yield from _wide_mappings((*path, step), part)


def _parts(model: type[Frozen], key: str, entries: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], list[Any]]]:
    """Yield the entries of the list under *key*, part by part, as values where they are sections, with what is refused of each part."""
    adapter, holds_sections = _adapter(model, key)
    for start in range(0, len(entries), _PART):
        part = entries[start : start + _PART]
        try:
            values = adapter.validate_python(part, by_alias=True, by_name=False)
        except ValidationError as error:
            yield part, [_moved(detail, key, start) for detail in error.errors(include_url=False) if detail["loc"]]
        else:
            yield tuple(values) if holds_sections else part, []


def _moved(detail: Any, key: str, start: int) -> Any:
    position, *rest = detail["loc"]
    return {**detail, "loc": (key, start + position, *rest)}


@lru_cache(maxsize=64)
def _adapter(model: type[Frozen], key: str) -> tuple[TypeAdapter[Any], bool]:
    info = field_keys(model)[key]
    whole: Any = Annotated[info.annotation, *info.metadata] if info.metadata else info.annotation
    (entry, *_) = get_args(info.annotation) if get_origin(info.annotation) is tuple else (None,)
    return TypeAdapter(whole, config=_STRICT), isinstance(entry, type) and issubclass(entry, Frozen)
