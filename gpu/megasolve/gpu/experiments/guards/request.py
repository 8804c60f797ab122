"""What the child of the guards is asked, and what it answers, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ...harness.counts import Counts


@dataclass(frozen=True, slots=True)
class GuardRequest:
    """Guards to try with the kernel of *entry*, on *producer_ctas* and *consumer_ctas* CTAs where two grids meet.

    *device* is the device file or name to plan for, None for the spec's own; *root* widens its project; *ordinal* is the number of the GPU.
    """

    spec: str
    device: str | None
    ordinal: int
    entry: str
    producer_ctas: int
    consumer_ctas: int
    counts: Counts
    root: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the request as values of JSON."""
        return asdict(self)


def request_from(values: Mapping[str, Any]) -> GuardRequest:
    """Return what `as_json` wrote."""
    return GuardRequest(**{**values, "counts": Counts(**values["counts"])})


@dataclass(frozen=True, slots=True)
class Guard:
    """One guard: whether it *held*, and what was seen. One that is not *needed* may fail where another way is left."""

    name: str
    held: bool
    said: str
    needed: bool = True
