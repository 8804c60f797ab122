"""What is wrong at one path of a file, before the place of that path is looked up."""

from __future__ import annotations

from dataclasses import dataclass

from .findings import Rule, Severity


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
