"""How many CTAs of a launch an SM holds: registers by warps and classes, shared memory, limits per CTA; cases from the field."""

from __future__ import annotations

import pytest

from megasolve.contracts.limits.grids import resident_ctas
from megasolve.contracts.limits.launches import launch_faults
from megasolve.contracts.limits.occupancy import cta_register_limit, largest_legal_threads, occupancy
from megasolve.contracts.model.device import Device
from tests.support.planning.launches import SMALL_SHARED, budget_codes, device, launch, megakernel

H100 = device()


def test_c01_a_block_with_too_many_registers_is_infeasible_and_never_spilled_instead() -> None:
    b300 = device(name="b300", sms=152)
    (fault,) = launch_faults(b300, megakernel(launch(512, 156)), 152)
    assert fault.rule.code == "LIM-09"
    assert "16 warps x 5,120 = 81,920 > 65,536" in fault.message
    assert "a 512-thread variant needs a compiled entry with at most 128 registers" in fault.message
    assert occupancy(b300, launch(256, 156)).ctas_per_sm == 1
    assert budget_codes(b300, megakernel(launch(256, 156)), 152) == []
    assert budget_codes(b300, megakernel(launch(256, 156)), 153) == ["LIM-12"]


def test_c02_the_largest_legal_block_counts_whole_warps_not_registers_over_registers() -> None:
    rtx_4090 = device(name="rtx_4090", sms=128, threads_per_sm=1536)
    assert [occupancy(rtx_4090, launch(threads, 162)).ctas_per_sm for threads in (512, 416, 384)] == [0, 0, 1]
    assert largest_legal_threads(rtx_4090, 162) == 384
    assert resident_ctas(rtx_4090, megakernel(launch(384, 162))) == 128


def test_c03_warps_are_allocated_in_groups_of_four_per_sm() -> None:
    a100 = device(name="a100", sms=108)
    assert occupancy(a100, launch(224, 92)).by["registers"] == 2
    (fault,) = launch_faults(a100, megakernel(launch(224, 92, ctas_per_sm=3)), 324)
    assert fault.rule.code == "LIM-11"
    assert "2 x 108 = 216 CTAs" in fault.message


@pytest.mark.parametrize(("threads", "held"), [(128, 10), (256, 5), (512, 2), (1024, 1)])
def test_c04_registers_of_one_allocation_class_give_one_occupancy(threads: int, held: int) -> None:
    assert {occupancy(H100, launch(threads, registers)).ctas_per_sm for registers in range(41, 49)} == {held}
    assert occupancy(H100, launch(threads, 49)).by["registers"] <= held
    assert occupancy(H100, launch(1024, 40)).by["registers"] == 1


def test_c04_the_next_class_starts_at_49_registers() -> None:
    assert occupancy(H100, launch(128, 49)).ctas_per_sm == 9


def test_c05_a_register_limit_per_cta_applies_before_the_file_of_the_sm() -> None:
    assert occupancy(H100, launch(128, 85)).by["registers"] == 5
    assert occupancy(device(registers_per_cta=32768), launch(128, 85)).by["registers"] == 4


@pytest.mark.parametrize(("shared_bytes", "held"), [(231425, 1), (232448, 1), (232449, 0), (115712, 2), (116736, 1)])
def test_c07_the_reserve_is_not_subtracted_from_the_limit_per_cta(shared_bytes: int, held: int) -> None:
    assert occupancy(H100, launch(128, 32, shared_bytes=shared_bytes)).ctas_per_sm == held


@pytest.mark.parametrize(
    ("on", "shared_bytes", "overshoot"),
    [
        (H100, 1179648, "947,200"),
        (H100, 263356, "30,908"),
        (device(name="rtx_5090", sms=170, **SMALL_SHARED), 211968, "110,592"),
    ],
)
def test_c08_too_much_shared_memory_is_refused_with_the_overshoot(on: Device, shared_bytes: int, overshoot: str) -> None:
    (fault,) = launch_faults(on, megakernel(launch(shared_bytes=shared_bytes)), 100)
    assert fault.rule.code == "LIM-10"
    assert f"{overshoot} B too many" in fault.message


def test_c08_thirteen_pages_need_the_large_part_and_five_fit_the_small_one() -> None:
    small = device(name="small", **SMALL_SHARED)
    assert [occupancy(on, launch(shared_bytes=pages * 16384)).ctas_per_sm for on in (H100, small) for pages in (13, 5)] == [1, 2, 0, 1]


def test_c09_nine_hundred_sixty_threads_hold_at_most_64_registers_each() -> None:
    assert cta_register_limit(H100, 960) == 64
    assert occupancy(H100, launch(960, 65)).ctas_per_sm == 0


def test_c24_the_hungriest_role_sets_what_a_joint_launch_may_hold() -> None:
    assert [occupancy(H100, launch(threads, 224)).ctas_per_sm for threads in (128, 256, 384)] == [2, 1, 0]
    assert cta_register_limit(H100, 384) == 168
    assert occupancy(H100, launch(384, 168)).ctas_per_sm == 1
