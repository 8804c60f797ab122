"""Exports of real programs, of six releases of Nsight Systems: their totals, and what is special about each."""

from __future__ import annotations

import pytest

from megasolve.contracts.profiles import Execution, Granularity, totals
from tests.support.profiles.nsys import imported
from tests.support.profiles.samples import sample

SAXPY = "pipit_saxpy_a100_nsys2022.2_schema2.9.1.sqlite"
CLOVERLEAF = "pipit_cloverleaf_a100_nsys2024.5_schema3.13.2.sqlite"
GRAPHS = "flameox_rtx3060_graphmode_nsys2025.5_schema3.24.0.sqlite"
MOCK = "nsysai_mock_rtx3080_nsys2026.1_schema3.24.14.sqlite"
TRAINING = "nsysai_mfu_2gpu_before_nsys2026.2.sqlite"
MINIMAL = "nsysai_synthetic_minimal_columns.sqlite"


def read(name: str) -> Execution:
    """Import a sample, or skip the test."""
    return imported(sample("nsys_sqlite", name))


@pytest.mark.parametrize(
    ("name", "kernels", "distinct", "times_us"),
    [
        (SAXPY, 5, 1, (88573.5, 88573.5, 1040574.4)),
        (CLOVERLEAF, 1312, 102, (294404.5, 294404.5, 342340.7)),
        (GRAPHS, 3, 1, (3.8, 3.8, 13.0)),
        (MOCK, 2, 2, (4.1, 4.1, 18254.7)),
        (TRAINING, 4010, 27, (535200.7, 285205.6, 299877.0)),
        (MINIMAL, 400, 2, (400000.0, 400000.0, 403990.0)),
    ],
)
def test_the_totals_are_those_of_the_sample(name: str, kernels: int, distinct: int, times_us: tuple[float, float, float]) -> None:
    found = totals(read(name))
    assert (found.kernels, found.distinct_names) == (kernels, distinct)
    # 535,200.65 stands half way between two figures of one place.
    for exact_ps, rounded_us in zip((found.sum_ps, found.union_ps, found.span_ps), times_us, strict=True):
        assert exact_ps is not None
        assert abs(exact_ps - round(rounded_us * 10) * 100_000) <= 50_000


def test_graph_replays_stand_apart_with_the_capture_and_the_gpu() -> None:
    execution = read(GRAPHS)
    assert execution.granularity is Granularity.GRAPH
    assert [replay.duration_ps for replay in execution.replays] == [1_728_000, 1_376_000]
    assert [(window.start_ps, window.end_ps) for window in execution.captures] == [(339_332_880_000, 339_354_563_000)]
    assert [(device.name, device.sms, device.compute_capability) for device in execution.devices] == [
        ("NVIDIA GeForce RTX 3060", 28, "8.6")
    ]
    assert len(execution.overheads) == 35


def test_two_processes_are_joined_by_process_and_correlation() -> None:
    execution = read(TRAINING)
    assert execution.granularity is Granularity.KERNEL
    assert {(kernel.site.process, kernel.site.device) for kernel in execution.kernels} == {(144, 0), (145, 1)}
    assert execution.notes == ("24 of 4,010 kernels without a launch call in the file, so no NVTX range",)
    assert len(execution.annotations) == 19_118
    assert all({found.process for found in kernel.ranges} <= {kernel.site.process} for kernel in execution.kernels)


def test_the_old_schema_gives_ranges_versions_and_no_graphs() -> None:
    execution = read(SAXPY)
    assert execution.versions == {"Nsight Systems": "2022.2.1.31", "schema": "2.9.1"}
    assert [[found.name for found in kernel.ranges] for kernel in execution.kernels] == [["saxpy"]] * 5


def test_columns_that_are_not_there_are_unknown() -> None:
    shape = read(MINIMAL).kernels[0].shape
    assert (shape.grid, shape.block, shape.registers, shape.shared_bytes) == ((128, 1, 1), (256, 1, 1), None, None)
