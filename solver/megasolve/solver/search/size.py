"""Size: how large a space is, counted without listing any of it, and whether it is ranked whole or searched."""

from __future__ import annotations

from dataclasses import dataclass

from megasolve.contracts import Spec, Study
from megasolve.simulate.plan.budgets import planned_spec
from megasolve.simulate.plan.counting import count_candidates
from megasolve.simulate.plan.region_graph import region_graph

from ..evidence.asking import SpaceTooLarge, refuse_wide_graph
from .variants import ways_of

MOST_CANDIDATES = 2_000
MOST_VARIANTS = 10_000
MOST_ON_DEMAND = 100_000
MOST_VARIANTS_ON_DEMAND = 1_000_000


@dataclass(frozen=True, slots=True)
class Size:
    """How many candidates and variants a space has."""

    candidates: int
    variants: int

    @property
    def is_small(self) -> bool:
        """Whether the space is ranked whole without being asked for it."""
        return self.candidates <= MOST_CANDIDATES and self.variants <= MOST_VARIANTS


def size_of(study: Study) -> Size:
    """Return the size of the space of *study*.

    Raises
    ------
    SpaceTooLarge
        Its region graph is too wide to list its regions.
    """
    return planned_size(study, planned_spec(study))


def planned_size(study: Study, spec: Spec) -> Size:
    """Return what `size_of` does where the planned spec of *study* is known."""
    refuse_wide_graph(spec)
    graph = region_graph(spec)
    return Size(count_candidates(graph, spec), count_candidates(graph, spec, ways_of(study).of))


def refuse_whole(size: Size) -> None:
    """Refuse to rank a space whole that is too large for it even on demand.

    Raises
    ------
    SpaceTooLarge
        It has too many candidates or variants.
    """
    limits = (("candidates", size.candidates, MOST_ON_DEMAND), ("variants", size.variants, MOST_VARIANTS_ON_DEMAND))
    for what, count, most in limits:
        if count > most:
            raise SpaceTooLarge(
                f"{count:,} {what} > {most:,} that can be ranked whole; without --all the best designs are searched and proven"
            )
