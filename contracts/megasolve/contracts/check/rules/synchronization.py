"""Rules about synchronization: how the CTAs of a launch meet."""

from __future__ import annotations

from collections.abc import Iterator

from ...model.contract import Contract
from ...model.findings import Fault
from ...model.rules import rule
from ..subjects import CONTRACT
from .wording import listed


@rule("SYN-01", "unequal-barriers", "Every CTA meets a grid barrier equally often.", on=CONTRACT)
def equal_barriers(contract: Contract) -> Iterator[Fault]:
    """A CTA that has left the loop never arrives, and the others wait for it for ever."""
    synchronization = contract.synchronization
    if synchronization is None or synchronization.kind != "grid_barrier":
        return
    counts = synchronization.barriers_per_cta
    if len(set(counts)) > 1:
        message = (
            f"CTAs meet the grid barrier {listed(counts)} times: a deadlock; every CTA meets it {max(counts)} times, "
            f"and each pays for {max(counts)}, not for the mean"
        )
        yield Fault(equal_barriers, ("synchronization", "barriers_per_cta"), message)


@rule("SYN-03", "barriers-without-barrier", "Only a grid barrier has a count per CTA.", on=CONTRACT)
def barriers_belong_to_a_barrier(contract: Contract) -> Iterator[Fault]:
    """A count per CTA beside another kind of synchronization leaves open which of the two is meant."""
    synchronization = contract.synchronization
    if synchronization is not None and synchronization.barriers_per_cta and synchronization.kind != "grid_barrier":
        message = f"barriers_per_cta with kind '{synchronization.kind}'; remove the counts, or is the kind 'grid_barrier'?"
        yield Fault(barriers_belong_to_a_barrier, ("synchronization", "barriers_per_cta"), message, at_key=True)
