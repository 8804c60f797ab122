"""What the names of kernels say about the precision of a model."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..observing.observation import ObservedKernel
from .runs import typical

UNSTATED = "unstated"

_SPELLINGS = {
    "fp8": re.compile(r"e4m3|e5m2|fp8|float8"),
    "bf16": re.compile(r"bf16|bfloat16"),
    "fp16": re.compile(r"(?<!b)(?:fp16|f16|half)|hgemm"),
    "fp32": re.compile(r"float|f32|sgemm"),
}


def named_precision(kernels: Iterable[ObservedKernel]) -> tuple[str, int]:
    """Return the precision that kernels of the most time name, and its share of the time in whole percent.

    A kernel that names several counts for the narrowest. Where no kernel names any it is `unstated`.
    """
    times = dict.fromkeys((*_SPELLINGS, UNSTATED), 0)
    for kernel in kernels:
        times[_named(kernel.shape.name)] += typical(kernel.samples_ps)
    total = sum(times.values())
    known = {name: time for name, time in times.items() if name != UNSTATED}
    best = max(known, key=lambda name: known[name])
    return (best, 100 * known[best] // total) if known[best] else (UNSTATED, 0)


def _named(kernel: str) -> str:
    lower = kernel.lower()
    return next((name for name, spelling in _SPELLINGS.items() if spelling.search(lower)), UNSTATED)
