"""The worked tile schedules, from contract files: read, expanded and scheduled, with each mechanism on and off."""

from __future__ import annotations

import pytest

from megasolve.contracts import check_paths
from megasolve.contracts.limits.occupancy import register_limit
from megasolve.simulate.expand.expansion import expand
from megasolve.simulate.expand.setup import Mechanisms, device_rates, tile_machine
from tests.support.planning.launches import device
from tests.support.planning.operators import FIXTURES, contract_at, device_at
from tests.support.simulation.tile_programs import makespan_ns as tiles_makespan_ns

FOLDER = FIXTURES / "tile_examples"


def makespan_ns(row: str, workers: int, *off: str, device_name: str = "by_hand") -> float:
    """Return how long the entry of *row* takes on *workers* workers with the mechanisms named in *off* off."""
    contract, on_device = contract_at(FOLDER / f"{row}.yaml"), device_at(FOLDER / "devices" / f"{device_name}.yaml")
    mechanisms = Mechanisms().without(*off)
    (group,) = contract.programs
    program = expand(contract, group, {"batch": 1}, device_rates(contract, on_device, workers), mechanisms)
    return tiles_makespan_ns(program, tile_machine(contract, on_device, workers, mechanisms))


@pytest.mark.parametrize(
    ("row", "workers", "mechanism", "without_ns", "with_ns"),
    [
        ("readiness", 2, "readiness", 40, 30),
        ("prefetch", 1, "prefetch", 34, 28),
        ("prefetch_narrow", 1, "prefetch", 34, 34),
        ("prefetch_roomy", 1, "prefetch", 34, 28),
        ("prefetch_saturated", 2, "prefetch", 90, 90),
        ("prefetch_hurting", 2, "prefetch", 52, 91),
        ("forwarding", 1, "forwarding", 28, 20),
        ("registers", 1, "register_limit", 10, 12),
        ("geometry", 1, "one_geometry", 10, 12),
        ("synchronization", 1, "synchronization", 20, 26),
    ],
)
def test_a_mechanism_changes_its_row_by_the_figures_worked_out_by_hand(
    row: str, workers: int, mechanism: str, without_ns: int, with_ns: int
) -> None:
    assert (makespan_ns(row, workers, mechanism), makespan_ns(row, workers)) == (without_ns, with_ns)


@pytest.mark.parametrize(("row", "workers", "without_ns", "with_ns"), [("port_one", 1, 30, 50), ("port_two", 2, 50, 70)])
def test_the_port_of_an_sm_limits_what_its_tiles_load(row: str, workers: int, without_ns: int, with_ns: int) -> None:
    assert makespan_ns(row, workers, "port", device_name="by_hand_port") == without_ns
    assert makespan_ns(row, workers, device_name="by_hand_port") == with_ns
    assert makespan_ns(row, workers) == without_ns


@pytest.mark.parametrize(
    ("row", "workers", "expected_ns"),
    [
        ("budget_tiles", 4, 10),
        ("budget_tiles", 3, 20),
        ("budget_tiles", 2, 20),
        ("budget_tiles", 1, 40),
        ("budget_waves_132", 88, 50),
        ("budget_waves_133", 88, 30),
        ("budget_waves_133", 44, 50),
        ("opaque_pool", 2, 65),
    ],
)
def test_a_smaller_budget_takes_the_time_worked_out_by_hand(row: str, workers: int, expected_ns: int) -> None:
    assert makespan_ns(row, workers) == expected_ns


def test_one_worker_more_may_take_longer() -> None:
    assert (makespan_ns("graham", 3), makespan_ns("graham", 4)) == (12, 15)


def test_the_register_limits_are_those_worked_out_by_hand() -> None:
    limits = [register_limit(device(), threads) for threads in (256, 384, 512, 640, 1024, 3 * 224)]
    assert limits == [255, 168, 128, 96, 64, 80]


def test_the_files_are_clean_and_make_one_study() -> None:
    report = check_paths([FIXTURES / "tile_examples.yaml"])
    assert report.findings == ()


def test_every_file_is_a_row() -> None:
    rows = {path.stem for path in FOLDER.glob("*.yaml")}
    assert len(rows) == 17
    assert {contract_at(FOLDER / f"{row}.yaml").entry for row in rows} == rows
