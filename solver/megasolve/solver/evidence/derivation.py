"""How times that nobody recorded are derived from the programs in the contracts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from megasolve.simulate.expand.setup import Mechanisms

from ..pool.pool import ProcessPool
from .cache import Cache


@dataclass(frozen=True, slots=True)
class Stage:
    """How far deriving is: *done* values *of* all that have to be simulated now, and what they are."""

    what: Literal["calibrations", "times"]
    done: int
    of: int


Watch: TypeAlias = Callable[[Stage], None]


@dataclass(frozen=True, slots=True)
class Derivation:
    """How times that nobody recorded are derived: which *mechanisms* are on, and where derived values are kept, if anywhere.

    Those that are asked for together are derived in the processes of *pool*, if there is one, and *watch* is told of each.
    """

    mechanisms: Mechanisms = field(default_factory=Mechanisms)
    cache: Cache | None = None
    pool: ProcessPool | None = None
    watch: Watch | None = None

    @property
    def off(self) -> tuple[str, ...]:
        """The names of the mechanisms that are off."""
        return self.mechanisms.off
