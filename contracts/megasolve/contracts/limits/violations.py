"""Violations: single facts about why something cannot run."""

from __future__ import annotations

from dataclasses import dataclass

from ..model.contract import Contract
from ..model.device import Device
from ..model.rules import Rule, Subject


@dataclass(frozen=True, slots=True)
class Violation:
    """One reason why something cannot run: the rule and the fact. *path* is the value in the contract it is about.

    A fact about the budget that was asked for has the path ``("budgets_ctas",)``, in whichever unit the file counts.
    """

    rule: Rule
    because: str
    path: tuple[str | int, ...] = ()


SHAPE: Subject[[Device, Contract], Violation] = Subject("a launch shape on a device")

ABOUT_BUDGET: tuple[str | int, ...] = ("budgets_ctas",)
