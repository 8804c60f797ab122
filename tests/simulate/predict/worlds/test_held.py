"""Kernels beside a megakernel that stays: every score is in the interval that all worlds are worked out to at once."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.simulate import Capacity, Composition, Deadlock, KernelGrid, Objective, Phase, Schedule, SecondStream, Service, Sharing, Work
from megasolve.simulate.predict.scoring import value_ps
from megasolve.simulate.predict.worlds.held import is_held
from megasolve.simulate.predict.worlds.scores import least_and_most
from tests.simulate.predict.worlds.test_scores import WORLDS, other_times
from tests.support.simulation.compositions import composition, costs, graphed, megakernel, streamed

HELD, US = 88, 10**6


@st.composite
def beside_a_megakernel(draw: st.DrawFn) -> Composition:
    """Draw a producer in one megakernel and a consumer of kernels, some narrow and some of several waves."""

    def work(group: str, most: int, grid: KernelGrid | None) -> Work:
        ps = draw(st.integers(1, 30)) * US
        cost = draw(costs())
        one = Service(group, ps, draw(st.integers(0, 2 * ps)), draw(st.integers(1, most)), cost, grid)
        return Work(group, draw(st.integers(1, 2)), (one,))

    grid = KernelGrid(draw(st.sampled_from((1, 44, 66, 132, 200, 400))), draw(st.integers(1, 2)), 132)
    works = {("B", phase): replace(work("B", 1, None), calls=1) for phase in (Phase.WHOLE, Phase.STREAM)}
    works |= {("P", Phase.WHOLE): work("P", 1, None), ("C", Phase.WHOLE): work("C", 9, None), ("C", Phase.STREAM): work("C", 9, grid)}
    ready = draw(st.integers(1, 3))
    schedule = Schedule(ready, ready + draw(st.integers(0, 2)))
    regions = (graphed("P"), replace(megakernel("B", dispatch=draw(costs())), sms=HELD), draw(st.sampled_from((graphed, streamed)))("C"))
    drawn = composition(regions, "P B C", schedule, Sharing.STREAMS, works, capacity=Capacity(132, HELD, 44))
    return replace(drawn, second_stream=SecondStream(*(draw(st.booleans()) for _ in range(3))))


@settings(max_examples=40)
@given(beside_a_megakernel(), st.integers(0, 2**32))
def test_every_score_is_in_its_interval(drawn: Composition, seed: int) -> None:
    assert is_held(drawn)
    worlds, together = other_times(drawn, Random(seed))
    low, high = least_and_most(together, Objective.FIRST_PUBLICATION, WORLDS)
    for world, least, most in zip(worlds, low, high, strict=True):
        exact = value_ps(world)
        assert not isinstance(exact, Deadlock)
        assert least <= exact <= most
        # It is known to far less than a percent, or not at all: where kernels may begin before the megakernel does.
        assert np.isinf(most) or most - least < max(float(exact) / 1_000, US)


def test_the_interval_of_kernels_behind_the_megakernel_is_narrow() -> None:
    one = Service("B", 50 * US, 25 * US), Service("C", 20 * US, 10 * US, 4, grid=KernelGrid(132, 1, 132))
    works = {
        (group, phase): Work(group, 1, (each,)) for group, each in zip("BC", one, strict=True) for phase in (Phase.WHOLE, Phase.STREAM)
    }
    regions = (replace(megakernel("B"), sms=HELD), graphed("C"))
    drawn = composition(regions, "- B C", Schedule(1, 1), Sharing.STREAMS, works, capacity=Capacity(132, HELD, 44))
    asked = replace(drawn, second_stream=SecondStream(waits_for_stream=True))
    low, high = least_and_most(asked, Objective.FIRST_PUBLICATION, 1)
    exact = value_ps(asked)
    assert not isinstance(exact, Deadlock)
    assert low[0] <= exact <= high[0] < low[0] + 1_000
