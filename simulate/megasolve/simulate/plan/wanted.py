"""Wanted times: the keys of a spec that nobody measured, with what is known of them so far."""

from __future__ import annotations

from dataclasses import dataclass

from megasolve.contracts import Key, Record, differences, keys_of


@dataclass(frozen=True, slots=True)
class WantedTime:
    """The *key* of a time, and what the contract's program says of it where it has one: its time, HBM bytes and tiles."""

    key: Key
    derived_ps: int | None = None
    hbm_bytes: int | None = None
    tiles: int | None = None

    def is_served_by(self, record: Record) -> bool:
        """Whether *record* has this key."""
        return self.key in keys_of(record)

    def replaces(self, record: Record) -> bool:
        """Whether *record* has this key, or is of this entry alone and had it under a context that the contract had before."""
        if len(record.entries) > 1:
            return self.is_served_by(record)
        return all(one.path.startswith("context") for has in keys_of(record) for one in differences(has, self.key))
