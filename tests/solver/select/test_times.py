"""Scores are exact, so that near ones differ and equal ones tie; cases from the field."""

from __future__ import annotations

import pytest

from megasolve.contracts import PS_PER_US
from tests.support.planning.answers import first
from tests.support.planning.studies import Fields, conventional, group, megakernel, record, spec, study


@pytest.mark.parametrize(("unit_us", "is_tie"), [(1, False), (1000, True)])
def test_c67_times_in_whole_milliseconds_would_tie_what_exact_times_rank(unit_us: int, is_tie: bool) -> None:
    layers_us = (276, 316)
    assert (len({us // unit_us for us in layers_us}) == 1) is is_tie
    separate, combined = (looping_layer(entry) for entry in ("separate", "combined"))
    known = [record(separate, "D", layers_us[0]), record(combined, "D", layers_us[1])]
    layers = [group("D", "producer", calls=16)]
    scores = [
        first(study(spec(layers, publication={"group": "D", "step": 1}), [one], [its])).ranking[0].score_ps
        for one, its in zip((separate, combined), known, strict=True)
    ]
    assert scores == [4416 * PS_PER_US, 5056 * PS_PER_US]
    assert round(scores[1] / scores[0], 3) == 1.145


def looping_layer(entry: str) -> Fields:
    return megakernel("D", entry=entry, host_us=0, loops_on_device=True)


def test_c70_ten_steps_of_a_tenth_are_one_and_a_tie_is_a_tie() -> None:
    steps, once = conventional("B"), conventional("C")
    stage = megakernel("B", "C", host_us=0, loops_on_device=True)
    known = [record(steps, "B", 0.1), record(once, "C", 1), record(stage, "B", 0.1), record(stage, "C", 1)]
    asked = study(spec([group("B", "producer"), group("C", "consumer")], stream={"first_chunk": 10}), [steps, once, stage], known)
    result = first(asked)
    assert {row.score_ps for row in result.ranking} == {2 * PS_PER_US}
    assert len(result.best) == 3
    assert 0.1 + 0.1 + 0.1 != 0.3
