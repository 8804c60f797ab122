"""What the child of the guards is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import TypeAdapter

from ...driver import DeviceFacts
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


@dataclass(frozen=True, slots=True)
class Guard:
    """One guard: whether it *held*, and what was seen. One that is not *needed* may fail where another way is left."""

    name: str
    held: bool
    said: str
    needed: bool = True


@dataclass(frozen=True, slots=True)
class Tried:
    """The device as its driver describes it, the versions of what runs on it, and the guards."""

    device: DeviceFacts
    versions: Mapping[str, str]
    guards: tuple[Guard, ...]

    @property
    def is_sound(self) -> bool:
        """Whether every guard holds that is needed."""
        return all(guard.held or not guard.needed for guard in self.guards)


GUARD_REQUEST, TRIED = TypeAdapter(GuardRequest), TypeAdapter(Tried)
"""How the request goes to a child, and what was tried comes back, as values of JSON."""
