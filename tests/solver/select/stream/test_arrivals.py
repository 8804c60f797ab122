"""A queue in front of a design, against the closed form of one server with fixed service and random arrivals (M/D/1)."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from megasolve.contracts import Study
from megasolve.report import solve_json
from megasolve.simulate import Objective
from megasolve.solver import solve
from megasolve.solver.select.stream.arrivals import queue_in_front
from tests.support.planning.studies import Fields, conventional, group, record, spec, study

MS = 10**9


@pytest.mark.parametrize("utilization", [Fraction(1, 20), Fraction(1, 2), Fraction(4, 5), Fraction(9, 10)])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_queue_agrees_with_the_closed_form(utilization: Fraction, seed: int) -> None:
    service_ps = 160 * MS
    queue = queue_in_front(utilization * 10**12 / service_ps, service_ps, seed=seed)
    assert queue.utilization == utilization
    assert queue.busy is not None
    assert queue.added_ps is not None
    assert queue.busy.holds(float(utilization))
    assert queue.added_ps.holds(float(utilization * service_ps / (2 * (1 - utilization))))
    assert queue.exact_added_ps == pytest.approx(float(utilization * service_ps / (2 * (1 - utilization))))


def test_the_recursion_is_the_one_of_lindley() -> None:
    # Three requests of 10 ps each at random instants: redone one by one with the same times between.
    import numpy as np

    count = 4096
    between = np.random.default_rng(7).exponential(12.0, count - 1)
    wait, waits = 0.0, [0.0]
    for one in between:
        wait = max(0.0, wait + 10.0 - one)
        waits.append(wait)
    queue = queue_in_front(Fraction(10**12, 12), 10, requests=count, seed=7)
    assert queue.added_ps is not None
    kept = np.array_split(np.array(waits[count // 8 :]), 64)
    assert queue.added_ps.mean == pytest.approx(float(np.mean([one.mean() for one in kept])), rel=1e-9)


def speaking(requests_per_s: float | None, **stream: Any) -> Study:
    """A prefill of 20 ms, steps of 5 ms, decoding in 3 ms for each frame of 80 ms: 2 frames at first, then one by one."""
    contracts = [conventional("P"), conventional("B"), conventional("C")]
    known = [record(one, one["members"][0], time) for one, time in zip(contracts, (20_000, 5_000, 3_000), strict=True)]
    schedule = {"first_chunk": 2, "next_chunk": 1, "frame_us": 80_000, "length_steps": 17, **stream}
    groups = [group("P", "admission"), group("B", "producer"), group("C", "consumer")]
    more: Fields = {} if requests_per_s is None else {"arrivals": {"requests_per_s": requests_per_s}}
    return study(spec(groups, stream=schedule, policies=["serial"], **more), contracts, known)


@pytest.mark.parametrize("objective", [Objective.FIRST_PUBLICATION, Objective.CHUNK_INTERVAL])
def test_a_request_takes_its_first_chunk_and_all_later_ones(objective: Objective) -> None:
    # 20 + 2 * 5 + 3, and 15 later chunks of 5 + 3: 153 ms, of which two a second are 30.6 % of the GPU.
    (batch,) = solve(speaking(2), objective=objective).results
    (said,) = (note for note in batch.notes if note.startswith("simulated arrivals"))
    assert "2 requests per second" in said
    assert "153.000 ms of the GPU" in said
    assert "in closed form 30.6 % and" in said.replace("%", " %")


def test_requests_that_come_faster_than_they_are_served_never_end() -> None:
    (said,) = (note for note in solve(speaking(7)).results[0].notes if "faster" in note)
    assert "are 1.071 of what there is (1 or more): the queue grows without end" in said


def test_without_the_length_of_a_request_no_queue_is_simulated() -> None:
    (said,) = (note for note in solve(speaking(2, length_steps=None)).results[0].notes if "queue" in note)
    assert "stream.length_steps" in said


def test_without_arrivals_nothing_is_said() -> None:
    result = solve(speaking(None))
    assert not any("arrivals" in note or "queue" in note for note in result.results[0].notes)
    assert "arrivals" not in json.loads(solve_json(result))["results"][0]
