"""Conventional launches before they run: what is outside the arenas, beyond the kernels, or unordered."""

from __future__ import annotations

from dataclasses import replace

import pytest

from megasolve.gpu.programs.group_calls import serial_calls
from megasolve.gpu.workloads.streamlet.conventional import KernelLaunch, launches_of
from megasolve.gpu.workloads.streamlet.model import model_of
from megasolve.gpu.workloads.streamlet.verify_launches import launch_faults
from tests.support.kernels.streamlet import shipped, small

MODEL = model_of(small().spec.value, 3)
LAUNCHES = [launch for call in serial_calls(small().spec.value) for launch in launches_of(small(), MODEL, call)]


def launch_of(text: str) -> KernelLaunch:
    return next(launch for launch in LAUNCHES if str(launch.origin) == text)


def with_argument(launch: KernelLaunch, cta: int, name: str, value: int) -> KernelLaunch:
    table = launch.table.copy()
    table[cta, launch.operation.arguments.index(name)] = value
    return replace(launch, table=table)


@pytest.mark.parametrize("batch", [1, 4])
def test_the_kernels_of_the_shipped_streamlet_are_sound(batch: int) -> None:
    study = shipped()
    model = model_of(study.spec.value, batch)
    launches = [launch for call in serial_calls(study.spec.value) for launch in launches_of(study, model, call)]
    assert launch_faults(launches, model.layout) == ()


def test_a_tile_outside_its_arena_is_named_by_launch_and_cta() -> None:
    (fault,) = launch_faults([with_argument(launch_of("norm_1 of P1 in layer 0"), 2, "y", 10**7)], MODEL.layout)
    assert (fault.kind, fault.instruction) == ("arguments", 2)
    assert fault.message.startswith("launch 0 (norm_1 of P1 in layer 0), CTA 2: norm: y is elements 10000256 to")


def test_a_tile_beyond_the_kernels_is_named() -> None:
    (fault,) = launch_faults([with_argument(launch_of("qkv of B1 in layer 0"), 0, "m", 9)], MODEL.layout)
    assert "CTA 0: matvec: 9 rows, at most 8" in fault.message


def test_tiles_of_one_launch_that_write_the_same_race() -> None:
    (fault,) = launch_faults([with_argument(launch_of("norm_1 of B1 in layer 0"), 1, "row_first", 0)], MODEL.layout)
    assert fault.kind == "race"
    assert "launch 0 (norm_1 of B1 in layer 0): CTAs 0 and 1 race for element 0 of B.normed" in fault.message


def test_launches_follow_each_other_so_they_never_race() -> None:
    launch = launch_of("norm_1 of B1 in layer 0")
    assert launch_faults([launch, launch], MODEL.layout) == ()
