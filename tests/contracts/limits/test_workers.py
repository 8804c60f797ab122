"""What one worker has: here the bytes that its loads have under way."""

from __future__ import annotations

from typing import Any

import pytest

from megasolve.contracts import load_spec
from megasolve.contracts.limits.workers import in_flight_bytes, unknown_l2, unlimited_loads
from tests.support.planning.operators import HEAD, contract_with
from tests.support.planning.studies import SPECS

TILED = "geometry: {rows_per_tile: 128, columns_per_tile: 64, depth_per_stage: 64, stages: 4}\n"


def under_way(more: str, operator: str = "name: a, kind: explicit, tiles: 1, compute_us: 1") -> Any:
    return in_flight_bytes(contract_with(f"    - operators: [{{{operator}}}]\n", head=HEAD + more))


def test_bytes_under_way_are_what_the_contract_states_and_without_it_there_is_no_limit() -> None:
    assert under_way("in_flight_bytes: 30720\n") == 30_720
    assert under_way(TILED) is None


@pytest.mark.parametrize(
    ("widths", "expected"),
    [("", 4 * 64 * (128 * 2 + 64 * 2)), (", element_bytes: 2, weight_element_bytes: 1", 4 * 64 * (128 * 2 + 64 * 1))],
)
def test_derived_they_are_the_slices_that_the_stages_hold(widths: str, expected: int) -> None:
    operator = "name: up, kind: matmul, shape: {m: 128, n: 64, k: 64}, compute_us: 1" + widths
    assert under_way("in_flight_bytes: derived\n" + TILED, operator) == expected
    assert under_way("in_flight_bytes: derived\n" + TILED.replace("stages: 4", "stages: 8"), operator) == 2 * expected


@pytest.mark.parametrize("geometry", ["", "geometry: {stages: 4}\n", TILED.replace("128", "large"), TILED.replace("128", "0")])
def test_what_the_geometry_does_not_say_is_not_guessed(geometry: str) -> None:
    assert under_way("in_flight_bytes: derived\n" + geometry) is None


@pytest.mark.parametrize("stated", ["in_flight_bytes: 30720\n", "in_flight_bytes: derived\n" + TILED])
def test_bytes_under_way_limit_nothing_where_the_device_states_no_latency(stated: str) -> None:
    program = "    - operators: [{name: a, kind: explicit, tiles: 1, compute_us: 1}]\n"
    known = load_spec(SPECS / "llama_1b.yaml").device.value
    contract, silent = contract_with(program, head=HEAD + stated), known.model_copy(update={"hbm_latency_ps": None})
    told = unlimited_loads(contract, silent)
    assert told == f"in_flight_bytes of '{contract.entry}' limits nothing: {known.name} states no hbm_latency_us to divide it by"
    assert unlimited_loads(contract, known) is None
    assert unlimited_loads(contract_with(program, head=HEAD), silent) is None


def test_nothing_stays_in_an_l2_whose_size_nobody_states() -> None:
    program = "    - operators: [{name: a, kind: explicit, tiles: 1, compute_us: 1}]\n"
    known = load_spec(SPECS / "llama_1b.yaml").device.value
    contract, silent = contract_with(program, head=HEAD + "stays_in_l2: [weights]\n"), known.model_copy(update={"l2_bytes": None})
    told = f"stays_in_l2 of '{contract.entry}' keeps nothing: {known.name} states no l2_bytes that it could fit"
    assert (unknown_l2(contract, silent), unknown_l2(contract, known)) == (told, None)
    assert unknown_l2(contract_with(program, head=HEAD), silent) is None
