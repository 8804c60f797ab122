"""How one entry stands in a ranking: where it wins, where it loses, and what keeps it out."""

from __future__ import annotations

from dataclasses import dataclass

from megasolve.contracts import Contract
from megasolve.simulate.plan.cause import Cause


@dataclass(frozen=True, slots=True)
class LeftOut:
    """One cause that keeps an entry out of candidates: of *ranked* ones, which stand with other entries, and of *excluded* ones."""

    cause: Cause
    ranked: int
    excluded: int


@dataclass(frozen=True, slots=True)
class EntryStanding:
    """One entry: *stands_in* lists the ranked candidates that are at their best with it, *slower_in* counts those that are not.

    *left_out_of* counts the candidates that *left_out* keeps it out of.
    """

    contract: Contract
    stands_in: tuple[str, ...]
    slower_in: int
    left_out_of: int
    left_out: tuple[LeftOut, ...]

    @property
    def entry(self) -> str:
        """The entry's name."""
        return self.contract.entry

    @property
    def hidden(self) -> tuple[LeftOut, ...]:
        """The causes that keep it out of ranked candidates, which therefore appear under no exclusion."""
        return tuple(one for one in self.left_out if one.ranked)
