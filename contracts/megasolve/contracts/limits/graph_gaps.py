"""What lies between two kernels as nodes of one CUDA graph: as a device states it, else as is usual."""

from __future__ import annotations

from ..model.base import PS_PER_US
from ..model.device import Device

USUAL_GAP_PS = PS_PER_US
"""Where no device file says it: about what is published for GPUs of the last years."""

DEPENDENT_GAP_PS = 150_000
"""With dependent launch, the strongest conventional rival of a megakernel."""


def graph_gap(device: Device | None) -> tuple[int, bool]:
    """Return the picoseconds between two nodes of a graph on *device*, and whether its file states them."""
    stated = None if device is None or device.launch.graph is None else device.launch.graph.gap_ps
    return (USUAL_GAP_PS, False) if stated is None else (stated, True)


def dependent_gap(gap_ps: int) -> int:
    """Return the picoseconds between two nodes with dependent launch, where without it there are *gap_ps*."""
    return min(DEPENDENT_GAP_PS, gap_ps)
