"""The errors of megasolve. Infeasible and deadlocked designs are results, never errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .findings import Finding, Severity
from .rules import Rule


class MegasolveError(Exception):
    """The root of every error that megasolve raises on purpose."""


class UnreadableFile(MegasolveError):
    """A file that cannot be read at all: missing, empty, a folder, binary, not UTF-8, not permitted, or too large."""

    def __init__(self, path: str, reason: str) -> None:
        # A name that nobody would see stands in quotes.
        super().__init__(f"{path if path.strip() else repr(path)}: {reason}")
        self.path = path
        self.reason = reason


class UnknownDevice(MegasolveError):
    """A device that was asked for by a name that neither the spec nor the shipped devices know."""


class UnknownBatch(MegasolveError):
    """A batch that the spec does not list, or none at all."""


class CheckFailed(MegasolveError):
    """Files with findings that make them unusable; *findings* holds the first 1,000, in order, and *further* counts the others."""

    def __init__(self, findings: Iterable[Finding], further: Mapping[tuple[Rule, Severity], int] | None = None) -> None:
        self.findings = tuple(findings)
        self.further = further or {}
        super().__init__("\n".join(map(str, self.findings)))
