"""Violations: single facts about why something cannot run."""

from __future__ import annotations

from dataclasses import dataclass

from ..model.findings import Rule


@dataclass(frozen=True, slots=True)
class Violation:
    """One reason why something cannot run: the rule and the fact. *path* is the value in the contract it is about.

    A fact about the budget that was asked for has the path ``("budgets_ctas",)``, in whichever unit the file counts.
    """

    rule: Rule
    because: str
    path: tuple[str | int, ...] = ()


ABOUT_BUDGET: tuple[str | int, ...] = ("budgets_ctas",)
