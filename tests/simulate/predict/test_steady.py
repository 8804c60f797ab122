"""The steady objectives by hand: from step to step and from chunk to chunk."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from megasolve.simulate import Objective, Schedule, Sharing, critical_path
from tests.support.simulation.compositions import composition, cost, megakernel, work, works
from tests.support.simulation.four_groups import LAUNCH, SPLIT, WHOLE, four, scored


def test_a_step_of_a_serial_cycle_carries_its_share_of_the_chunk() -> None:
    asked = four(megakernel("P"), megakernel("B", "L", dispatch=LAUNCH), megakernel("C", dispatch=LAUNCH), steps=4)
    assert scored(asked, Objective.CHUNK_INTERVAL).value_ps == 1 + 4 * 40 + 1 + 60
    assert scored(asked, Objective.PRODUCER_STEP).value_ps == Fraction(1 + 4 * 40 + 1 + 60, 4)


def test_a_launch_that_never_ends_is_never_dispatched_in_a_cycle() -> None:
    asked = four(megakernel("P", "B", "L", "C", dispatch=LAUNCH), steps=4)
    assert scored(asked, Objective.CHUNK_INTERVAL).value_ps == 4 * 40 + 60


def test_a_cycle_is_as_slow_as_the_host_that_launches_it() -> None:
    ahead = cost(5, waits=False)
    regions = (megakernel("B", dispatch=ahead), megakernel("C", dispatch=ahead))
    asked = composition(regions, "- B C", Schedule(1, 1), Sharing.SERIAL, works((work("B", 1), work("C", 2))))
    assert scored(asked, Objective.CHUNK_INTERVAL).value_ps == 10


def test_a_steady_step_need_not_be_whole_picoseconds() -> None:
    asked = composition(
        (megakernel("B"), megakernel("C")), "- B C", Schedule(1, 1, None, 2), Sharing.SERIAL, works((work("B", 3), work("C", 5)))
    )
    found = scored(asked, Objective.PRODUCER_STEP)
    assert found.value_ps == Fraction(11, 2)
    assert sum(segment.elapsed_ps for segment in critical_path(found)) == Fraction(11, 2)


@pytest.mark.parametrize(("chunk", "interval"), [(500, 500), (100, 240)])
def test_a_split_in_steady_state_is_as_slow_as_its_slower_side(chunk: int, interval: int) -> None:
    regions = (megakernel("P"), megakernel("B", "L"), megakernel("C", dispatch=LAUNCH))
    spent = works(WHOLE, (*SPLIT[:3], work("C", chunk)))
    fixed = composition(regions, "P BL C", Schedule(2, 3, None, 4), Sharing.FIXED, spent)
    assert scored(fixed, Objective.CHUNK_INTERVAL).value_ps == interval
    assert scored(fixed, Objective.PRODUCER_STEP).value_ps == 60
    dynamic = replace(fixed, sharing=Sharing.DYNAMIC)
    assert scored(dynamic, Objective.CHUNK_INTERVAL).value_ps == max(240, chunk + 1)
