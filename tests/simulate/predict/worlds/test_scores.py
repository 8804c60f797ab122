"""Scores in many worlds are, in each of them, what the exact engine says there."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.simulate import Composition, Deadlock, Objective, Phase, Score, Service, Sharing, Work, score
from megasolve.simulate.predict.scoring import value_ps
from megasolve.simulate.predict.worlds import singly
from megasolve.simulate.predict.worlds.many import Many, as_duration
from megasolve.simulate.predict.worlds.scores import scores
from megasolve.simulate.predict.worlds.singly import bounds
from tests.support.simulation.compositions import compositions
from tests.support.simulation.vocoder import vocoder

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


@pytest.mark.parametrize("objective", Objective)
@pytest.mark.parametrize("sharing", [Sharing.PARTITION, Sharing.STREAMS])
@settings(max_examples=15)
@given(st.data())
def test_no_score_is_below_its_bound_and_only_those_that_may_matter_are_simulated(
    sharing: Sharing, objective: Objective, data: st.DataObject
) -> None:
    drawn = data.draw(compositions(sharing=sharing))
    worlds, together = other_times(drawn, Random(data.draw(st.integers(0, 2**32))))
    values = [value_ps(one, objective) for one in worlds]
    assert values == [scored.value_ps if isinstance(scored := score(one, objective), Score) else scored for one in worlds]
    exact = np.array([float(one) for one in values if not isinstance(one, Deadlock)])
    if len(exact) < WORLDS:
        return
    least = bounds(together, objective, WORLDS)
    assert (least * (1 - 1e-9) <= exact).all()
    at_most = np.sort(exact)[[1] * WORLDS]
    found = scores(together, objective, WORLDS, at_most)
    assert ((found == exact) | ((found > at_most) & (found <= exact))).all()


def test_equal_worlds_are_simulated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Composition] = []

    def counted(composition: Composition, objective: Objective, **more: Any) -> int | Fraction | float | Deadlock:
        asked.append(composition)
        return value_ps(composition, objective, **more)

    monkeypatch.setattr(singly, "value_ps", counted)
    one = vocoder(44, 44)
    work = one.works["C", Phase.STREAM]
    (service,) = work.services
    times = np.array([3.2e9, 4.8e9, 3.2e9, 3.2e9, 4.8e9])
    varied = replace(work, services=(replace(service, duration_ps=as_duration(Many(times))),))
    found = scores(replace(one, works={**one.works, ("C", Phase.STREAM): varied}), Objective.FIRST_PUBLICATION, 5)
    assert found.tolist() == [31.7e9, 33.3e9, 31.7e9, 31.7e9, 33.3e9]
    assert len(asked) == 2
