"""Occupancy: how many CTAs of one launch shape an SM holds, and what limits them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..model.contract import Contract, Launch
from ..model.device import Device

# What NVIDIA calls a warp needs no explanation; a warp of another size does.
_USUAL_WARP_THREADS = 32


@dataclass(frozen=True, slots=True)
class Occupancy:
    """The CTAs of one launch shape that are resident on one SM.

    *by* gives the CTAs that each resource alone allows. A resource that the launch does not state, or a limit that the device
    does not, is missing from *by* and listed in *unverified*: *ctas_per_sm* is then an upper bound.
    """

    ctas_per_sm: int
    by: Mapping[str, int]
    unverified: tuple[str, ...] = ()


def rounded_up(amount: int, unit: int) -> int:
    """Return the least multiple of *unit* that is at least *amount*."""
    return -(-amount // unit) * unit


def rounded_down(amount: int, unit: int) -> int:
    """Return the greatest multiple of *unit* that is at most *amount*."""
    return amount // unit * unit


def warps_of(device: Device, threads: int) -> int:
    """Return the warps that *threads* threads take; the last one may be partial."""
    return -(-threads // device.threads_per_warp)


def warps_text(device: Device, warps: int | str) -> str:
    """Return a number of warps in words, with their size where it is not the usual one: `8 warps of 64 threads`."""
    size = device.threads_per_warp
    return f"{warps} warps" if size == _USUAL_WARP_THREADS else f"{warps} warps of {size} threads"


def sms_of(contract: Contract, budget_ctas: int) -> int:
    """Return the SMs that *budget_ctas* CTAs take at the CTAs per SM that *contract* declares."""
    return -(-budget_ctas // contract.launch.ctas_per_sm)


def registers_per_warp(device: Device, registers: int) -> int:
    """Return the registers that one warp holds when each of its threads was compiled for *registers*."""
    return rounded_up(registers * device.threads_per_warp, device.register_unit_per_warp)


def shared_bytes_held(device: Device, launch: Launch) -> int:
    """Return the shared memory that one CTA holds on its SM: its own, in allocation units, and the reserve per CTA."""
    return rounded_up(launch.shared_bytes, device.shared_unit_bytes) + device.shared_reserve_bytes


def occupancy(device: Device, launch: Launch) -> Occupancy:
    """Return how many CTAs of *launch* one SM of *device* holds; 0 if it cannot be launched at all."""
    by = {"shared": _ctas_by_shared(device, launch)}
    if device.ctas_per_sm is not None:
        by["ctas"] = device.ctas_per_sm
    if launch.threads is not None:
        by["threads"] = _ctas_by_threads(device, launch.threads)
        if launch.registers is not None:
            by["registers"] = ctas_by_registers(device, launch.threads, launch.registers)
    names = ("registers", "threads", "shared", "ctas")
    ordered: dict[str, int] = {name: by[name] for name in names if name in by}
    return Occupancy(min(ordered.values()), ordered, (*unverified_limits(launch), *unknown_limits(device)))


def unverified_limits(launch: Launch) -> tuple[str, ...]:
    """Return the limits that cannot be checked because the launch does not state what they need."""
    registers = ("registers",) if launch.threads is None or launch.registers is None else ()
    return (*registers, "threads") if launch.threads is None else registers


def unknown_limits(device: Device) -> tuple[str, ...]:
    """Return the limits that cannot be checked because the device does not state them."""
    return () if device.ctas_per_sm is not None else ("ctas",)


def ctas_by_registers(device: Device, threads: int, registers: int) -> int:
    """Return how many CTAs of this shape the register file of one SM holds.

    The limit of one CTA applies first; an SM then holds that many of them as its register file has such shares.
    """
    if registers > device.registers_per_thread:
        return 0
    share = min(device.registers_per_cta, device.registers_per_sm)
    # Where a CTA may hold only part of the file, no CTA straddles two such parts.
    ctas_per_share = _warps_by_registers(device, share, registers) // warps_of(device, threads)
    return ctas_per_share * (device.registers_per_sm // share)


def _warps_by_registers(device: Device, share: int, registers: int) -> int:
    # Warps come in whole groups, one per quarter of the SM (AMD: SIMD): 65,536 / 5,376 = 12.19 warps are 12, and 11 would be 8.
    return rounded_down(share // registers_per_warp(device, registers), device.warp_unit_per_sm)


def _ctas_by_threads(device: Device, threads: int) -> int:
    if threads > device.threads_per_cta:
        return 0
    return device.warps_per_sm // warps_of(device, threads)


def _ctas_by_shared(device: Device, launch: Launch) -> int:
    # The per-CTA limit already leaves the reserve out; subtracting it again would refuse the last 1,024 legal bytes.
    if launch.shared_bytes > device.shared_bytes_per_cta:
        return 0
    held = shared_bytes_held(device, launch)
    return device.shared_bytes_per_sm // held if held else device.most_ctas_per_sm


def largest_legal_threads(device: Device, registers: int) -> int:
    """Return the largest block, in threads, whose warps fit at *registers* per thread; 0 if none does."""
    if registers > device.registers_per_thread:
        return 0
    share = min(device.registers_per_cta, device.registers_per_sm)
    threads = _warps_by_registers(device, share, registers) * device.threads_per_warp
    return min(threads, device.threads_per_cta, rounded_down(device.threads_per_sm, device.threads_per_warp))


def register_limit(device: Device, resident_threads: int) -> int:
    """Return the registers per thread that *resident_threads* threads can hold on one SM.

    The register file over the resident threads (paper, section IV), threads counted in whole groups of warps, rounded
    down to the allocation unit, and never above the device's limit per thread.
    """
    return _register_share(device, device.registers_per_sm, resident_threads)


def cta_register_limit(device: Device, threads: int) -> int:
    """Return the registers per thread up to which one CTA of *threads* threads can be launched."""
    return _register_share(device, min(device.registers_per_cta, device.registers_per_sm), threads)


def _register_share(device: Device, registers: int, threads: int) -> int:
    # The inverse of occupancy: warps up, registers down, each to its unit, or the last block would not fit.
    warps = rounded_up(warps_of(device, threads), device.warp_unit_per_sm)
    per_warp = rounded_down(registers // warps, device.register_unit_per_warp)
    return min(per_warp // device.threads_per_warp, device.registers_per_thread)


def sm_shortages(device: Device, ctas: Iterable[tuple[Launch, int]]) -> tuple[str, ...]:
    """Return what one SM lacks to hold these CTAs together, as arithmetic; empty if they fit as far as is known.

    Warps are spread evenly over the SM's quarters, so that one kind of launch alone fits exactly up to its occupancy.
    """
    held = tuple((launch, count) for launch, count in ctas if count)
    uses = (
        ("registers", [_registers_held(device, launch, count) for launch, count in held], device.registers_per_sm),
        ("warps", [warps_of(device, launch.threads or 0) * count for launch, count in held], device.warps_per_sm),
        ("shared memory", [shared_bytes_held(device, launch) * count for launch, count in held], device.shared_bytes_per_sm),
        ("CTA slots", [count for _, count in held], device.most_ctas_per_sm),
    )
    return tuple(f"{name} {sum_text(parts)} > {limit:,}" for name, parts, limit in uses if sum(parts) > limit)


def _registers_held(device: Device, launch: Launch, count: int) -> int:
    if launch.threads is None or launch.registers is None:
        return 0
    warps = rounded_up(warps_of(device, launch.threads) * count, device.warp_unit_per_sm)
    return warps * registers_per_warp(device, launch.registers)


def sum_text(parts: Sequence[int]) -> str:
    """Return a sum with its terms, `88 + 44 = 132`; one term stands alone."""
    terms = " + ".join(f"{part:,}" for part in parts)
    return terms if len(parts) == 1 else f"{terms} = {sum(parts):,}"
