"""How times that nobody recorded are derived from the programs in the contracts."""

from __future__ import annotations

from dataclasses import dataclass, field

from megasolve.simulate.expand.setup import Mechanisms

from .cache import Cache


@dataclass(frozen=True, slots=True)
class Derivation:
    """How times that nobody recorded are derived: which *mechanisms* are on, and where derived values are kept, if anywhere."""

    mechanisms: Mechanisms = field(default_factory=Mechanisms)
    cache: Cache | None = None

    @property
    def off(self) -> tuple[str, ...]:
        """The names of the mechanisms that are off."""
        return self.mechanisms.off
