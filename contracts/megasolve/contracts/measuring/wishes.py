"""Wishes: how times are to be taken, and where their records go."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, slots=True)
class MeasuringWishes:
    """What somebody asks for.

    Parameters
    ----------
    target
        The file that records are added to.
    on_cpu
        Whether the stand-in plays the device.
    every_budget
        Whether the stand-in is to try all budgets, and not only the smallest of each entry.
    samples, warmups
        How often, if not as usual.
    device
        The device to plan for as the user named it; None for the spec's own.
    """

    target: Path
    on_cpu: bool = False
    every_budget: bool = True
    cache: Literal["warm", "cold"] = "warm"
    samples: int | None = None
    warmups: int | None = None
    device: str | None = None

    @property
    def backend(self) -> str:
        """What plays the device, as the command line has it."""
        return "cpu" if self.on_cpu else "gpu"
