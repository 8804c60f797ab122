"""How many CTAs a compute unit of AMD holds: wavefronts of 64 threads, registers by SIMD, shared memory without a reserve.

The shapes are those on which OpenXLA tries its own model (xla/backends/profiler/gpu/rocm_occupancy_test.cc), some of them measured there
with hipOccupancyMaxActiveBlocksPerMultiprocessor on an MI300X; the counts here are worked out by hand beside each.
"""

from __future__ import annotations

import pytest

from megasolve.contracts.limits.launches import launch_faults
from megasolve.contracts.limits.occupancy import cta_register_limit, largest_legal_threads, occupancy, register_limit
from tests.support.planning.launches import WAVEFRONTS, budget_codes, device, launch, megakernel

CDNA3 = device(**WAVEFRONTS)
CDNA4 = device(**WAVEFRONTS | {"shared_bytes_per_sm": 163840, "shared_bytes_per_cta": 163840, "shared_unit_bytes": 1280})


@pytest.mark.parametrize(
    ("threads", "registers", "held"),
    [
        (256, 136, 3),  # 512 / 136 = 3 waves a SIMD, 12 in all, 4 a CTA
        (256, 256, 2),  # 2 waves a SIMD, 8 in all
        (256, 416, 1),  # 1 wave a SIMD, 4 in all
        (384, 176, 1),  # 2 waves a SIMD, 8 in all, 6 a CTA: two stay idle
        (256, 100, 4),  # rounded up to 104: 4 waves a SIMD, 16 in all
        (256, 104, 4),
        (256, 102, 4),
        (256, 96, 5),  # 5 waves a SIMD, 20 in all
        (1024, 128, 1),  # 4 waves a SIMD, all 16 of one CTA
        (1024, 136, 0),
        (1024, 64, 2),  # 8 waves a SIMD
        (256, 512, 1),
        (320, 512, 0),  # 4 waves in all, and a CTA has 5
        (256, 513, 0),
    ],
)
def test_registers_are_held_by_simds_in_units_of_eight_a_lane(threads: int, registers: int, held: int) -> None:
    assert occupancy(CDNA3, launch(threads, registers)).ctas_per_sm == held


def test_the_waves_of_a_simd_are_its_registers_over_those_of_a_lane_rounded_up_to_eight() -> None:
    for registers in range(1, 513):
        waves_per_simd = 512 // (-(-registers // 8) * 8)
        assert occupancy(CDNA3, launch(64, registers)).by["registers"] == 4 * waves_per_simd


@pytest.mark.parametrize(("threads", "held"), [(64, 32), (100, 16), (128, 16), (256, 8), (320, 6), (768, 2), (1024, 2), (1088, 0)])
def test_a_cta_takes_whole_waves_of_64_threads(threads: int, held: int) -> None:
    assert occupancy(CDNA3, launch(threads, 4)).ctas_per_sm == held


@pytest.mark.parametrize(("shared_bytes", "cdna3", "cdna4"), [(0, 8, 8), (13000, 4, 8), (32768, 2, 4), (40960, 1, 4), (81920, 0, 2)])
def test_shared_memory_has_no_reserve_and_units_of_its_own(shared_bytes: int, cdna3: int, cdna4: int) -> None:
    # 13,000 are 13,312 in units of 512; 32,768 are 33,280 in units of 1,280, and 163,840 / 33,280 = 4.
    shape = launch(256, 4, shared_bytes=shared_bytes)
    assert (occupancy(CDNA3, shape).ctas_per_sm, occupancy(CDNA4, shape).ctas_per_sm) == (cdna3, cdna4)


def test_what_a_block_may_hold_is_counted_in_waves_of_64() -> None:
    assert [cta_register_limit(CDNA3, threads) for threads in (256, 512, 768, 1024)] == [512, 256, 168, 128]
    assert [largest_legal_threads(CDNA3, registers) for registers in (512, 256, 136, 128)] == [256, 512, 768, 1024]
    assert register_limit(CDNA3, 2048) == 64


def test_a_refusal_says_how_large_a_warp_is() -> None:
    (fault,) = launch_faults(CDNA3, megakernel(launch(1024, 136)), 304)
    assert fault.rule.code == "LIM-09"
    assert "16 warps of 64 threads x 8,704 = 139,264 > 131,072 per SM" in fault.message
    assert "the largest legal block at 136 registers is 768 threads" in fault.message
    assert budget_codes(CDNA3, megakernel(launch(1024, 128)), 304) == []
    assert budget_codes(CDNA3, megakernel(launch(1024, 128)), 305) == ["LIM-12"]


def test_more_ctas_than_declared_need_a_lighter_build() -> None:
    (fault,) = launch_faults(CDNA3, megakernel(launch(256, 136, ctas_per_sm=4)), 1216)
    assert fault.rule.code == "LIM-11"
    assert "3 x 304 = 912 CTAs; 4 per SM need a compiled entry with at most 128 registers" in fault.message
