"""What stands of a file that is refused: its model all the same, with UNKNOWN wherever it has no usable value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Annotated, Any, get_args, get_origin

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from ...model.base import UNKNOWN, Frozen, NotKnown, PartlyKnown
from ...model.wording import KeyPath
from .shape import alternatives, field_keys, sections_in

_STRICT = ConfigDict(strict=True)


def what_stands(model: type[Frozen], tree: Mapping[str, Any], doubtful: Iterable[KeyPath]) -> Frozen:
    """Return *tree* as *model*, each of its parts that is refused as UNKNOWN, and so the values at the *doubtful* paths.

    The largest parts that are valid are values as in a file without faults; a key that no section knows is not there.
    """
    return _section(model, _doubted(tree, sorted(doubtful, key=len)))


def is_known(value: Any) -> bool:
    """Whether all of *value* stands."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if value is UNKNOWN:
            return False
        if isinstance(value, Frozen | Mapping):
            waiting.extend((value.__dict__ if isinstance(value, Frozen) else value).values())
        elif isinstance(value, tuple):
            waiting.extend(value)
    return True


def in_turn(value: Any, turn: int) -> Any:
    """Return *value* with that one of the entries of each list judged that are not known whole whose *turn* it is."""
    if value is UNKNOWN:
        return value
    if isinstance(value, Frozen):
        return type(value).model_construct(value.model_fields_set, **{name: in_turn(one, turn) for name, one in value.__dict__.items()})
    if isinstance(value, Mapping):
        return {key: in_turn(one, turn) for key, one in value.items()}
    if isinstance(value, PartlyKnown):
        return PartlyKnown((in_turn(one, turn) for one in value), turn)
    return tuple(in_turn(one, turn) for one in value) if type(value) is tuple else value


def turns(value: Any) -> int:
    """Return how many entries of one list, and of those in it, are not known whole, at most."""
    if value is UNKNOWN or not isinstance(value, Frozen | Mapping | tuple):
        return 0
    parts = list(value if isinstance(value, tuple) else (value.__dict__ if isinstance(value, Frozen) else value).values())
    if isinstance(value, PartlyKnown):
        return sum(max(turns(one), 1) for one in parts if not is_known(one))
    return max(map(turns, parts), default=0)


def _section(model: type[Frozen], tree: Any) -> Frozen:
    values = {name: _value(model, info, info.alias or name, tree) for name, info in model.model_fields.items()}
    stated = {name for name, info in model.model_fields.items() if (info.alias or name) in tree}
    return model.model_construct(stated, **values)


def _value(model: type[Frozen], info: FieldInfo, key: str, tree: Mapping[str, Any]) -> Any:
    if key in tree:
        return _part(_adapter_of(model, key), _annotation(info), tree[key])
    return UNKNOWN if info.is_required() else info.get_default(call_default_factory=True)


def _part(adapter: TypeAdapter[Any], annotation: Any, found: Any) -> Any:
    """Return *found* as a value; where it is refused, its parts that are not, and UNKNOWN where none of it is the reason."""
    if found is UNKNOWN:
        return UNKNOWN
    try:
        # By alias only, as files are read.
        return adapter.validate_python(found, by_alias=True, by_name=False)
    except (ValidationError, NotKnown):
        return _pieces(annotation, found)


def _pieces(annotation: Any, found: Any) -> Any:
    parts = list(alternatives(annotation))
    lists = [part for part in parts if get_origin(part) is tuple]
    if type(found) is tuple and lists:
        return _entries(get_args(lists[0])[0], found)
    if type(found) is not dict:
        return UNKNOWN
    section = _one_section(annotation, found)
    if section is not None:
        return _section(section, found) if _is_told_from(section, found) else UNKNOWN
    if lists:
        # One section may stand for a list of one.
        return _entries(get_args(lists[0])[0], (found,))
    mappings = [part for part in parts if get_origin(part) in (Mapping, dict)]
    return _mapped(get_args(mappings[0])[1], found) if mappings else UNKNOWN


def _one_section(annotation: Any, found: Mapping[str, Any]) -> type[Frozen] | None:
    """Return the one section that *found* can be, by its `kind` where there are several."""
    sections = sections_in(annotation)
    if len(sections) > 1:
        kind = found.get("kind")
        sections = [one for one in sections if type(kind) is str and kind in get_args(one.model_fields["kind"].annotation)]
    return sections[0] if len(sections) == 1 else None


def _is_told_from(section: type[Frozen], found: Mapping[str, Any]) -> bool:
    """Whether one of the keys of *found* is why it is refused: one missing, one unknown, or one with a value that is."""
    fields = field_keys(section)
    if found.keys() - fields.keys() or any(info.is_required() for key, info in fields.items() if key not in found):
        return True
    return any(not _is_valid(_adapter_of(section, key), found[key]) for key in found)


def _entries(entry: Any, found: tuple[Any, ...]) -> Any:
    adapter = _adapter(entry)
    # Whether a list of valid entries is too long or too short says nothing of what it should hold.
    return UNKNOWN if all(_is_valid(adapter, one) for one in found) else PartlyKnown(_part(adapter, entry, one) for one in found)


def _mapped(entry: Any, found: Mapping[str, Any]) -> Any:
    adapter = _adapter(entry)
    if all(_is_valid(adapter, one) for one in found.values()):
        return UNKNOWN
    return {key: _part(adapter, entry, one) for key, one in found.items()}


def _is_valid(adapter: TypeAdapter[Any], found: Any) -> bool:
    try:
        adapter.validate_python(found, by_alias=True, by_name=False)
    except (ValidationError, NotKnown):
        return False
    return True


def _annotation(info: FieldInfo) -> Any:
    return Annotated[info.annotation, *info.metadata] if info.metadata else info.annotation


@lru_cache(maxsize=256)
def _adapter_of(model: type[Frozen], key: str) -> TypeAdapter[Any]:
    return _adapter(_annotation(field_keys(model)[key]))


def _adapter(annotation: Any) -> TypeAdapter[Any]:
    is_section = isinstance(annotation, type) and issubclass(annotation, Frozen)
    return TypeAdapter(annotation) if is_section else TypeAdapter(annotation, config=_STRICT)


def _doubted(tree: Mapping[str, Any], paths: Iterable[KeyPath]) -> Mapping[str, Any]:
    """Return *tree* with UNKNOWN at *paths*, also where it has no such key yet."""
    for path in paths:
        tree = _with(tree, path)
    return tree


def _with(found: Any, path: KeyPath) -> Any:
    if not path:
        return UNKNOWN
    step, *rest = path
    if type(found) is dict and isinstance(step, str):
        return {**found, step: _with(found[step], tuple(rest)) if step in found else UNKNOWN}
    if type(found) is tuple and isinstance(step, int) and step < len(found):
        return (*found[:step], _with(found[step], tuple(rest)), *found[step + 1 :])
    return found
