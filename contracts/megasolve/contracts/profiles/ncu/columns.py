"""The names under which Nsight Compute writes the metrics that are read, on both pages and over the years.

The raw page has the metric (launch__registers_per_thread), the details page its display name (Registers Per Thread), and metrics that
were asked for on the command line stand on the details page under their own name.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, auto
from types import MappingProxyType


class Quantity(IntEnum):
    """What a metric tells about one kernel."""

    DURATION = auto()
    REGISTERS = auto()
    STATIC_SHARED = auto()
    DYNAMIC_SHARED = auto()
    GRID_SIZE = auto()
    GRID_X = auto()
    GRID_Y = auto()
    GRID_Z = auto()
    BLOCK_SIZE = auto()
    BLOCK_X = auto()
    BLOCK_Y = auto()
    BLOCK_Z = auto()
    CLUSTER_CTAS = auto()
    HBM = auto()
    HBM_READ = auto()
    HBM_WRITTEN = auto()
    SMS = auto()
    DEVICE_NAME = auto()


# Earlier names win where a file has several for one quantity: metrics are as exact as the tool prints them.
QUANTITIES: Mapping[str, Quantity] = MappingProxyType(
    {
        "gpu__time_duration.sum": Quantity.DURATION,
        "launch__registers_per_thread": Quantity.REGISTERS,
        "launch__shared_mem_per_block_static": Quantity.STATIC_SHARED,
        "launch__shared_mem_per_block_dynamic": Quantity.DYNAMIC_SHARED,
        "launch__grid_size": Quantity.GRID_SIZE,
        "launch__grid_dim_x": Quantity.GRID_X,
        "launch__grid_dim_y": Quantity.GRID_Y,
        "launch__grid_dim_z": Quantity.GRID_Z,
        "launch__block_size": Quantity.BLOCK_SIZE,
        "launch__block_dim_x": Quantity.BLOCK_X,
        "launch__block_dim_y": Quantity.BLOCK_Y,
        "launch__block_dim_z": Quantity.BLOCK_Z,
        "launch__cluster_size": Quantity.CLUSTER_CTAS,
        "dram__bytes.sum": Quantity.HBM,
        "dram__bytes_read.sum": Quantity.HBM_READ,
        "dram__bytes_write.sum": Quantity.HBM_WRITTEN,
        "launch__sm_count": Quantity.SMS,
        "device__attribute_multiprocessor_count": Quantity.SMS,
        "device__attribute_display_name": Quantity.DEVICE_NAME,
        "Duration": Quantity.DURATION,
        "Registers Per Thread": Quantity.REGISTERS,
        "Static Shared Memory Per Block": Quantity.STATIC_SHARED,
        "Dynamic Shared Memory Per Block": Quantity.DYNAMIC_SHARED,
        "Grid Size": Quantity.GRID_SIZE,
        "Block Size": Quantity.BLOCK_SIZE,
        "Cluster Size": Quantity.CLUSTER_CTAS,
        "# SMs": Quantity.SMS,
    }
)

RANK: Mapping[str, int] = MappingProxyType({name: rank for rank, name in enumerate(QUANTITIES)})
"""The place of each name in `QUANTITIES`: of two names for one quantity the lower wins."""
