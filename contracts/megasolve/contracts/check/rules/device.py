"""Rules for a device file alone: figures that contradict each other, and figures without a source."""

from __future__ import annotations

from collections.abc import Iterator

from ...model.closest import nearest
from ...model.device import Device
from ...model.findings import Fault
from ...model.rules import Rule, rule
from ..subjects import DEVICE
from .walking import one_by_one, repeats

_WORDS = frozenset({"megasolve", "name", "title", "sources", "ignore"})
_CHOICES = frozenset({"compute_capability", "driver_names", "mps_active_thread_percentage"})


@rule("DEV-01", "block-exceeds-sm", "One CTA cannot hold more threads or registers than its SM has.", on=DEVICE)
def block_exceeds_sm(device: Device) -> Iterator[Fault]:
    """One CTA holds at most what its SM has, in threads and in registers."""
    for kind, cta, sm in (
        ("threads", device.threads_per_cta, device.threads_per_sm),
        ("registers", device.registers_per_cta, device.registers_per_sm),
    ):
        if cta > sm:
            yield Fault(
                block_exceeds_sm,
                (f"{kind}_per_cta",),
                f"{cta} {kind} per CTA on an SM of {sm}; at most {sm}: one of the two figures is wrong",
            )


@rule("DEV-02", "shared-exceeds-sm", "The shared memory of one CTA and its reserve fit in one SM.", on=DEVICE)
def shared_exceeds_sm(device: Device) -> Iterator[Fault]:
    """The per-CTA limit leaves the reserve out, so limit plus reserve is what an SM must hold."""
    needed = device.shared_bytes_per_cta + device.shared_reserve_bytes
    if needed > device.shared_bytes_per_sm:
        most = max(device.shared_bytes_per_sm - device.shared_reserve_bytes, 0)
        yield Fault(
            shared_exceeds_sm,
            ("shared_bytes_per_cta",),
            f"{device.shared_bytes_per_cta:,} bytes per CTA and a reserve of {device.shared_reserve_bytes:,} are {needed:,} on an SM of "
            f"{device.shared_bytes_per_sm:,}; at most {most:,}: give the opt-in limit, which leaves the reserve out",
        )


@rule("DEV-03", "sustained-exceeds-peak", "Sustained HBM bandwidth is at most the peak.", on=DEVICE)
def sustained_exceeds_peak(device: Device) -> Iterator[Fault]:
    """What a device sustains is at most its peak."""
    sustained, peak = device.hbm_sustained_bytes_per_s, device.hbm_peak_bytes_per_s
    if sustained > peak:
        yield Fault(
            sustained_exceeds_peak,
            ("hbm_sustained_bytes_per_s",),
            f"{sustained:,} bytes/s sustained over a peak of {peak:,}; at most the peak: are the two figures swapped?",
        )


@rule("DEV-04", "threads-not-warps", "Thread limits are whole warps, and warps per SM whole allocation units.", on=DEVICE)
def threads_not_warps(device: Device) -> Iterator[Fault]:
    """Threads come in whole warps, and an SM allocates its warps in units."""
    lanes = device.threads_per_warp
    for field in ("threads_per_sm", "threads_per_cta"):
        if getattr(device, field) % lanes:
            yield _uneven(threads_not_warps, device, field, lanes, "threads, one warp")
    warps = device.warps_per_sm
    if warps % device.warp_unit_per_sm:
        yield Fault(
            threads_not_warps,
            ("warp_unit_per_sm",),
            f"a unit of {device.warp_unit_per_sm} warps does not divide the {warps} warps of an SM; give a divisor of {warps}",
        )


@rule("DEV-05", "registers-not-units", "Register files are whole numbers of allocation units.", on=DEVICE)
def registers_not_units(device: Device) -> Iterator[Fault]:
    """Registers are allocated to a warp in units; a file that is no multiple of one has a wrong figure."""
    lanes = device.threads_per_warp
    if device.register_unit_per_warp % lanes:
        yield _uneven(registers_not_units, device, "register_unit_per_warp", lanes, "registers, one per lane of a warp")
        return
    for field in ("registers_per_sm", "registers_per_cta"):
        if getattr(device, field) % device.register_unit_per_warp:
            yield _uneven(registers_not_units, device, field, device.register_unit_per_warp, "registers, the unit per warp")


@rule("DEV-06", "shared-not-units", "Shared-memory sizes are whole numbers of allocation units.", on=DEVICE)
def shared_not_units(device: Device) -> Iterator[Fault]:
    """Shared memory is allocated in units, so each of its limits is a multiple of one."""
    for field in ("shared_bytes_per_sm", "shared_bytes_per_cta", "shared_reserve_bytes"):
        if getattr(device, field) % device.shared_unit_bytes:
            yield _uneven(shared_not_units, device, field, device.shared_unit_bytes, "bytes, the allocation unit")


