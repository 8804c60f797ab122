"""The tiles that libraries of matrix products have, at which part of the peak rate they compute, and what they hold.

Sides are those that the names of public library kernels have: 64x64, 256x96, 128x192, 128x256 and 256x128 of NVIDIA's library on Hopper and
Blackwell (`nvjet` kernels in public traces), 64x64 to 256x128 on Ampere. No tile has more outputs than 128 x 256, the largest of these.

The rate is that of long products, without the ramp of the kernel and its first loads, as a part of the device's dense rate in 16 bits. The
largest tile reaches what the best products of a library do: in 16 bits 0.80, 794.5 of 989.4 TFLOP/s on an H100 SXM (0.87 on an A100, 0.78
on a B200); in 8 bits 1.42, 1,402.6 TFLOP/s there (stas00/ml-engineering, compute/accelerator at b9e29720); in 32 bits, as TF32, 0.32, 319.7
TFLOP/s there. Smaller tiles read more for each product. From 128 x 256 to 128 x 128 the rate falls to 0.79 (300.9 and 238.2 TFLOP/s on the
same loads, H100 in TF32; this and the 319.7: ahmadsharif1/cuda_study at 0dc3e53e), while products for each element that is read fall to
0.75: the rate goes with the power 0.8 of that. From 128 x 160 to 128 x 128 it falls to 0.79 to 0.96 in 8 bits on an H800
(deepseek-ai/DeepGEMM pull request 73), where the law says 0.92. That smaller ones follow the same law is an assumption.

An SM that computes less is easier to feed. For what one of an A100 computes, a 108th of 312 TFLOP/s, the rates are as above (a layer
of 13 kernels, cloudrift-ai/emmy at 00a9195e). One that computes s of that, s below 1, loses nothing from a shape on that is s times as
large, and its best share of the peak is s^-0.277 times as much: 1.0 on an RTX 4090, where 168 of 165 TFLOP/s are published
(tinygrad/tinygrad pull request 11390); on an RTX 5090 it is 235 of 209.5 (zzc0721/torch-performance-test-data issues 96 and 124).
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

_SIDES, _MOST_OUTPUTS = (256, 192, 128, 96, 64), 128 * 256
LIBRARY_SHAPES = tuple((rows, columns) for rows in _SIDES for columns in _SIDES if rows * columns <= _MOST_OUTPUTS)
LIBRARY_SLABS = (2048, 1024, 512)
"""The depths of a slab, where a sum is split."""

LIBRARY_TILES: tuple[Mapping[str, int], ...] = tuple(
    {"m": rows, "n": columns, **depth} for depth in ({}, *({"k": slab} for slab in LIBRARY_SLABS)) for rows, columns in LIBRARY_SHAPES
)
"""Whole sums first: of equal times the first counts."""

STAGES, STAGE_BYTES = 2, 128
"""A tile has at least two stages, one that it loads and one on which it computes, each as deep as a line of the memory is long."""

PARTIAL_BYTES = 8
"""A split sum is written and read once more, in single precision."""

_LARGEST = 128 * 256 / (128 + 256)
_EXPONENT = 0.8
_BEST = {1: 1.42, 2: 0.80, 4: 0.32}
_FED_SM_FLOPS_PER_S = 312e12 / 108
_FEEDING_EXPONENT = 0.277


def library_efficiency(tile: Mapping[str, int], element_bytes: int, sm_flops_per_s: float | None = None) -> Decimal:
    """Return the part of the dense rate in 16 bits at which a *tile* of elements of so many bytes computes.

    *sm_flops_per_s* is that dense rate of one SM; None stands for one of an A100 or more.
    """
    products, of_fed = (
        tile["m"] * tile["n"] / (tile["m"] + tile["n"]),
        min((sm_flops_per_s or _FED_SM_FLOPS_PER_S) / _FED_SM_FLOPS_PER_S, 1),
    )
    best = _BEST.get(element_bytes, _BEST[2]) * of_fed**-_FEEDING_EXPONENT
    # Rounded, so that it is the same number wherever it is worked out.
    return Decimal(f"{best * min(products / (_LARGEST * of_fed), 1) ** _EXPONENT:.3f}")


def stage_depth(element_bytes: int, weight_bytes: int) -> int:
    """Return how many products of each output one stage has."""
    return STAGE_BYTES // max(element_bytes, weight_bytes, 1)


def library_staging(tile: Mapping[str, int], element_bytes: int, weight_bytes: int) -> int:
    """Return what a *tile* holds: its stages, and never less than its output."""
    stages = STAGES * stage_depth(element_bytes, weight_bytes) * (tile["m"] * element_bytes + tile["n"] * weight_bytes)
    return max(stages, tile["m"] * tile["n"] * element_bytes)
