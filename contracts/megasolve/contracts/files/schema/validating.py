"""Validating what a file holds, long lists in parts: what is refused may be much more than the file itself."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Annotated, Any, Generic, TypeVar, get_args, get_origin

from pydantic import ConfigDict, TypeAdapter, ValidationError

from ...model.base import Frozen
from ...model.rules import Rule
from ...model.wording import KeyPath
from .errors import PendingFault, refused_numbers, schema_faults, unknown_key
from .shape import field_keys, section_at

ModelT = TypeVar("ModelT", bound=Frozen)

# An error of pydantic takes a kilobyte, and a short entry of a list has several.
_PART = 500
_MOST_UNKNOWN = 1_000
_STRICT = ConfigDict(strict=True)


class Validation(Generic[ModelT]):
    """What came of validating *tree* as *model*: *value* is None unless nothing is *refused*, which is made as it is asked for.

    Of long lists *counted* has what is refused once *is_counting* says that nobody keeps it.
    """

    def __init__(self, model: type[ModelT], tree: Mapping[str, Any], is_counting: Callable[[], bool]) -> None:
        self.counted: Counter[Rule] = Counter()
        self._is_counting = is_counting
        self.value: ModelT | None = None
        self._model = model
        self._tree = tree

    def refused(self) -> Iterator[PendingFault]:
        """Validate, and yield everything that is refused; behind the last there is a *value*, if there was none."""
        surplus = self._without_surplus_keys()
        whole, in_parts = dict(self._tree), set[str]()
        for key in self._long_lists():
            entries: list[Any] = []
            for start, part, error in _parts(self._model, key, self._tree[key]):
                entries += part
                if error is not None:
                    in_parts.add(key)
                    yield from self._refused_in_part(error, key, start)
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

    def _refused_in_part(self, error: ValidationError, key: str, start: int) -> Iterator[PendingFault]:
        if self._is_counting():
            self.counted.update(refused_numbers(error))
            return
        details = [_moved(detail, key, start) for detail in error.errors(include_url=False) if detail["loc"]]
        yield from schema_faults(self._model, self._tree, details)

    def _long_lists(self) -> list[str]:
        fields = field_keys(self._model)
        return [key for key, entries in self._tree.items() if isinstance(entries, tuple) and len(entries) > _PART and key in fields]

    def _without_surplus_keys(self) -> list[tuple[KeyPath, list[str]]]:
        """Take the unknown keys out of mappings that have thousands, and return them by path; the first ones are left to pydantic."""
        surplus = []
        for path, mapping in _wide_mappings(self._tree):
            section = section_at(self._model, path, self._tree)
            unknown = [key for key in mapping if key not in field_keys(section)] if section is not None else []
            if keys := unknown[_MOST_UNKNOWN:]:
                surplus.append((path, keys))
            for key in keys:
                del mapping[key]
        return surplus


def _wide_mappings(tree: Mapping[str, object]) -> list[tuple[KeyPath, dict[str, object]]]:
    """Return the mappings of *tree* that have thousands of keys, with their paths."""
    found, waiting = [], deque[tuple[Any, Any]]([(None, tree)])
    while waiting:
        steps, value = waiting.popleft()
        if isinstance(value, dict) and len(value) > _MOST_UNKNOWN:
            found.append((_path_of(steps), value))
        for step, part in value.items() if isinstance(value, dict) else enumerate(value):
            if part and isinstance(part, dict | tuple):
                waiting.append(((steps, step), part))
    return found


def _path_of(steps: Any) -> KeyPath:
    """Return the path of linked *steps*: (all before, last)."""
    path: list[str | int] = []
    while steps is not None:
        steps, step = steps
        path.append(step)
    return tuple(reversed(path))


def _parts(model: type[Frozen], key: str, entries: tuple[Any, ...]) -> Iterator[tuple[int, tuple[Any, ...], ValidationError | None]]:
    """Yield the entries of the list under *key*, part by part, as values where they are sections, with where and why one is refused."""
    adapter, holds_sections = _adapter(model, key)
    for start in range(0, len(entries), _PART):
        part = entries[start : start + _PART]
        try:
            values = adapter.validate_python(part, by_alias=True, by_name=False)
        except ValidationError as error:
            yield start, part, error
        else:
            yield start, tuple(values) if holds_sections else part, None


def _moved(detail: Any, key: str, start: int) -> Any:
    position, *rest = detail["loc"]
    return {**detail, "loc": (key, start + position, *rest)}


@lru_cache(maxsize=64)
def _adapter(model: type[Frozen], key: str) -> tuple[TypeAdapter[Any], bool]:
    info = field_keys(model)[key]
    whole: Any = Annotated[info.annotation, *info.metadata] if info.metadata else info.annotation
    (entry, *_) = get_args(info.annotation) if get_origin(info.annotation) is tuple else (None,)
    return TypeAdapter(whole, config=_STRICT), isinstance(entry, type) and issubclass(entry, Frozen)
