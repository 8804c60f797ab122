"""What a sweep finds: plain values."""

from __future__ import annotations

from dataclasses import dataclass

from megasolve.contracts import OutsideTime
from megasolve.contracts.files.settings import Setting
from megasolve.contracts.model.base import Tree
from megasolve.simulate import Objective

from ..robust.result import Robustness
from ..select.result import BatchResult
from .category import Category
from .saving import RegionSaving


@dataclass(frozen=True, slots=True)
class Change:
    """Between the batches *last* and *first* another design becomes the best: two batches that bracket it, and nothing between them."""

    last: int
    first: int
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BatchSweep:
    """The plan for one objective at every batch, smallest first, where its winner changes, and what each megakernel saves."""

    objective: Objective
    results: tuple[BatchResult, ...]
    changes: tuple[Change, ...]
    savings: tuple[RegionSaving, ...]
    category: Category


@dataclass(frozen=True, slots=True)
class FieldPoint:
    """The plan where the field has this *value*."""

    value: Tree
    result: BatchResult


@dataclass(frozen=True, slots=True)
class FieldChange:
    """The designs *before* are the best at the value *last*, those *after* at *first*; *is_exact* where no value lies between the two."""

    last: Tree
    first: Tree
    before: tuple[str, ...]
    after: tuple[str, ...]
    is_exact: bool


@dataclass(frozen=True, slots=True)
class FieldSweep:
    """The plan at one batch for one objective over values of the field at *path*, which is *now* so (None: nothing, or several values)."""

    path: str
    now: Tree
    batch: int
    objective: Objective
    points: tuple[FieldPoint, ...]
    changes: tuple[FieldChange, ...]


@dataclass(frozen=True, slots=True)
class FieldTurns:
    """Where the answer at *batch* turns as the field at *path*, which is *now* so, falls and grows; None where it does not.

    It was followed over *within*: as far as its file may have it, at most.
    """

    path: str
    batch: int
    objective: Objective
    now: Tree
    best: tuple[str, ...]
    below: FieldChange | None
    above: FieldChange | None
    within: tuple[Tree, Tree]


@dataclass(frozen=True, slots=True)
class Sweep:
    """What `sweep` returns: for each objective one sweep over the batches or, for each batch as well, one over the values of a field."""

    spec: str
    device: str
    batches: tuple[BatchSweep, ...] = ()
    fields: tuple[FieldSweep, ...] = ()
    robustness: tuple[Robustness, ...] = ()
    without: tuple[str, ...] = ()
    outside: tuple[OutsideTime, ...] = ()
    settings: tuple[Setting, ...] = ()

    @property
    def is_feasible(self) -> bool:
        """Whether any plan of it has a design."""
        results = [result for one in self.batches for result in one.results]
        return any(result.ranking for result in (*results, *(point.result for one in self.fields for point in one.points)))
