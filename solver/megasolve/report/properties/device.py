"""The properties of a device."""

from __future__ import annotations

from .table import IGNORE, Properties

DEVICE: Properties = {
    "Device": {
        "megasolve": ("the kind of this file", "device/v1"),
        "ignore": IGNORE,
        "name": ("the name by which specs and records know it", "h100_nvl"),
        "title": ("its full name", "NVIDIA H100 NVL"),
        "driver_names": ("what drivers, and so profilers, call it", ["NVIDIA H100 NVL"]),
        "compute_capability": ("the architecture", "9.0"),
        "sms": ("its SMs", 132),
        "mps_active_thread_percentage": ("the share of the SMs that a process sees under MPS, in percent", 50),
        "ctas_per_sm": ("the most blocks on one SM", 32),
        "threads_per_sm": ("the most threads on one SM", 2048),
        "threads_per_cta": ("the most threads of a block", 1024),
        "threads_per_warp": ("threads of a warp", 32),
        "registers_per_sm": ("registers of an SM", 65536),
        "registers_per_cta": ("the most registers of a block", 65536),
        "registers_per_thread": ("the most registers of a thread", 255),
        "register_unit_per_warp": ("registers are allocated to a warp in units of so many", 256),
        "warp_unit_per_sm": ("warps are allocated in groups of so many", 4),
        "shared_bytes_per_sm": ("shared memory of an SM", 233472),
        "shared_bytes_per_cta": ("the most shared memory of a block", 232448),
        "shared_reserve_bytes": ("shared memory that the system takes of each block", 1024),
        "shared_unit_bytes": ("shared memory is allocated in units of so many bytes", 128),
        "l2_bytes": ("its L2 cache", 62914560),
        "l3_bytes": ("the cache behind the L2, where it has one", 268435456),
        "hbm_bytes": ("its memory", 100931731456),
        "hbm_peak_bytes_per_s": ("the peak bandwidth, which no record may beat", 3.9e12),
        "hbm_sustained_bytes_per_s": ("the bandwidth that contention is simulated with", 3.6e12),
        "sm_bytes_per_s": ("what the port of one SM lets through", 6.0e10),
        "l2_latency_us": ("the latency of a transfer from L2, in microseconds", 0.13),
        "hbm_latency_us": ("the latency of a transfer, in microseconds; it occupies nothing", 0.6),
        "dense_flops_per_s": ("the dense rate, for tiles whose contract states no time", 8.35e14),
        "clock_hz": ("the clock that the figures are of", 1.785e9),
        "launch": ("what launches cost, by kind", {"graph": {"host_us": 4.5, "exposed_us": 2, "gap_us": 1.3}}),
        "partition": ("how the driver partitions SMs", {"unit_sms": 8, "minimum_sms": 8}),
        "clusters": ("how many clusters of a size are resident together", [{"cluster_ctas": 2, "active_clusters": 66}]),
        "sources": ("where each figure comes from, by key", {"sms": "data sheet"}),
    },
    "LaunchCosts": {
        "stream": ("a kernel launched by itself", {"host_us": 4.5, "exposed_us": 2}),
        "graph": ("a graph of kernels", {"host_us": 4.5, "exposed_us": 2, "gap_us": 1.3}),
        "cooperative": ("a cooperative launch", {"host_us": 6, "exposed_us": 4}),
    },
    "LaunchCost": {
        "host_us": ("how long the host is busy, in microseconds", 4.5),
        "exposed_us": ("how long the device waits for it, in microseconds", 2),
        "gap_us": ("the idle time before each kernel of a graph, in microseconds", 1.3),
        "ramp_us": ("what a kernel takes beside its work until all blocks run and after the first have ended, in microseconds", 0.86),
    },
    "PartitionLimits": {
        "unit_sms": ("partitions are multiples of so many SMs", 8),
        "minimum_sms": ("the least SMs of a partition", 8),
        "mig_sizes_sms": ("the SMs of the MIG slices that the device can be cut into", [16, 32, 60, 64]),
        "sizes_sms": ("the sizes that a probe of this device found valid", [8, 16, 24]),
    },
    "ClusterLimit": {
        "cluster_ctas": ("blocks of a cluster", 2),
        "active_clusters": ("how many of them are resident together, at one block per SM", 66),
    },
}
