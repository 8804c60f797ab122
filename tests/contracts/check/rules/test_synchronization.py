"""Rules about synchronization: cases from the field."""

from __future__ import annotations

from megasolve.contracts.check.rules import synchronization
from tests.support.planning.launches import megakernel


def test_c21_a_grid_barrier_that_ctas_meet_unequally_often_is_a_deadlock() -> None:
    entry = megakernel(synchronization={"kind": "grid_barrier", "barriers_per_cta": (4, 7, 7, 2)})
    (fault,) = synchronization.equal_barriers(entry)
    assert fault.rule.code == "SYN-01"
    assert fault.message == (
        "CTAs meet the grid barrier 4, 7, 7, 2 times: a deadlock; every CTA meets it 7 times, and each pays for 7, not for the mean"
    )
    legal = megakernel(synchronization={"kind": "grid_barrier", "barriers_per_cta": (7, 7, 7, 7)})
    assert list(synchronization.equal_barriers(legal)) == []
