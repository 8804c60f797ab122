"""Wishes: how times are to be taken, and where their records go."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ...harness.counts import ON_CPU, ON_GPU, Cache, Counts


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
    cache: Cache = "warm"
    samples: int | None = None
    warmups: int | None = None
    device: str | None = None

    @property
    def counts(self) -> Counts:
        """How often things are launched."""
        usual = ON_CPU if self.on_cpu else ON_GPU
        warmups = self.warmups or usual.warmups
        most_warmups = max(warmups, usual.most_warmups)
        return replace(usual, samples=self.samples or usual.samples, warmups=warmups, most_warmups=most_warmups, cache=self.cache)
