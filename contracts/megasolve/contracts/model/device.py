"""The device file: what one GPU can hold and move, and what a launch costs on it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .base import Bytes, BytesPerSecond, ComputeCapability, CostPs, Count, FlopsPerSecond, Frozen, Hertz, Ignored, Name, Text

LaunchKind = Literal["stream", "graph", "cooperative"]


class LaunchCost(Frozen):
    """What one launch costs, as far as it was measured on this device.

    A *host* part (the host is busy), an *exposed* part (the device waits for it) and, in a graph, a *gap* before each
    kernel: the idle time between two of them. A figure that is absent must be given by the contract that needs it. The *ramp* is what a
    kernel takes beside its work until all of its CTAs run and after the first have ended: a part of its own time as profilers see it,
    none where it is absent.
    """

    host_ps: CostPs | None = Field(None, alias="host_us")
    exposed_ps: CostPs | None = Field(None, alias="exposed_us")
    gap_ps: CostPs | None = Field(None, alias="gap_us")
    ramp_ps: CostPs | None = Field(None, alias="ramp_us")


class LaunchCosts(Frozen):
    """Launch costs by kind. A kind that the device file leaves out has no cost figure: a contract must give its own."""

    stream: LaunchCost | None = None
    graph: LaunchCost | None = None
    cooperative: LaunchCost | None = None


class PartitionLimits(Frozen):
    """How the driver partitions SMs (green contexts).

    *sizes_sms* lists the sizes that a probe of this device found valid, *mig_sizes_sms* the SMs of the MIG slices that it can be cut into.
    """

    unit_sms: Count
    minimum_sms: Count
    sizes_sms: tuple[Count, ...] | None = None
    mig_sizes_sms: tuple[Count, ...] | None = None


class ClusterLimit(Frozen):
    """How many clusters of one size are co-resident at one CTA per SM, as the device itself reports it."""

    cluster_ctas: Count
    active_clusters: Count


class Device(Frozen):
    """One GPU. Nothing here is inferred from an architecture name; *sources* says where each figure comes from.

    *driver_names* is what the driver, and so every profiler, calls it; a profile finds its device by them. An SM is what a
    CTA runs on: AMD's compute unit, whose warps (wavefronts) have 64 threads. *ctas_per_sm* is None where nobody says how many
    CTAs an SM holds beside what its other limits allow. *l3_bytes* is a cache between L2 and memory.
    """

    megasolve: Literal["device/v1"]
    name: Name
    title: Text
    driver_names: tuple[Text, ...] = ()
    compute_capability: ComputeCapability
    sms: Count
    mps_active_thread_percentage: Annotated[int, Field(ge=1, le=100)] | None = None
    threads_per_warp: Count = 32
    ctas_per_sm: Count | None = None
    threads_per_sm: Count
    threads_per_cta: Count
    registers_per_sm: Count
    registers_per_cta: Count
    registers_per_thread: Count
    register_unit_per_warp: Count
    warp_unit_per_sm: Count
    shared_bytes_per_sm: Bytes
    shared_bytes_per_cta: Bytes
    shared_reserve_bytes: Bytes
    shared_unit_bytes: Annotated[Bytes, Field(ge=1)]
    l2_bytes: Bytes | None = None
    l3_bytes: Bytes | None = None
    hbm_bytes: Bytes | None = None
    hbm_peak_bytes_per_s: Annotated[BytesPerSecond, Field(ge=10**11, le=2 * 10**13)]
    hbm_sustained_bytes_per_s: Annotated[BytesPerSecond, Field(ge=10**10, le=2 * 10**13)]
    sm_bytes_per_s: BytesPerSecond | None = None
    hbm_latency_ps: CostPs | None = Field(None, alias="hbm_latency_us")
    l2_latency_ps: CostPs | None = Field(None, alias="l2_latency_us")
    dense_flops_per_s: FlopsPerSecond | None = None
    clock_hz: Hertz | None = None
    launch: LaunchCosts
    partition: PartitionLimits | None = None
    clusters: tuple[ClusterLimit, ...] = ()
    sources: dict[str, Text]
    ignore: tuple[Ignored, ...] = ()

    @property
    def usable_sms(self) -> int:
        """The SMs that a process sees: under MPS the active-thread percentage of them, rounded down."""
        if self.mps_active_thread_percentage is None:
            return self.sms
        return self.sms * self.mps_active_thread_percentage // 100

    @property
    def warps_per_sm(self) -> int:
        """The whole warps that an SM holds."""
        return self.threads_per_sm // self.threads_per_warp

    @property
    def most_ctas_per_sm(self) -> int:
        """How many CTAs an SM holds at most: as stated, or one for each of its warps, since a CTA takes one at least."""
        return self.warps_per_sm if self.ctas_per_sm is None else self.ctas_per_sm

    @property
    def cached_bytes(self) -> int:
        """What the caches in front of memory hold together, as far as they are known: bytes that a call may find there."""
        return (self.l2_bytes or 0) + (self.l3_bytes or 0)
