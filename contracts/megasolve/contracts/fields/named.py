"""Named fields: what a path names in the files of a study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

from ..files.documents import Document
from ..files.schema.shape import expectation, field_keys, section_at, section_of, slot_at
from ..files.study import Study
from ..model.base import Frozen, Tree
from ..model.closest import nearest
from ..model.wording import KeyPath, path_text
from .path import Step, UnusableField, parse_path
from .selecting import ALIASES, is_selected, known_values

_MOST_KEYS = 12
_RECORD_STEPS = 2
Documents: TypeAlias = "Document[Any]"


@dataclass(frozen=True, slots=True)
class NamedField:
    """A field: its *path* in a file, and what stands there as a person writes it, None where nothing does."""

    document: Documents
    path: KeyPath
    value: Tree

    @property
    def identity(self) -> tuple[str, KeyPath]:
        """What tells it from every other field of the study."""
        return self.document.file, self.path

    def __str__(self) -> str:
        return f"{self.document.place(self.path)} {path_text(self.path)}"


@dataclass(frozen=True, slots=True)
class _At:
    """A place on the way: the value there, in the *document* whose section begins at *base* and is *tree*."""

    document: Documents
    path: KeyPath
    value: Any


def named_fields(study: Study, text: str) -> tuple[NamedField, ...]:
    """Return every field that the path *text* names, in the order of files.

    Raises
    ------
    UnusableField
        It is no path, or names no field.
    """
    first, *others = parse_path(text)
    found, steps = _roots(study, text, first, others)
    for step in steps:
        found = _stepped(text, found, step)
    for one in found:
        if _is_section(one):
            raise UnusableField(f"{text!r} names a section, not a field; {_keys_text(one)}")
    return tuple(NamedField(one.document, one.path, one.value) for one in found)


def _is_section(one: _At) -> bool:
    if one.value is None:
        slot = slot_at(type(one.document.value), one.path)
        return slot is not None and section_of(slot) is not None
    return isinstance(one.value, Mapping) or (isinstance(one.value, tuple) and any(isinstance(entry, Mapping) for entry in one.value))


def _keys_text(one: _At) -> str:
    entries = [entry for entry in _entries(one) if isinstance(entry.value, Mapping) or entry.value is None]
    keys = list(dict.fromkeys(key for entry in entries for key in _keys_in(entry)))
    more = f" and {len(keys) - _MOST_KEYS} more" if len(keys) > _MOST_KEYS else ""
    return f"in it are {', '.join(keys[:_MOST_KEYS])}{more}"


def is_number(field: NamedField) -> bool:
    """Whether *field* holds a number or, where nothing stands there, would hold one."""
    if field.value is not None:
        return isinstance(field.value, int | Decimal) and not isinstance(field.value, bool)
    slot = slot_at(type(field.document.value), field.path, authored(field.document.value))
    return "number" in expectation(slot, field.path[-1])


def authored(value: Frozen) -> Any:
    """Return *value* as its file has it: keys and units of files, and nothing that it does not say."""
    return value.model_dump(by_alias=True, exclude_unset=True)


def _roots(study: Study, text: str, first: Step, others: Sequence[Step]) -> tuple[list[_At], Sequence[Step]]:
    """Return where a path begins, and the steps from there."""
    if first.key == "records":
        return _records(study, text, first), others
    if first.key == "contracts":
        return _contracts(study, text, first), others
    if first.key == "device":
        if first.wanted:
            raise UnusableField(f"{text!r}: there is one device, and nothing to select of it: write device.KEY")
        return [_At(study.device, (), authored(study.device.value))], others
    steps = others if first.key == "spec" else [first, *others]
    return [_At(study.spec, (), authored(study.spec.value))], steps


def _records(study: Study, text: str, step: Step) -> list[_At]:
    every = [
        _At(document, ("records", index), authored(record))
        for document in study.records
        for index, record in enumerate(document.value.records)
    ]
    return _wanted(text, every, step)


def _contracts(study: Study, text: str, step: Step) -> list[_At]:
    return _wanted(text, [_At(document, (), authored(document.value)) for document in study.contracts], step)


def _wanted(text: str, every: list[_At], step: Step) -> list[_At]:
    found = [one for place, one in enumerate(every) if is_selected(one.value, _place_in_list(one, place), step.wanted)]
    if not found:
        raise UnusableField(f"{text!r}: {_nothing([one.value for one in every], step)}")
    return found


def _place_in_list(one: _At, place: int) -> int:
    """Return the number of an entry in its own list; records and contracts, which have many files, are counted through."""
    is_root = not one.path or (one.path[0] == "records" and len(one.path) <= _RECORD_STEPS)
    return place if is_root or not isinstance(one.path[-1], int) else one.path[-1]


def _nothing(entries: list[Any], step: Step) -> str:
    """Return why a selector selects none of *entries*."""
    if not entries:
        return f"there are no {step.key}"
    for key, value in step.wanted:
        if not key and value.isdecimal():
            return f"{step.key} has {len(entries)} entries, counted from 0"
        known = known_values(entries, key) if key else [name for each in ("name", "entry", "group") for name in known_values(entries, each)]
        if not known:
            keys = {one for entry in entries if isinstance(entry, Mapping) for one in (*entry, *entry.get("shapes", {}))} | {*ALIASES}
            return f"no entry of {step.key} has {key!r}{nearest(key, keys)}"
        if value not in known:
            return f"no entry of {step.key} has {key or 'the name'} {value!r}{nearest(value, known)}"
    return f"none of the {len(entries)} entries of {step.key} has all of {step}"


def _stepped(text: str, found: Sequence[_At], step: Step) -> list[_At]:
    """Return where *step* leads from each of *found*; those that lack its key are passed over if others have it.

    What no file states is a field all the same, where one may.
    """
    flat = [entry for one in found for entry in _entries(one)]
    having = [one for one in flat if isinstance(one.value, Mapping) and step.key in one.value]
    further = [_At(one.document, (*one.path, step.key), one.value[step.key]) for one in having]
    if not having and not step.wanted:
        further = [_At(one.document, (*one.path, step.key), None) for one in flat if step.key in _keys_in(one)]
    if not further:
        raise UnusableField(f"{text!r} names no field: {_no_key(flat, step)}")
    return _selected(text, further, step) if step.wanted else further


def _entries(one: _At) -> Iterator[_At]:
    if isinstance(one.value, tuple | list):
        yield from (_At(one.document, (*one.path, index), entry) for index, entry in enumerate(one.value))
    else:
        yield one


def _selected(text: str, found: Sequence[_At], step: Step) -> list[_At]:
    """Return what the selector of *step* selects in all of *found*."""
    if all(isinstance(one.value, Mapping) for one in found):
        keyed = [_At(one.document, (*one.path, key), entry) for one in found for key, entry in one.value.items()]
        selected = [one for one in keyed if step.wanted == (("", str(one.path[-1])),)]
        if not selected:
            known = nearest(step.wanted[0][1], [str(one.path[-1]) for one in keyed])
            raise UnusableField(f"{text!r}: {step.key} has no {step.wanted[0][1]!r}{known}")
        return selected
    if not all(isinstance(one.value, tuple | list) for one in found):
        raise UnusableField(f"{text!r}: {step.key} is one value, and nothing can be selected of it")
    return _wanted(text, [entry for one in found for entry in _entries(one)], step)


def _no_key(flat: Sequence[_At], step: Step) -> str:
    keys = dict.fromkeys(key for one in flat for key in _keys_in(one))
    if not keys:
        return f"nothing is below the value in front of {step.key!r}"
    return f"no {step.key!r}{nearest(step.key, keys)}"


def _keys_in(one: _At) -> list[str]:
    """Return the keys that the section at *one* has, or may have."""
    present = [str(key) for key in one.value] if isinstance(one.value, Mapping) else []
    if one.value is not None and not isinstance(one.value, Mapping):
        return []
    section = section_at(type(one.document.value), one.path, authored(one.document.value) if not one.path else None)
    return list(dict.fromkeys([*present, *(field_keys(section) if section is not None else ())]))
