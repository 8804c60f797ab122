"""The wave rule: how the time of a grid changes with the CTAs that it gets (paper, Table I, opaque operators).

A record took T for Q bytes with W0 of its g CTAs resident. On W of them it takes Q/B + (T - Q/B) * ceil(g/W) / ceil(g/W0): the bytes keep
their time at the bandwidth B, the rest is multiplied by whole waves; that rest is at least 0.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from megasolve.contracts import PS_PER_SECOND

from .arithmetic import whole
from .graph import KernelGrid


def wave_factor(grid_ctas: int, held_ctas: int, resident_ctas: int) -> Fraction:
    """Return ceil(g/W) / ceil(g/W0): the waves of a grid of g CTAs on W of them, over those on the W0 of its record."""
    return Fraction(-(-grid_ctas // held_ctas), -(-grid_ctas // resident_ctas))


def wave_of(
    duration_ps: int, demand: int | Fraction, bandwidth_bytes_per_s: int, grid: KernelGrid, ctas: int
) -> tuple[int | Fraction, int | Fraction]:
    """Return the time of *ctas* of the CTAs of a kernel that start together, and how many bytes they move, times ps over seconds.

    They move their part of its bytes, and compute for as long as any wave of it: waves one after the other take the time of the wave
    rule. The kernel takes *duration_ps* by itself and then demands *demand* bytes per second.
    """
    traffic = Fraction(demand) * duration_ps
    memory_ps = traffic / bandwidth_bytes_per_s
    compute_ps = _multiplied_ps(duration_ps, memory_ps, Fraction(1, -(-grid.ctas // grid.resident_ctas)))
    return whole(memory_ps * ctas / grid.ctas + compute_ps), whole(traffic * ctas / grid.ctas)


def opaque_ps(time_ps: int, hbm_bytes: int, bandwidth_bytes_per_s: int, *, grid_ctas: int, workers: int, resident_ctas: int) -> int:
    """Return how long an operator without tiles takes, rounded up to a whole picosecond.

    The record took *time_ps* for *hbm_bytes* with *resident_ctas* of its grid of *grid_ctas* resident; now it gets *workers*.
    """
    memory_ps = Fraction(hbm_bytes * PS_PER_SECOND, bandwidth_bytes_per_s)
    return ceil(memory_ps + _multiplied_ps(time_ps, memory_ps, wave_factor(grid_ctas, workers, resident_ctas)))


def opaque_compute_ps(time_ps: int, hbm_bytes: int, bandwidth_bytes_per_s: int, *, grid_ctas: int, workers: int, resident_ctas: int) -> int:
    """Return the second term of `opaque_ps` alone, rounded up: the compute of an opaque tile, whose bytes pass the queue."""
    memory_ps = Fraction(hbm_bytes * PS_PER_SECOND, bandwidth_bytes_per_s)
    return ceil(_multiplied_ps(time_ps, memory_ps, wave_factor(grid_ctas, workers, resident_ctas)))


def _multiplied_ps(time_ps: int, memory_ps: Fraction, factor: Fraction) -> Fraction:
    # Bytes can take longer than the record says, where it was measured at a higher bandwidth: no compute is left then.
    return max(time_ps - memory_ps, Fraction(0)) * factor
