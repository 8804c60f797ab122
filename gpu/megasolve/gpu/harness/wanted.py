"""Wanted times: the keys of a spec that nobody measured, with what is known of them so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from megasolve.contracts import Key, Record, differences, keys_of

from .request import Experiment


@dataclass(frozen=True, slots=True)
class WantedTime:
    """The *key* of a time, and what the contract's program says of it where it has one: its time, HBM bytes and tiles."""

    key: Key
    derived_ps: int | None = None
    hbm_bytes: int | None = None
    tiles: int | None = None

    @property
    def experiment(self) -> Experiment:
        """What is asked of a child; the rest is the same for its whole block."""
        return Experiment(self.key.group, self.key.entry, self.key.budget_ctas)

    def is_served_by(self, record: Record) -> bool:
        """Whether *record* has this key."""
        return self.key in keys_of(record)

    def replaces(self, record: Record) -> bool:
        """Whether *record* has this key, or is of this entry alone and had it under a context that the contract had before."""
        if len(record.entries) > 1:
            return self.is_served_by(record)
        return all(one.path.startswith("context") for has in keys_of(record) for one in differences(has, self.key))

    def __str__(self) -> str:
        return f"{self.experiment}, batch {self.key.batch}"


def smallest_budgets(wanted: Sequence[WantedTime]) -> tuple[WantedTime, ...]:
    """Return those of *wanted* that have the smallest budget of their entry."""
    budgets: dict[str, int] = {}
    for key in (one.key for one in wanted):
        budgets[key.entry] = min(key.budget_ctas, budgets.get(key.entry, key.budget_ctas))
    return tuple(one for one in wanted if one.key.budget_ctas == budgets[one.key.entry])
