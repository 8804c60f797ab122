"""What a child is asked to do."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import TypeAdapter

from megasolve.contracts import Backend

from .counts import Counts


@dataclass(frozen=True, slots=True, order=True)
class Experiment:
    """One time to take: a call of *group* in *entry* on *budget_ctas* CTAs."""

    group: str
    entry: str
    budget_ctas: int

    def __str__(self) -> str:
        return f"{self.group} in '{self.entry}' on {self.budget_ctas} CTAs"


@dataclass(frozen=True, slots=True)
class BlockRequest:
    """The experiments that one child runs in one session, in an order that *seed* draws.

    *device* is the device file or name to plan for, None for the spec's own; *root* widens its project; *ordinal* is the number of the GPU.
    *journal* is the file that what is finished is written to at once.
    """

    spec: str
    device: str | None
    ordinal: int
    backend: Backend
    batch: int
    experiments: tuple[Experiment, ...]
    counts: Counts
    seed: int
    root: str | None = None
    journal: str | None = None


BLOCK_REQUEST = TypeAdapter(BlockRequest)
"""How a request goes to a child, as values of JSON."""
