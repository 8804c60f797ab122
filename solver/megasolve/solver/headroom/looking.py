"""One row of headroom: a region, launched in one way, with everything that is said of it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from megasolve.simulate.plan.region_graph import Groups

from ..optimize.space.arcs import Ps
from .facts.against import Against
from .facts.floor import Floor
from .facts.today import Today
from .supposition import Supposition
from .trying.break_even import BreakEven
from .verdict import Judged


@dataclass(frozen=True, slots=True)
class Headroom:
    """What the region of *groups* could save.

    *launched* says how often it would be launched where it could be both ways. *saves_ps* is what the score of the best design would
    fall by if the region took no longer than its floor, and *at_kernels_ps* if it took what its kernels take today. *supposed* is what
    somebody assumes of an entry for it, and *with_waits_ps* the floor with one wait between each two stages.
    """

    groups: Groups
    launched: str
    today: Today
    floor: Floor
    break_even: BreakEven
    judged: Judged
    saves_ps: Ps
    at_kernels_ps: Ps
    against: Against
    with_waits_ps: int | None = None
    supposed: Supposition | None = None

    @property
    def region(self) -> str:
        """The region as ids have it."""
        return f"m:{'+'.join(self.groups)}"

    @property
    def order(self) -> tuple[Fraction, Fraction, int, Groups, str]:
        """What puts rows into order: what it saves at most, then what it saves at today's kernel times, smaller regions first."""
        return -Fraction(self.saves_ps), -Fraction(self.at_kernels_ps), len(self.groups), self.groups, self.launched
