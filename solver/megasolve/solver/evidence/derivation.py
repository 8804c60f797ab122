"""How times that nobody recorded are derived from the programs in the contracts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from megasolve.simulate.expand.setup import Mechanisms

from ..pool.executor import Executor
from .cache import Cache

Made: TypeAlias = Literal["calibrations", "times", "plans", "regions"]


@dataclass(frozen=True, slots=True)
class Stage:
    """How far a command is: *done* things *of* all that have to be made now, and what they are."""

    what: Made
    done: int
    of: int


Watch: TypeAlias = Callable[[Stage], None]


@dataclass(frozen=True, slots=True)
class Derivation:
    """How times that nobody recorded are derived: which *mechanisms* are on, and where derived values are kept, if anywhere.

    Those that are asked for together are derived by *pool*, if there is one, and *watch* is told of each. Neither goes along to another
    process, which works for that pool already.
    """

    mechanisms: Mechanisms = field(default_factory=Mechanisms)
    cache: Cache | None = None
    pool: Executor | None = None
    watch: Watch | None = None

    def __reduce__(self) -> tuple[type[Derivation], tuple[Mechanisms, Cache | None]]:
        return Derivation, (self.mechanisms, self.cache)

    def tell(self, what: Made, done: int, of: int) -> None:
        """Tell who watches that so many are done."""
        if self.watch:
            self.watch(Stage(what, done, of))

    def planned(self, done: int, of: int) -> None:
        """Tell who watches that so many plans are made."""
        self.tell("plans", done, of)

    @property
    def off(self) -> tuple[str, ...]:
        """The names of the mechanisms that are off."""
        return self.mechanisms.off
