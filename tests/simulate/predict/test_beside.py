"""Partitions by hand and against the words of the method: two sides, each a serial order of its own, that share host and bandwidth."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from megasolve.simulate import (
    Composition,
    Deadlock,
    Detail,
    Objective,
    Score,
    Sharing,
    lower,
    score,
)
from megasolve.simulate.predict.bound import longest_path_ps
from tests.support.judges.literal_schedule import first_publication, steady
from tests.support.simulation.compositions import compositions


def scored(asked: Composition, objective: Objective = Objective.FIRST_PUBLICATION, detail: Detail = Detail.COMPACT) -> Score:
    found = score(asked, objective, detail=detail)
    assert not isinstance(found, Deadlock)
    return found


@settings(max_examples=80)
@given(compositions(sharing=Sharing.PARTITION))
def test_two_sides_are_the_launches_that_the_method_writes_down(asked: Composition) -> None:
    for detail in Detail:
        assert scored(asked, detail=detail).value_ps == first_publication(asked)


@pytest.mark.parametrize("objective", [Objective.PRODUCER_STEP, Objective.CHUNK_INTERVAL])
@settings(max_examples=30)
@given(compositions(sharing=Sharing.PARTITION))
def test_a_cycle_begins_with_both_sides(objective: Objective, asked: Composition) -> None:
    for detail in Detail:
        assert scored(asked, objective, detail=detail).value_ps == steady(asked, objective)


@settings(max_examples=30)
@given(compositions(sharing=Sharing.PARTITION))
def test_no_score_is_below_its_longest_path(asked: Composition) -> None:
    assert scored(asked).value_ps >= longest_path_ps(lower(asked))
