"""The wave rule for operators without tiles: what an opaque operator takes on fewer or more CTAs than in its record."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from megasolve.contracts import PS_PER_SECOND

from ..events.waves import wave_factor


def opaque_ps(time_ps: int, hbm_bytes: int, bandwidth_bytes_per_s: int, *, grid_ctas: int, workers: int, resident_ctas: int) -> int:
    """Return Q/B + (T - Q/B) * ceil(g/W) / ceil(g/W0), rounded up to a whole picosecond (paper, Table I, opaque operators).

    The record took *time_ps* (T) for *hbm_bytes* (Q) with *resident_ctas* (W0) of its grid of *grid_ctas* (g) resident; now it
    gets *workers* (W). The bytes keep their time, the rest is multiplied; it is at least 0.
    """
    memory_ps, compute_ps = _parts(time_ps, hbm_bytes, bandwidth_bytes_per_s)
    return ceil(memory_ps + compute_ps * wave_factor(grid_ctas, workers, resident_ctas))


def opaque_compute_ps(time_ps: int, hbm_bytes: int, bandwidth_bytes_per_s: int, *, grid_ctas: int, workers: int, resident_ctas: int) -> int:
    """Return the second term of `opaque_ps` alone, rounded up: the compute of an opaque tile, whose bytes pass the queue."""
    _, compute_ps = _parts(time_ps, hbm_bytes, bandwidth_bytes_per_s)
    return ceil(compute_ps * wave_factor(grid_ctas, workers, resident_ctas))


def _parts(time_ps: int, hbm_bytes: int, bandwidth_bytes_per_s: int) -> tuple[Fraction, Fraction]:
    memory_ps = Fraction(hbm_bytes * PS_PER_SECOND, bandwidth_bytes_per_s)
    return memory_ps, max(time_ps - memory_ps, Fraction(0))
