"""Savings: what a megakernel saves over the kernels that it replaces, and what it costs, mechanism by mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from megasolve.simulate.events.arithmetic import whole

from ..select.times import Ps

LAUNCHES, TRAFFIC, WAVES, WAITS = "launches", "traffic", "waves", "waits"
SERVICE, OVERLAP, CONTENTION = "service", "overlap", "contention"
MECHANISMS = (LAUNCHES, SERVICE, TRAFFIC, WAVES, WAITS, OVERLAP, CONTENTION)
"""The order in which they are worked out: each is what the score falls by when it is added to all before it."""
OF_TILES = (TRAFFIC, WAVES, WAITS)


@dataclass(frozen=True, slots=True)
class Saving:
    """What the megakernel *entry* saves: the design *with_id* against *without_id*, the same without it.

    *parts* are the mechanisms in order, each with the time that it saves, negative where it costs some; those of tiles are only known of
    times that are derived. *fixed_ps* is what launching the megakernel costs. Saving less fixed is exactly the difference of the scores.
    """

    entry: str
    with_id: str
    with_ps: Ps
    without_id: str
    without_ps: Ps
    parts: tuple[tuple[str, Ps], ...]
    fixed_ps: Ps

    @property
    def saving_ps(self) -> Ps:
        """S(b): what all mechanisms save together."""
        return whole(sum((Fraction(ps) for _, ps in self.parts), Fraction(0)))

    @property
    def difference_ps(self) -> Ps:
        """S(b) - F: how much faster the design is with the megakernel; negative where it is slower."""
        return whole(Fraction(self.without_ps) - Fraction(self.with_ps))

    @property
    def pays(self) -> bool:
        """Whether the saving is larger than the fixed cost."""
        return self.difference_ps > 0


@dataclass(frozen=True, slots=True)
class RegionSaving:
    """The *saving* of a megakernel *region* at *batch*, None where nobody can say it, *because* of what."""

    batch: int
    region: str
    saving: Saving | None
    because: str = ""

    @property
    def pays(self) -> bool | None:
        """Whether the saving is larger than the fixed cost; None where nobody can say it."""
        return None if self.saving is None else self.saving.pays
