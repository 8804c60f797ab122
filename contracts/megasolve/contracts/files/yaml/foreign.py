"""Files that are none of ours: it is said where something is wrong and by which rule, never what stands there.

A spec, a folder or a person may lead to any file, and what is printed may be read by others than those who may read that file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from .parsed import TextFault
from .rules import SYNTAX

_NAMES_A_KIND = re.compile(r"""^[ \t{]*["']?megasolve["']?[ \t]*:[ \t]*["']?[a-z]+/v""", re.MULTILINE)
_LIKE_A_KIND = re.compile(r"[a-z]{2,12}/v?[0-9]{1,2}(\.[0-9]{1,2})?")


def is_ours(text: str, tree: Any) -> bool:
    """Whether the file with *text*, which holds *tree* as far as it could be read, says what kind of ours it is, known or not."""
    if isinstance(tree, dict):
        return is_like_a_kind(tree.get("megasolve"))
    return _NAMES_A_KIND.search(text) is not None


def is_like_a_kind(value: object) -> bool:
    """Whether *value* is written as the kinds of our files are: `contract/v1`."""
    return isinstance(value, str) and _LIKE_A_KIND.fullmatch(value) is not None


def unquoting(faults: Iterable[TextFault]) -> Iterator[TextFault]:
    """Yield *faults* of a text without anything that stands in it."""
    for fault in faults:
        message = fault.message if fault.rule is SYNTAX else fault.rule.summary
        yield replace(fault, path=(), message=message)
