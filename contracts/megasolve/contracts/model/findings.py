"""Faults and findings: what a check has to say, at which path and in which place, and under which rule."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from .base import Place
from .rules import Rule

MOST_FINDINGS = 1_000
"""So many findings are listed; further ones are counted."""


class Severity(Enum):
    """How much a finding matters: an error makes `check` fail, a warning does so only on demand."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Fault:
    """One broken rule at one path of a file, spelled with the keys of the file: ``("launch", "roles", 1, "registers")``.

    Where the file has no value at *path*, the nearest enclosing one is reported. *at_key* points at the key itself.
    """

    rule: Rule
    path: tuple[str | int, ...]
    message: str
    at_key: bool = False
    severity: Severity = Severity.ERROR


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault: its place, the path inside the file, what was found and what is allowed.

    *end_column* is exclusive, or None where only the start is known. *message* is one line and complete on its own.
    """

    rule: Rule
    place: Place
    path: str
    message: str
    severity: Severity = Severity.ERROR
    end_column: int | None = None

    def __str__(self) -> str:
        return f"{self.place}: {self.rule.code} {self.message}  [{self.path}]"
