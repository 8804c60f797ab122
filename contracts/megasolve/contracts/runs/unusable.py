"""What makes measured files unusable: all of it at once, each with its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..model.base import Place
from ..model.errors import MegasolveError

MOST_SHOWN = 50


@dataclass(frozen=True, slots=True, order=True)
class RunFault:
    """What is wrong with one row of a file; *place* has column 1 where the row as a whole is meant."""

    place: Place
    message: str

    def __str__(self) -> str:
        return f"{self.place.file}:{self.place.line}: {self.message}"


class UnusableRuns(MegasolveError):
    """Measured files that judge nothing until they are repaired; *faults* has everything that is wrong with them."""

    def __init__(self, faults: Sequence[RunFault]) -> None:
        self.faults = tuple(faults)
        hidden = len(self.faults) - MOST_SHOWN
        more = [f"... and {hidden:,} more"] if hidden > 0 else []
        super().__init__("\n".join([*map(str, self.faults[:MOST_SHOWN]), *more]))
