"""The tiles that libraries of matrix products have, and at which part of the peak rate they compute.

The rate is that of long products, without the ramp of the kernel. The largest tile reaches what the best products of a library do: 0.80
of the dense rate in 16 bits and 0.71 in 8 (794.5 and 1,402.6 TFLOP/s on an H100 SXM: stas00/ml-engineering, compute/accelerator at
b9e29720). Smaller tiles read more for each product. From 128 x 256 to 128 x 128 the rate falls to 0.79 (300.9 and 238.2 TFLOP/s on the same
loads, H100 in TF32: ahmadsharif1/cuda_study at 0dc3e53e), while products for each element that is read fall to 0.75: the rate goes with the
power 0.8 of that. That smaller ones follow the same law is an assumption.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

LIBRARY_SHAPES = ((128, 256), (256, 128), (128, 128), (64, 256), (256, 64), (128, 64), (64, 128), (64, 64))
LIBRARY_SLABS = (2048, 1024, 512)
"""The depths of a slab, where a sum is split."""

LIBRARY_TILES: tuple[Mapping[str, int], ...] = tuple(
    {"m": rows, "n": columns, **depth} for depth in ({}, *({"k": slab} for slab in LIBRARY_SLABS)) for rows, columns in LIBRARY_SHAPES
)
"""Whole sums first: of equal times the first counts."""

STAGES, STAGE_DEPTH = 4, 64
PARTIAL_BYTES = 8
"""A split sum is written and read once more, in single precision."""

_LARGEST = 128 * 256 / (128 + 256)
_EXPONENT = 0.8
_BEST = {1: 0.71, 2: 0.80}


def library_efficiency(tile: Mapping[str, int], element_bytes: int) -> Decimal:
    """Return the part of the dense rate at which a *tile* of elements of so many bytes computes; wider ones count as 16 bits."""
    products = tile["m"] * tile["n"] / (tile["m"] + tile["n"])
    # Rounded, so that it is the same number wherever it is worked out.
    return Decimal(f"{_BEST.get(element_bytes, _BEST[2]) * (products / _LARGEST) ** _EXPONENT:.3f}")


def library_staging(tile: Mapping[str, int], element_bytes: int, weight_bytes: int) -> int:
    """Return what a *tile* holds: its stages, and never less than its output."""
    stages = STAGES * STAGE_DEPTH * (tile["m"] * element_bytes + tile["n"] * weight_bytes)
    return max(stages, tile["m"] * tile["n"] * element_bytes)