@rule("DEV-07", "figure-without-source", "Every figure of a device names where it comes from.", on=DEVICE)
def figure_without_source(device: Device) -> Iterator[Fault]:
    """A figure is covered by its own source, by one of a part of it, or by `default`; a choice needs none."""
    if "default" in device.sources:
        return
    sourced = {key.partition(".")[0] for key in device.sources}
    for field in Device.model_fields:
        key = _key_of(field)
        if field in device.model_fields_set - _WORDS - _CHOICES and key not in sourced:
            yield Fault(
                figure_without_source,
                (key,),
                f"{key} has no source; name where it comes from in sources.{key}, or in sources.default for all",
                at_key=True,
            )


def _key_of(field: str) -> str:
    """Return the key that *field* has in the file: a time is `l2_latency_us` there."""
    return Device.model_fields[field].alias or field


@rule("DEV-08", "source-without-figure", "A source names a figure that the file holds, or `default`.", on=DEVICE)
def source_without_figure(device: Device) -> Iterator[Fault]:
    """A source key is a figure of this file, a launch kind of it as `launch.graph`, or `default`."""
    figures = {_key_of(field) for field in device.model_fields_set - _WORDS}
    kinds = {f"launch.{kind}" for kind in device.launch.model_fields_set}
    for key in device.sources:
        if key not in figures | kinds | {"default"}:
            yield Fault(
                source_without_figure,
                ("sources", key),
                f"'{key}' is no figure of this file{nearest(key, figures | kinds | {'default'})}",
                at_key=True,
            )


@rule("DEV-09", "cluster-size-repeated", "Each cluster size is listed once.", on=DEVICE)
def cluster_size_repeated(device: Device) -> Iterator[Fault]:
    """Two limits for one cluster size contradict each other."""
    for index, first in repeats(device.clusters, lambda limit: limit.cluster_ctas):
        yield Fault(
            cluster_size_repeated,
            ("clusters", index, "cluster_ctas"),
            f"clusters of {device.clusters[index].cluster_ctas} CTAs are listed already, as number {first + 1} of the list; "
            "keep one of the two",
        )


@rule("DEV-10", "clusters-exceed-device", "Co-resident clusters hold at most one CTA per SM.", on=DEVICE)
def clusters_exceed_device(device: Device) -> Iterator[Fault]:
    """The limit is counted at one CTA per SM, so its CTAs are at most the SMs."""
    for index, limit in one_by_one(device.clusters):
        ctas = limit.active_clusters * limit.cluster_ctas
        if ctas > device.sms:
            yield Fault(
                clusters_exceed_device,
                ("clusters", index, "active_clusters"),
                f"{limit.active_clusters} clusters of {limit.cluster_ctas} are {ctas} CTAs on {device.sms} SMs; "
                f"at most {device.sms // limit.cluster_ctas} clusters at one CTA per SM",
            )


@rule("DEV-11", "partition-not-units", "Partition sizes are whole units, or the rest that whole units leave.", on=DEVICE)
def partition_not_units(device: Device) -> Iterator[Fault]:
    """A partition is a whole number of units, or what such a one leaves of the device; the whole device is one, too."""
    if device.partition is None:
        return
    unit, minimum = device.partition.unit_sms, device.partition.minimum_sms
    if minimum % unit or minimum > device.sms:
        yield Fault(
            partition_not_units,
            ("partition", "minimum_sms"),
            f"a minimum of {minimum} SMs with a unit of {unit}; give a multiple of {unit}, at most {device.sms}",
        )
        return
    for index, size in one_by_one(device.partition.sizes_sms or ()):
        if not minimum <= size <= device.sms or (size % unit and (device.sms - size) % unit):
            yield Fault(
                partition_not_units,
                ("partition", "sizes_sms", index),
                f"{size} SMs is no partition; give multiples of {unit} from {minimum} to {device.sms}, or what one leaves of {device.sms}",
            )


@rule("DEV-13", "mig-slice-exceeds-device", "A MIG slice has no more SMs than the device.", on=DEVICE)
def mig_slice_exceeds_device(device: Device) -> Iterator[Fault]:
    """The driver lists the SMs of its slices; one with more than the device has is a slip."""
    for index, size in one_by_one((device.partition.mig_sizes_sms if device.partition else None) or ()):
        if size > device.sms:
            message = f"a slice of {size} SMs on a device of {device.sms}; give the SMs that the driver lists for its instances"
            yield Fault(mig_slice_exceeds_device, ("partition", "mig_sizes_sms", index), message)


@rule("DEV-12", "no-usable-sm", "An MPS share leaves at least one SM.", on=DEVICE)
def no_usable_sm(device: Device) -> Iterator[Fault]:
    """The MPS percentage rounds down: on a small device a small share is nothing."""
    if device.usable_sms == 0:
        least = -(-100 // device.sms)
        yield Fault(
            no_usable_sm,
            ("mps_active_thread_percentage",),
            f"{device.mps_active_thread_percentage} % of {device.sms} SMs is no whole SM; at least {least} % gives one",
        )


def _uneven(rule: Rule, device: Device, field: str, unit: int, meaning: str) -> Fault:
    figure = getattr(device, field)
    below = figure - figure % unit
    near = f"{below} or {below + unit}" if below else str(unit)
    return Fault(rule, (field,), f"{figure} is no multiple of {unit} {meaning}; the nearest are {near}")
