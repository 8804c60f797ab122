"""Capacity by hand: the largest batch that is served in time, and by which design."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from megasolve.contracts import Study
from megasolve.report import solve_csv, solve_json, solve_markdown, solve_table
from megasolve.simulate import Objective
from megasolve.solver import StreamCapacity, solve
from tests.support.planning.studies import Fields, conventional, group, megakernel, record, spec, study


def serving(times_ms: dict[int, tuple[int, int]], **fields: Any) -> Study:
    """Steps of so many milliseconds by batch, in kernels and in a megakernel, and 10 ms of decoding; a frame plays for 80 ms."""
    kernels, mega, decoder = conventional("M"), megakernel("M", host_us=0, loops_on_device=True), conventional("D")
    known: list[Fields] = []
    for batch, (step, fused) in times_ms.items():
        known += [record(kernels, "M", 1000 * step, batch=batch), record(mega, "M", 1000 * fused, batch=batch)]
        known.append(record(decoder, "D", 10_000, batch=batch))
    stream = {"first_chunk": 1, "next_chunk": 1, "frame_us": 80_000}
    groups = [group("M", "producer"), group("D", "consumer")]
    asked = spec(groups, **{"stream": stream, "policies": ["serial"], "batches": list(times_ms), **fields})
    return study(asked, [kernels, mega, decoder], known)


GROWING = {1: (40, 30), 2: (60, 50), 4: (75, 65), 8: (120, 110)}


def test_the_capacity_is_the_largest_batch_that_some_design_serves() -> None:
    # At 4 the kernels need 85 ms for what plays 80, the megakernel 75; at 8 nothing keeps up.
    assert solve(serving(GROWING)).capacity == StreamCapacity(4, 4, "m:M/c:D@serial")


def test_a_row_says_its_real_time_factor_whatever_the_objective() -> None:
    for objective in ("first_publication", "producer_step", "chunk_interval"):
        batches = {one.batch: one for one in solve(serving(GROWING), objective=objective).results}
        factors = {row.id: row.playback.real_time_factor for row in batches[4].ranking if row.playback}
        assert (float(factors["m:M/c:D@serial"]), float(factors["c:M/c:D@serial"])) == (75 / 80, 85 / 80)
        assert {row.id: row.keeps_up for row in batches[4].ranking}["c:M/c:D@serial"] is False


def test_nothing_that_keeps_up_is_a_capacity_of_nothing() -> None:
    assert solve(serving({8: (120, 110)})).capacity == StreamCapacity(None, 0, None)


def test_a_limit_on_a_time_bounds_the_capacity() -> None:
    limited = serving(GROWING, constraints={"limits": {"first_publication_us": 62_000}})
    assert solve(limited).capacity == StreamCapacity(2, 2, "m:M/c:D@serial")


def test_without_frames_nothing_is_said_of_capacity() -> None:
    silent = serving(GROWING, stream={"first_chunk": 1, "next_chunk": 1})
    assert solve(silent).capacity is None
    assert "capacity" not in solve_json(solve(silent))


def test_every_form_of_the_result_says_it() -> None:
    result = solve(serving(GROWING))
    facts = json.loads(solve_json(result))
    assert facts["capacity"] == {"batch": 4, "streams": 4, "id": "m:M/c:D@serial"}
    row = facts["results"][2]["ranking"][0]
    assert (row["real_time_factor"], row["keeps_up"]) == ("0.937500", True)
    line = "capacity: 4 streams at once (the largest of the batches 1, 2, 4, 8), in m:M/c:D@serial"
    assert line in solve_table(result)
    assert line.split(",", maxsplit=1)[0] in solve_markdown(result)
    assert "real_time_factor,keeps_up" in solve_csv(result).splitlines()[0]


@pytest.mark.parametrize("batch", [1, 2])
def test_the_capacity_is_that_of_the_batches_that_are_asked_for(batch: int) -> None:
    found = solve(serving(GROWING), batches=[batch]).capacity
    assert found is not None
    assert found.batch == batch


def test_designs_are_told_by_how_many_streams_they_serve() -> None:
    result = solve(serving(GROWING), objective="capacity")
    assert [(one.id, one.batch, one.real_time_factor) for one in result.served] == [
        ("m:M/c:D@serial", 4, Fraction(75, 80)),
        ("c:M+D@serial", 2, Fraction(70, 80)),
    ]
    assert {one.objective for one in result.results} == {Objective.CHUNK_INTERVAL}
    facts = json.loads(solve_json(result))
    assert facts["by_capacity"][0] == {"id": "m:M/c:D@serial", "batch": 4, "streams": 4, "real_time_factor": "0.937500"}
    assert "designs by capacity:" in solve_table(result)
    assert "designs by capacity:" in solve_markdown(result)
    assert "by_capacity" not in json.loads(solve_json(solve(serving(GROWING))))


@pytest.mark.parametrize("stated", ["capacity", ["chunk_interval", "capacity"]])
def test_a_spec_may_ask_for_the_capacity_itself(stated: object) -> None:
    asked, said = solve(serving(GROWING, objective=stated)), solve(serving(GROWING), objective="capacity")
    assert asked.is_by_capacity
    assert (asked.served, asked.capacity) == (said.served, said.capacity)
    assert {one.objective for one in asked.results} == {Objective.CHUNK_INTERVAL}


def test_a_time_named_beside_the_capacity_ranks() -> None:
    result = solve(serving(GROWING, objective=["first_publication", "capacity"]))
    assert {one.objective for one in result.results} == {Objective.FIRST_PUBLICATION}
    assert result.served == solve(serving(GROWING), objective="capacity").served


def test_what_is_asked_for_replaces_what_the_spec_says() -> None:
    result = solve(serving(GROWING, objective="capacity"), objective="first_publication")
    assert not result.is_by_capacity
    assert {one.objective for one in result.results} == {Objective.FIRST_PUBLICATION}
    assert not solve(serving(GROWING, objective="capacity"), pareto=["first_publication", "chunk_interval"]).is_by_capacity
