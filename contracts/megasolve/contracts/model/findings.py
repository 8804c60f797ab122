"""Findings: what a check has to say, where, and under which rule."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from .base import Place

MOST_FINDINGS = 1_000
"""So many findings are listed; further ones are counted."""


class Severity(Enum):
    """How much a finding matters: an error makes `check` fail, a warning does so only on demand."""

    ERROR = "error"
    WARNING = "warning"


class RuleKind(Enum):
    """What a broken rule means.

    FILE rules make files unusable: `solve` stops on them. LIMIT rules say that a device cannot run something: `solve` goes
    on and excludes the candidates concerned. PROFILE rules say that something is not what ran: `check` alone reads profiles.
    EXCLUSION rules exist only for candidates and are never findings.
    """

    FILE = "file"
    LIMIT = "limit"
    PROFILE = "profile"
    EXCLUSION = "exclusion"


@dataclass(frozen=True, slots=True)
class Rule:
    """A consistency rule or a reason for exclusion: a code, a name and one sentence. Its page is `docs/rules/CODE.md`."""

    code: str
    name: str
    summary: str
    kind: RuleKind = RuleKind.FILE


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
