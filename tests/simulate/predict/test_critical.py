"""The critical path and the two branches that a publication waits for, by hand."""

from __future__ import annotations

import pytest

from megasolve.simulate import Schedule, Sharing, branches, critical_path
from tests.support.simulation.compositions import composition, megakernel, work, works
from tests.support.simulation.four_groups import WHOLE, four, scored


def test_memory_traffic_on_both_sides_slows_both() -> None:
    regions = (megakernel("P"), megakernel("B", "L"), megakernel("C"))
    spent = works(WHOLE, (work("B", 40, hbm_bytes=40), work("L", 10), work("C", 100, hbm_bytes=100)))
    asked = composition(regions, "P BL C", Schedule(2, 3), Sharing.DYNAMIC, spent)
    # Both ask for all of the bandwidth: at half the rate B takes 80 and C has done 40; then C's other 60 run alone.
    assert scored(asked).value_ps == 180 + 80 + 60
    contended = [segment for segment in critical_path(scored(asked)) if segment.is_contention]
    assert [(segment.label, segment.elapsed_ps) for segment in contended] == [("C slowed by memory traffic beside it", 40)]


def test_the_branches_of_a_split_say_who_waits_and_how_long() -> None:
    asked = four(megakernel("P"), megakernel("B", "L"), megakernel("C"), sharing=Sharing.DYNAMIC)
    found = branches(asked, scored(asked))
    assert found is not None
    assert (found.bound_by, found.slack_ps) == ("consumer", 80 - 60)


def test_the_branches_of_a_serial_order_say_when_step_h_ended() -> None:
    asked = four(megakernel("P"), megakernel("B", "L"), megakernel("C"))
    found = branches(asked, scored(asked))
    assert found is not None
    assert (found.horizon_ps, found.chunk_ps, found.bound_by) == (220, 280, "consumer")


@pytest.mark.parametrize("horizon", [3, 4, 6])
def test_the_branches_of_a_relaunched_producer_are_not_confused(horizon: int) -> None:
    asked = four(megakernel("P"), megakernel("B", "L", loops=False), megakernel("C"), sharing=Sharing.DYNAMIC, horizon=horizon)
    found = branches(asked, scored(asked))
    assert found is not None
    assert (found.horizon_ps, found.chunk_ps) == (180 + 60 * (horizon - 2), 180 + 80)
