"""Wanted times: the keys of a spec that nobody measured, with what is known of them so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from megasolve.contracts import Backend, Record

from .request import Experiment


@dataclass(frozen=True, slots=True)
class WantedTime:
    """The full key of a time, and what the contract's program says of it where it has one: its time, HBM bytes and tiles."""

    group: str
    backend: Backend
    entry: str
    budget_ctas: int
    batch: int
    precision: str
    device: str
    shapes: Mapping[str, int]
    context: Mapping[str, Any]
    derived_ps: int | None = None
    hbm_bytes: int | None = None
    tiles: int | None = None

    @property
    def experiment(self) -> Experiment:
        """What is asked of a child; the rest is the same for its whole block."""
        return Experiment(self.group, self.entry, self.budget_ctas)

    def is_served_by(self, record: Record) -> bool:
        """Whether *record* has this key."""
        return self.replaces(record) and self.context == record.context

    def replaces(self, record: Record) -> bool:
        """Whether *record* has this key, but for a context that the contract may have had before."""
        mine = (self.group, self.backend, (self.entry,), self.budget_ctas, self.batch, self.precision, self.device)
        theirs = (record.group, record.backend, record.entries, record.budget_ctas, record.batch, record.precision, record.device)
        return mine == theirs and dict(self.shapes) == dict(record.shapes)

    def __str__(self) -> str:
        return f"{self.experiment}, batch {self.batch}"


def smallest_budgets(wanted: Sequence[WantedTime]) -> tuple[WantedTime, ...]:
    """Return those of *wanted* that have the smallest budget of their entry."""
    budgets: dict[str, int] = {}
    for one in wanted:
        budgets[one.entry] = min(one.budget_ctas, budgets.get(one.entry, one.budget_ctas))
    return tuple(one for one in wanted if one.budget_ctas == budgets[one.entry])
