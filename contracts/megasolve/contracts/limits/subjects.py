"""What the rules of limits look at, and what the faults that they find are about."""

from __future__ import annotations

from ..model.contract import Contract
from ..model.device import Device
from ..model.findings import Fault
from ..model.rules import Subject

SHAPE: Subject[[Device, Contract], Fault] = Subject("a launch shape on a device")

ABOUT_BUDGET: tuple[str | int, ...] = ("budgets_ctas",)
"""The path of a fault of the budget that was asked for, in whichever unit the file counts."""
