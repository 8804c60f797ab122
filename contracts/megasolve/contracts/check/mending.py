"""Mending files: what has one safe repair is written into the text, which keeps its comments and its form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..files.yaml.documents import parse_yaml
from ..files.yaml.places import TextSpan, YamlPlaces
from ..model.findings import Finding, PlacedRepair
from ..model.wording import KeyPath

_NOTHING = object()


def repairs_of(findings: Iterable[Finding]) -> Mapping[str, tuple[PlacedRepair, ...]]:
    """Return what mends *findings*, by file; one that stands for several has those of all that it lists."""
    found: dict[str, dict[tuple[KeyPath, bool], PlacedRepair]] = {}
    for finding in findings:
        for repair in (finding.repair, *(one.repair for one in finding.also)):
            if repair is not None:
                found.setdefault(finding.place.file, {})[repair.path, repair.at_key] = repair
    return {file: tuple(repairs.values()) for file, repairs in found.items()}


def mended(text: str, repairs: Iterable[PlacedRepair]) -> str:
    """Return the YAML *text* with those of *repairs* that change what it holds just as they say, and nothing else."""
    # From the end of the text, so that the places of all others stay as they are.
    for repair in sorted(repairs, key=lambda one: _start(text, one), reverse=True):
        written = _written(text, repair)
        if written is not None and _holds(written, _expected(parse_yaml(text).value, repair)):
            text = written
    return text


def _span(text: str, repair: PlacedRepair) -> TextSpan:
    places = YamlPlaces(text)
    return places.key(repair.path) if repair.at_key else places.value(repair.path)


def _start(text: str, repair: PlacedRepair) -> tuple[int, int]:
    span = _span(text, repair)
    return span.line, span.column


def _written(text: str, repair: PlacedRepair) -> str | None:
    span, lines = _span(text, repair), text.split("\n")
    if span.end_column is None or span.line > len(lines):
        return None
    line = lines[span.line - 1]
    before, after = line[: span.column - 1], line[span.end_column - 1 :]
    if repair.text is not None:
        lines[span.line - 1] = before + repair.text + after
    elif before.rstrip().endswith(","):
        lines[span.line - 1] = before.rstrip()[:-1] + after
    elif before.strip() == "-":
        del lines[span.line - 1]
    else:
        return None
    return "\n".join(lines)


def _expected(tree: Any, repair: PlacedRepair) -> Any:
    """Return what the text holds once it is mended, or nothing that any text holds."""
    if not repair.path:
        return _NOTHING
    return _changed(tree, repair.path, repair)


def _changed(tree: Any, path: KeyPath, repair: PlacedRepair) -> Any:
    step, *rest = path
    if isinstance(tree, dict) and isinstance(step, str) and step in tree:
        if rest:
            return {**tree, step: _changed(tree[step], tuple(rest), repair)}
        if repair.text is None or (repair.at_key and repair.text in tree):
            return _NOTHING
        return dict(_renamed(tree, step, repair.text)) if repair.at_key else {**tree, step: _value(repair.text)}
    if isinstance(tree, tuple) and isinstance(step, int) and step < len(tree):
        entry = () if not rest and repair.text is None else (_changed(tree[step], tuple(rest), repair) if rest else _value(repair.text),)
        return (*tree[:step], *entry, *tree[step + 1 :])
    return _NOTHING


def _renamed(tree: Mapping[str, Any], key: str, name: str) -> Iterator[tuple[str, Any]]:
    return ((name if one == key else one, value) for one, value in tree.items())


def _value(text: str | None) -> Any:
    parsed = parse_yaml(f"value: {text}")
    return parsed.value["value"] if parsed.is_whole and not parsed.faults else _NOTHING


def _holds(text: str, expected: Any) -> bool:
    parsed = parse_yaml(text)
    return parsed.is_whole and repr(parsed.value) == repr(expected)
