"""Floors: what a device can still hold of the call before."""

from __future__ import annotations

from megasolve.solver.headroom.facts.floor import on_chip_bytes
from tests.support.planning.launches import WAVEFRONTS, device

_MIB = 1 << 20


def test_what_may_be_left_on_chip_is_in_the_caches_the_shared_memory_and_the_registers() -> None:
    h100 = device(l2_bytes=50 * _MIB)
    assert on_chip_bytes(h100) == 50 * _MIB + 132 * (233472 + 4 * 65536)


def test_a_cache_between_l2_and_memory_counts_beside_it() -> None:
    cdna3 = device(**WAVEFRONTS, l2_bytes=32 * _MIB, l3_bytes=256 * _MIB)
    assert on_chip_bytes(cdna3) == 288 * _MIB + 304 * (65536 + 4 * 131072)
