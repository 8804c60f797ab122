"""What a search knows at any time: designs that were simulated, and how far it is."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from megasolve.contracts import Rule
from megasolve.simulate import Sharing
from megasolve.simulate.plan.candidate import Candidate

from ..search.predicates import Variant
from ..select.goals.times import Times
from ..select.result import ParetoPoint
from ..select.searched import Ties
from .space.arcs import Arc, Ps
from .ways.walking import Key

# The times by which designs are ordered, first things first.
Order = tuple[Ps, ...]


@dataclass(frozen=True, slots=True)
class State:
    """How far a search is: no design that was not simulated is below *bound_ps*, and the K-th best known one has *kth_ps*."""

    bound_ps: Ps | None
    best_ps: Ps | None
    kth_ps: Ps | None
    simulated: int
    seconds: float
    is_last: bool = False

    @property
    def gap(self) -> Fraction | None:
        """How much better than the best known design another one could be, relative to it; None without one."""
        if self.best_ps is None:
            return None
        if self.bound_ps is None or self.bound_ps >= self.best_ps:
            return Fraction(0)
        return 1 - Fraction(self.bound_ps) / Fraction(self.best_ps)


Watch = Callable[[State], None]


@dataclass(frozen=True, slots=True)
class Hit:
    """A design that was simulated: its times, its first candidate with its best entries, and how many candidates it has."""

    order: Order
    key: tuple[Key, int]
    candidate: Candidate
    variant: Variant
    times: Times
    design: tuple[tuple[Hashable, ...], ...]
    candidates: int
    ways: tuple[tuple[int, tuple[Arc, ...]], ...]

    @property
    def score_ps(self) -> Ps:
        """The time that orders before all others."""
        return self.order[0]


def in_variant_order(hit: Hit) -> tuple[Order, tuple[tuple[str, ...], ...]]:
    """Return what orders the variants of one candidate, the best one first."""
    return hit.order, tuple(choice.entries for choice in hit.variant)


def told_apart(hits: Iterable[Hit]) -> Iterator[Hit]:
    """Yield the designs of *hits*, the best of each candidate, under their first candidates, and with how many they have."""
    designs: dict[Hashable, list[Hit]] = {}
    ordered = sorted(hits, key=lambda one: (one.order, one.key))
    serial = {(hit.candidate.cover, hit.order): hit.design for hit in ordered if hit.candidate.policy.sharing is Sharing.SERIAL}
    known = {*serial.values()}
    for hit in ordered:
        # Without a fork both are one design, even if of entries that tie another choice came up under each policy.
        is_other = hit.design not in known and _is_unforked(hit)
        design = serial.get((hit.candidate.cover, hit.order), hit.design) if is_other else hit.design
        designs.setdefault(design, []).append(hit)
    yield from (replace(same[0], candidates=len(same)) for same in designs.values())


def _is_unforked(hit: Hit) -> bool:
    """Whether nothing of a design on two streams inside of roles runs on the second one."""
    return hit.candidate.policy.is_inside and all(key[0] == "serial" for key in hit.design)


@dataclass(frozen=True, slots=True)
class OverLimit:
    """A candidate whose designs pass a limit, with how many candidates these are, and by how much."""

    rule: Rule
    candidates: int
    id: str
    because: str


@dataclass(frozen=True, slots=True)
class Found:
    """What a hunt ends with: designs, best first. *is_proven* says that they are the K least scores, and that the *front* is one.

    *over* are candidates that were simulated and pass a limit.
    """

    hits: tuple[Hit, ...]
    state: State
    is_proven: bool
    ties: Ties
    front: tuple[ParetoPoint, ...] = ()
    over: tuple[OverLimit, ...] = ()
