"""Scores in many worlds are, in each of them, what the exact engine says there."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from megasolve.simulate import Composition, Objective, Score, Service, Work, score
from megasolve.simulate.predict.worlds.many import Many, as_duration
from megasolve.simulate.predict.worlds.scores import scores
from tests.support.simulation.compositions import compositions

WORLDS = 5


def other_times(drawn: Composition, random: Random) -> tuple[list[Composition], Composition]:
    """Return *drawn* with other times in each of some worlds, and the same as one composition."""
    services = [(key, place, one) for key, work in drawn.works.items() for place, one in _services(work)]
    times = {(key, place): [_other(one, random) for _ in range(WORLDS)] for key, place, one in services}

    def timed(world: int | None) -> Composition:
        works = {}
        for key, work in drawn.works.items():
            found = []
            for place, one in _services(work):
                each = times[key, place]
                ps = as_duration(Many(np.array(each, dtype=float))) if world is None else each[world]
                found.append(replace(one, duration_ps=ps))
            works[key] = replace(work, services=tuple(found))
        return replace(drawn, works=works)

    return [timed(world) for world in range(WORLDS)], timed(None)


def _services(work: Work) -> list[tuple[int, Service]]:
    return list(enumerate(work.services))


def _other(service: Service, random: Random) -> int:
    # A launch of several kernels is split into whole picoseconds in the exact engine, and evenly here.
    return max(round(service.duration_ps * random.choice((0.1, 0.9, 1, 1.1, 7))), 1) * service.launches


@pytest.mark.parametrize("objective", Objective)
@given(st.data())
def test_each_world_has_the_exact_score(objective: Objective, data: st.DataObject) -> None:
    drawn = data.draw(compositions())
    if objective is not Objective.FIRST_PUBLICATION and not (drawn.producers and (drawn.consumers or objective is Objective.PRODUCER_STEP)):
        return
    worlds, together = other_times(drawn, Random(data.draw(st.integers(0, 2**32))))
    expected = [score(one, objective) for one in worlds]
    exact = [float(one.value_ps) if isinstance(one, Score) else None for one in expected]
    found = scores(together, objective, WORLDS)
    for one, other in zip(exact, found, strict=True):
        assert one is None or other == pytest.approx(one, rel=1e-9, abs=1e-6)
