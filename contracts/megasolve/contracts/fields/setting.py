"""Setting fields: the study with other values at some paths, checked as its files are, and labelled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from pydantic import ValidationError

from ..check.checking import checked
from ..files.documents import Document
from ..files.schema.errors import schema_faults
from ..files.settings import SetField, Setting
from ..files.study import Study
from ..files.yaml.documents import parse_yaml
from ..model.base import Tree
from ..model.device import Device
from .named import NamedField, authored, named_fields
from .path import UnusableField

# Every figure of a device names its source, and what is asked has none.
NO_SOURCE = "set for this question"
# Of two keys that say the same, the one that is set counts.
_INSTEAD = {"duration_us": ("samples_us", "statistic"), "samples_us": ("duration_us",)}


def parse_setting(text: str) -> tuple[str, Tree]:
    """Return the path and the value of *text*, ``PATH=VALUE``, with the value as a file would have it.

    Raises
    ------
    UnusableField
        It is no such pair.
    """
    path, value = path_and_value(text)
    if value is None:
        raise UnusableField(f"{text!r} sets nothing: write PATH=VALUE")
    return path, parse_value(value)


def path_and_value(text: str) -> tuple[str, str | None]:
    """Return what stands on both sides of the equal sign of ``PATH=VALUE``; None on the right where there is none."""
    # Selectors have equal signs of their own.
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "[") - (letter == "]")
        if letter == "=" and not depth:
            return text[:place].strip(), text[place + 1 :]
    return text.strip(), None


def parse_value(text: str) -> Tree:
    """Return the value that *text* is in a file.

    Raises
    ------
    UnusableField
        It is none.
    """
    parsed = parse_yaml(text)
    if not parsed.is_whole or parsed.faults or parsed.is_empty:
        raise UnusableField(f"{text.strip()!r} is no value")
    value: Tree = parsed.value
    return value


def with_settings(study: Study, settings: Sequence[tuple[str, Tree]]) -> Study:
    """Return *study* with each value at its path, checked, and labelled with what was set.

    Raises
    ------
    UnusableField
        A path names no field, a field is set twice, or does not take its value.
    CheckFailed
        Values that fit by themselves contradict each other, or the rest of the study.
    """
    seen: set[object] = set()
    for path, value in settings:
        fields = named_fields(study, path)
        for field in fields:
            if field.identity in seen:
                raise UnusableField(f"{path!r} sets {field} again")
            seen.add(field.identity)
        study = with_value(study, path, fields, value)
    return checked(replace(study, is_checked=False))


def with_value(study: Study, path: str, fields: Sequence[NamedField], value: Tree) -> Study:
    """Return *study* with *value* in all of *fields*, which *path* names, labelled; what it means for other files is not checked.

    Raises
    ------
    UnusableField
        A field does not take the value.
    """
    by_file: dict[str, list[NamedField]] = {}
    for field in fields:
        by_file.setdefault(field.document.file, []).append(field)
    changed = {file: _changed(path, of_file, value) for file, of_file in by_file.items()}
    told = tuple(SetField(field.document.file, field.path, field.document.place(field.path), field.value) for field in fields)
    return replace(
        study,
        spec=changed.get(study.spec.file, study.spec),
        device=changed.get(study.device.file, study.device),
        contracts=tuple(changed.get(one.file, one) for one in study.contracts),
        records=tuple(changed.get(one.file, one) for one in study.records),
        settings=(*study.settings, Setting(path, value, told)),
    )


def _changed(path: str, fields: Sequence[NamedField], value: Tree) -> Document[Any]:
    document = fields[0].document
    if fields[0].path[0] == "records" and len(fields[0].path) > 1 and isinstance(fields[0].path[1], int):
        return _with_records(path, document, fields, value)
    tree = authored(document.value)
    for field in fields:
        tree = _put(tree, field.path, value)
        if isinstance(document.value, Device) and field.value is None:
            tree = _sourced(tree, str(field.path[0]))
    return replace(document, value=_validated(path, document, type(document.value), tree, ()))


def _sourced(tree: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return the *tree* of a device with a source for the figure under *key*."""
    return {**tree, "sources": {key: NO_SOURCE, **tree["sources"]}}


def _with_records(path: str, document: Document[Any], fields: Sequence[NamedField], value: Tree) -> Document[Any]:
    # A file may hold thousands of records, and few of them change.
    records = list(document.value.records)
    for field in fields:
        _, index, *inner = field.path
        assert isinstance(index, int)
        tree = _put(authored(records[index]), tuple(inner), value)
        records[index] = _validated(path, document, type(records[index]), tree, ("records", index))
    return replace(document, value=document.value.model_copy(update={"records": tuple(records)}))


def _validated(path: str, document: Document[Any], model: type[Any], tree: Mapping[str, Any], base: tuple[str | int, ...]) -> Any:
    try:
        return model.model_validate(tree, by_alias=True, by_name=False)
    except ValidationError as error:
        fault = next(iter(schema_faults(model, tree, error.errors(include_url=False)))).fault()
        place = document.place((*base, *fault.path))
        raise UnusableField(f"{path}: {fault.message} ({place})") from None


def _put(tree: Any, path: Sequence[str | int], value: Tree) -> Any:
    """Return *tree* with *value* at *path*."""
    if not path:
        return _fitting(tree, value)
    first, *others = path
    if isinstance(first, int):
        entries = list(tree)
        entries[first] = _put(entries[first], others, value)
        return tuple(entries)
    instead = () if others else _INSTEAD.get(first, ())
    rest = {key: one for key, one in (tree or {}).items() if key not in instead}
    return {**rest, first: _put(rest.get(first), others, value)}


def _fitting(before: Any, value: Tree) -> Tree:
    # Counts are whole numbers in files: 88.0 is 88, as long as nothing else stands there.
    is_whole = isinstance(value, Decimal) and value.is_finite() and value == value.to_integral_value() and abs(value.adjusted()) < 30
    return int(value) if is_whole and isinstance(value, Decimal) and (before is None or isinstance(before, int)) else value
