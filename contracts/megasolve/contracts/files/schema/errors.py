"""Schema findings: what a model refuses, said with the value found, what is allowed, and the repair."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import ValidationError

from ...model.base import TAG, Frozen
from ...model.closest import nearest_of
from ...model.findings import Fault, Repair
from ...model.rules import Rule
from ...model.wording import KeyPath, in_section, shown
from ..tally import MOST_PROPOSALS
from .misspelt import Suggestion, plain_key, suggestion
from .repairs import number_repair, quantity_message, range_message, type_repair
from .shape import Slot, expectation, field_keys, section_of, slot_at, step_into

UNKNOWN_KEY = Rule("SCH-01", "unknown-key", "A mapping holds only the keys that its kind of file knows.")
MISSING_KEY = Rule("SCH-02", "missing-key", "A mapping holds every key that its kind of file requires.")
WRONG_TYPE = Rule("SCH-03", "wrong-type", "A value is of the type that its key requires: text, number, list or mapping.")
NOT_ALLOWED = Rule("SCH-04", "not-allowed-value", "A value is one of those that its key allows, or within their range.")
QUANTITY = Rule("SCH-05", "quantity", "A quantity is a number alone, in the unit that its key names, exact, finite and of the right sign.")

_PATTERNS = {
    r"^[A-Za-z][A-Za-z0-9_.-]*$": "a name: a letter, then letters, digits, '_', '.' or '-'",
    r"^[A-Za-z][A-Za-z0-9_.+-]*$": "a name: a letter, then letters, digits, '_', '.', '+' or '-'",
    r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*:[A-Za-z_][A-Za-z0-9_]*$": (
        "an object of an installed package such as 'my_kernels:WORKLOAD': a module, ':' and a name in it, no path"
    ),
    r"^[0-9]+\.[0-9]+$": "a version in quotes such as '9.0'",
    r"^[0-9a-f]{64}$": "a SHA-256: 64 hexadecimal digits in lower case",
    r"^\d{4}-\d{2}-\d{2}$": "a date such as 2026-10-19",
}

_COUNTED_AS = {"extra_forbidden": UNKNOWN_KEY, "missing": MISSING_KEY}
# What a message ends in where there is one repair.
_WRITE = re.compile(r": write (\S+)(?: without quotes)?$")
# No text inside the JSON can hold a plain quote.
_KIND_IN_JSON = re.compile(r'"type":"(\w+)"')
_RANGE_ERRORS = frozenset({"greater_than", "greater_than_equal", "less_than", "less_than_equal", "multiple_of"})


@dataclass(frozen=True, slots=True)
class PendingFault:
    """What a model refuses at *path*, by its rule; the *fault* itself is made where it is kept.

    *meant* has the paths that the value may have been meant for.
    """

    rule: Rule
    path: KeyPath
    fault: Callable[[], Fault]
    meant: tuple[KeyPath, ...] = ()


def schema_faults(model: type[Frozen], tree: Mapping[str, object], details: Sequence[Any]) -> Iterator[PendingFault]:
    """Yield everything that *model* refuses in *tree*, as *details* of pydantic have it.

    A missing key is left out where an unknown key of the same mapping is its misspelling: one repair, one fault.
    """
    unknown = [_path(detail, tree) for detail in details if detail["type"] == "extra_forbidden"]
    suggestions = {path: suggestion(model, path, tree) for path in unknown[:MOST_PROPOSALS]}
    misspelt = {(*path[:-1], meant.key) for path, meant in suggestions.items() if meant.key is not None}
    for path in unknown:
        yield unknown_key(path, suggestions.get(path))
    for detail in details:
        path = _path(detail, tree)
        if detail["type"] == "missing" and path not in misspelt:
            yield PendingFault(MISSING_KEY, path, partial(_missing_key, model, path, tree))
        elif detail["type"] not in ("missing", "extra_forbidden") and not _is_echo(detail, found := _found(tree, path)):
            yield PendingFault(_rule_of(detail, found), path, partial(_refused_value, model, tree, path, found, detail))


def refused_numbers(error: ValidationError) -> Counter[Rule]:
    """Return how many values *error* refuses, by rule; at a fraction of what it costs to look at each.

    Where nothing is found, the rule of the value that was expected counts.
    """
    kinds = _KIND_IN_JSON.findall(error.json(include_url=False, include_context=False, include_input=False))
    numbers: Counter[Rule] = Counter()
    for kind, number in Counter(kinds).items():
        numbers[_COUNTED_AS.get(kind) or _rule_of({"type": kind}, kind)] += number
    return numbers


def unknown_key(path: KeyPath, meant: Suggestion | None = None) -> PendingFault:
    """Return that no such key is known at *path*."""
    return PendingFault(UNKNOWN_KEY, path, partial(_unknown_key, path, meant), () if meant is None else meant.meant)


def _path(detail: Any, tree: Any) -> KeyPath:
    """Return where *detail* is in the file: one section may stand for a list of one."""
    path: list[str | int] = []
    for step in detail["loc"]:
        is_tag = isinstance(step, str) and step.startswith(TAG)
        if is_tag or (isinstance(step, int) and isinstance(tree, Mapping)):
            continue
        path.append(step)
        tree = step_into(tree, step)
    return tuple(path)


def _found(tree: Any, path: KeyPath) -> Any:
    for step in path:
        tree = tree[step]
    return tree


def _is_echo(detail: Any, found: Any) -> bool:
    """Whether a list is called too short only because its refused entries were not counted."""
    return bool(detail["type"] == "too_short" and len(found) >= detail["ctx"]["min_length"])


def _unknown_key(path: KeyPath, meant: Suggestion | None) -> Fault:
    repair = "" if meant is None else f"; {meant.text}"
    is_spelling = meant is not None and meant.key is not None and meant.key == plain_key(str(path[-1]))
    spelled = Repair(meant.key) if meant is not None and is_spelling else None
    return Fault(UNKNOWN_KEY, path, f"unknown key {shown(path[-1])}{repair}", at_key=True, repair=spelled)


def _missing_key(model: type[Frozen], path: KeyPath, tree: Mapping[str, object]) -> Fault:
    expected = expectation(slot_at(model, path, tree), path[-1])
    return Fault(MISSING_KEY, path, f"missing key {str(path[-1])!r} {in_section(path[:-1])}: expected {expected}")


def _rule_of(detail: Any, found: Any) -> Rule:
    kind = detail["type"]
    if kind.startswith("quantity") or kind == "finite_number":
        return QUANTITY
    return NOT_ALLOWED if found is not None and (kind in _RANGE_ERRORS or kind in _ALLOWED) else WRONG_TYPE


def _refused_value(model: type[Frozen], tree: Mapping[str, object], path: KeyPath, found: object, detail: Any) -> Fault:
    rule = _rule_of(detail, found)
    message = _refusal(slot_at(model, path, tree), _key(path), found, detail)
    written = _WRITE.search(message)
    return Fault(rule, path, message, repair=None if written is None else Repair(written[1]))


def _refusal(slot: Slot | None, key: str, found: object, detail: Any) -> str:
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "finite_number":
        return quantity_message(found, key, kind, "expected a finite number")
    if kind.startswith("quantity"):
        return quantity_message(found, key, kind, detail["msg"])
    if found is None:
        return f"found nothing, expected {expectation(slot, key)}: give a value"
    if kind in _RANGE_ERRORS:
        return range_message(found, key, slot) + number_repair(found, key)
    if kind in _ALLOWED:
        return f"found {shown(found)}, expected {_ALLOWED[kind](context, found)}"
    expected = expectation(slot, key)
    return f"found {shown(found)}, expected {expected}{_keys_of(slot, expected)}{type_repair(found, expected)}"


def _key(path: KeyPath) -> str:
    """Return the key that *path* ends in; list positions belong to the key of their list."""
    return next((step for step in reversed(path) if isinstance(step, str)), "")


def _keys_of(slot: Slot | None, expected: str) -> str:
    section = section_of(slot) if slot is not None and expected == "a mapping" else None
    if section is None:
        return ""
    required = [key for key, info in field_keys(section).items() if info.is_required()]
    return f" with {', '.join(required)}" if required else ""


_ALLOWED: dict[str, Callable[[Mapping[str, Any], Any], str]] = {
    "literal_error": lambda context, found: context["expected"] + nearest_of(found, re.findall("'([^']*)'", context["expected"])),
    "string_pattern_mismatch": lambda context, _: _PATTERNS.get(context["pattern"], f"text like {context['pattern']}"),
    "string_too_short": lambda _context, _: "some text",
    "string_too_long": lambda context, _: f"at most {context['max_length']} characters",
    "too_short": lambda context, _: f"a list of at least {context['min_length']}",
    "too_long": lambda context, _: f"a list of at most {context['max_length']}",
}
