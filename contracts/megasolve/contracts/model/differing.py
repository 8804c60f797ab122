"""Differing trees: where two mappings, as files hold them, are not equal."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Any, Final, cast

_LONGEST = 200


class _Absent(Enum):
    ABSENT = "absent"


ABSENT: Final = _Absent.ABSENT
"""What stands where one of two trees has nothing; null is something."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One place in which two trees differ: what the first *has*, and what is *wanted*, either of which may be `ABSENT`."""

    path: str
    has: Any
    wanted: Any

    def __str__(self) -> str:
        return f"{self.path}: {shown(self.has)} against {shown(self.wanted)}"


def frozen_tree(value: Any) -> Hashable:
    """Return *value* as something that can be hashed; trees without differences, and only those, give equal ones."""
    kind = type(value)
    # Most values are leaves, and asking each whether it is a mapping takes longer than all the rest.
    if kind is str or kind is int:
        return cast(Hashable, value)
    if kind is bool:
        # In Python 1 is True; in a file the one is a number, the other is not.
        return bool, value
    if kind is dict or isinstance(value, Mapping):
        return "mapping", frozenset([(name, frozen_tree(one)) for name, one in value.items()])
    return ("list", tuple(map(frozen_tree, value))) if isinstance(value, list | tuple) else cast(Hashable, value)


def tree_differences(path: str, has: Any, wanted: Any) -> Iterator[Difference]:
    """Yield the places below *path* in which the two trees differ, in the order of their paths."""
    if frozen_tree(has) == frozen_tree(wanted):
        return
    if isinstance(has, Mapping) and isinstance(wanted, Mapping):
        for name in sorted({*has, *wanted}, key=str):
            below = f"{path}.{_shortened(str(name))}" if path else _shortened(str(name))
            yield from tree_differences(below, has.get(name, ABSENT), wanted.get(name, ABSENT))
    elif isinstance(has, list | tuple) and isinstance(wanted, list | tuple) and len(has) == len(wanted):
        for index, (one, other) in enumerate(zip(has, wanted, strict=True)):
            yield from tree_differences(f"{path}[{index}]", one, other)
    else:
        yield Difference(path, has, wanted)


def shown(value: Any) -> str:
    """Return *value* as files hold it, whatever the order of its keys, a long one cut; a text that looks like something else is quoted."""
    if value is ABSENT:
        return "absent"
    if isinstance(value, str) and not _is_other(value):
        return _shortened(value)
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    return _shortened(json.dumps(value, sort_keys=True, default=_plain))


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _is_other(text: str) -> bool:
    """Whether *text*, written without quotes, would be read as a number, a truth value or nothing at all."""
    if len(text) > _LONGEST:
        return False
    try:
        json.loads(text or "null")
    except ValueError:
        return False
    return True


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return str(value)
