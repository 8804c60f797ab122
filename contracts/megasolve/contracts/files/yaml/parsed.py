"""What reading a text yields: the value that it holds, and the faults of the text itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...model.findings import Severity
from ...model.rules import Rule
from ...model.wording import KeyPath
from ..tally import Further


@dataclass(frozen=True, slots=True)
class TextFault:
    """A fault of the text itself; line, column and the exclusive end column count from 1, in code points."""

    rule: Rule
    line: int
    column: int
    path: KeyPath
    message: str
    end_column: int | None = None
    severity: Severity = Severity.ERROR


@dataclass(frozen=True, slots=True)
class Parsed:
    """The *value* that a text holds and its faults; *is_whole* is False where reading stopped before the end.

    *further* counts the faults that were not kept, *refused* has the paths at which a value was left out, and *doubtful* all at which
    another one may have been meant.
    """

    value: Any
    faults: tuple[TextFault, ...] = ()
    is_whole: bool = True
    is_empty: bool = False
    further: Further = field(default_factory=dict)
    refused: frozenset[KeyPath] = frozenset()
    doubtful: frozenset[KeyPath] = frozenset()
