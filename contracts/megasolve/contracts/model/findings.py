"""Faults and findings: what a check has to say, at which path and in which place, and under which rule."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from .base import Place
from .rules import Rule

MOST_FINDINGS = 1_000
"""So many findings are listed; further ones are counted."""

SHOWN_LINES = 3


class Severity(Enum):
    """How much a finding matters: an error makes `check` fail, a warning does so only on demand."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Repair:
    """The one safe repair of a fault: write *text* for the value at its path, or for the key; None takes the entry out of its list."""

    text: str | None


@dataclass(frozen=True, slots=True)
class PlacedRepair:
    """A repair at the *path* of a file, of the key itself *at_key*."""

    path: tuple[str | int, ...]
    text: str | None
    at_key: bool = False


@dataclass(frozen=True, slots=True)
class Fault:
    """One broken rule at one path of a file, spelled with the keys of the file: ``("launch", "roles", 1, "registers")``.

    Where the file has no value at *path*, the nearest enclosing one is reported. *at_key* points at the key itself. *repair* is what
    mends it, where there is one way that changes nothing that the file means.
    """

    rule: Rule
    path: tuple[str | int, ...]
    message: str
    at_key: bool = False
    severity: Severity = Severity.ERROR
    repair: Repair | None = None


@dataclass(frozen=True, slots=True)
class Recurrence:
    """Where else in its file a finding holds."""

    place: Place
    path: str
    end_column: int | None = None
    repair: PlacedRepair | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault: its place, the path inside the file, what was found and what is allowed.

    *end_column* is exclusive, or None where only the start is known. *message* is one line and complete on its own. A finding may stand for
    several equal ones of its file: *count* in all, the others *also* at these places, as far as they are listed.
    """

    rule: Rule
    place: Place
    path: str
    message: str
    severity: Severity = Severity.ERROR
    end_column: int | None = None
    count: int = 1
    also: tuple[Recurrence, ...] = ()
    repair: PlacedRepair | None = None

    @property
    def times(self) -> str:
        """How often it holds and on which lines, for one that stands for several: ``  (12 times, also on lines 8, 12, 16, ...)``."""
        if self.count == 1:
            return ""
        lines = [line for line in dict.fromkeys(one.place.line for one in self.also) if line != self.place.line]
        more = ", ..." if len(lines) > SHOWN_LINES or self.count > 1 + len(self.also) else ""
        also = f", also on line{'s' * (len(lines) > 1)} {', '.join(f'{line:,}' for line in lines[:SHOWN_LINES])}{more}" if lines else ""
        return f"  ({self.count:,} times{also})"

    def __str__(self) -> str:
        return f"{self.place}: {self.rule.code} {self.message}  [{self.path}]{self.times}"
