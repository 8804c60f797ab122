"""Launch shapes: why one CTA of an entry, or as many per SM as it declares, cannot be resident on a device."""

from __future__ import annotations

from collections.abc import Iterator

from ..model.contract import Contract
from ..model.device import Device
from ..model.findings import Fault
from ..model.rules import RuleKind, rule
from .lighter import shared_bytes_for, what_would_fit
from .occupancy import (
    cta_register_limit,
    largest_legal_threads,
    occupancy,
    registers_per_warp,
    rounded_up,
    shared_bytes_held,
    warps_of,
    warps_text,
)
from .subjects import SHAPE


@rule("LIM-07", "threads-exceed-cta", "A CTA has at most as many threads as the device allows.", RuleKind.LIMIT, on=SHAPE)
def threads_exceed_cta(device: Device, contract: Contract) -> Iterator[Fault]:
    """A larger block is refused when it is launched."""
    threads = contract.launch.threads
    limit = min(device.threads_per_cta, device.threads_per_sm)
    if threads is not None and threads > limit:
        yield Fault(threads_exceed_cta, ("launch", "threads"), f"threads: {threads:,} > {limit:,} per CTA on {device.name}")


@rule("LIM-08", "registers-exceed-thread", "A thread holds no more registers than the device allows.", RuleKind.LIMIT, on=SHAPE)
def registers_exceed_thread(device: Device, contract: Contract) -> Iterator[Fault]:
    """No build has such a count, so it was written by hand."""
    registers = contract.launch.registers
    if registers is not None and registers > device.registers_per_thread:
        because = f"registers: {registers:,} > {device.registers_per_thread:,} per thread on {device.name}"
        yield Fault(registers_exceed_thread, ("launch", "registers"), because)


@rule("LIM-09", "registers-exceed-sm", "The registers of one CTA fit in the register file.", RuleKind.LIMIT, on=SHAPE)
def registers_exceed_sm(device: Device, contract: Contract) -> Iterator[Fault]:
    """Registers are held by whole warps, in groups of the allocation unit."""
    threads, registers = contract.launch.threads, contract.launch.registers
    if threads is None or registers is None:
        return
    limit = min(device.registers_per_cta, device.registers_per_sm)
    warps, per_warp = warps_of(device, threads), registers_per_warp(device, registers)
    held = rounded_up(warps, device.warp_unit_per_sm)
    if held * per_warp <= limit:
        return
    groups = "" if held == warps else f" (held as {held}, in groups of {device.warp_unit_per_sm})"
    owner = "SM" if limit == device.registers_per_sm else "CTA"
    because = f"registers: {warps_text(device, warps)}{groups} x {per_warp:,} = {held * per_warp:,} > {limit:,} per {owner}"
    yield Fault(registers_exceed_sm, ("launch", "registers"), f"{because}; {_register_repair(device, threads, registers)}")


def _register_repair(device: Device, threads: int, registers: int) -> str:
    # A smaller count is another build: the compiler spills when it compiles, never when the kernel is launched.
    legal = min(threads, device.threads_per_cta)
    compiled = f"a {legal:,}-thread variant needs a compiled entry with at most {cta_register_limit(device, legal)} registers"
    largest = largest_legal_threads(device, registers)
    if not largest:
        return compiled
    return f"the largest legal block at {registers} registers is {largest:,} threads; {compiled}"


@rule("LIM-10", "shared-memory-exceeds-cta", "The shared memory of one CTA is within the device's limit.", RuleKind.LIMIT, on=SHAPE)
def shared_memory_exceeds_cta(device: Device, contract: Contract) -> Iterator[Fault]:
    """The limit per CTA and the file of the SM, from which each CTA takes its reserve, too."""
    asked, limit = contract.launch.shared_bytes, device.shared_bytes_per_cta
    held = shared_bytes_held(device, contract.launch)
    legal = shared_bytes_for(device, 1)
    repair = "" if legal in (None, limit) else f"; at most {legal:,} B are legal"
    if asked > limit:
        because = f"shared memory: {asked:,} B > {limit:,} B per CTA on {device.name}, {asked - limit:,} B too many{repair}"
    elif held > device.shared_bytes_per_sm:
        because = f"shared memory: {held:,} B with the reserve > {device.shared_bytes_per_sm:,} B per SM on {device.name}{repair}"
    else:
        return
    yield Fault(shared_memory_exceeds_cta, ("launch", "shared_bytes"), because)


@rule("LIM-11", "occupancy-below-declared", "An SM holds as many CTAs as the contract declares.", RuleKind.LIMIT, on=SHAPE)
def occupancy_below_declared(device: Device, contract: Contract) -> Iterator[Fault]:
    """A persistent grid counts on the declared number: with fewer on an SM, some of its CTAs never start."""
    possible, declared = occupancy(device, contract.launch), contract.launch.ctas_per_sm
    # Where not even one CTA fits, the other rules have said why.
    if not 0 < possible.ctas_per_sm < declared:
        return
    limits = ", ".join(f"{name} {ctas}" for name, ctas in possible.by.items())
    because = (
        f"occupancy: {declared} CTAs per SM declared, {possible.ctas_per_sm} fit (by {limits}); the largest legal grid on "
        f"{device.name} is {possible.ctas_per_sm} x {device.usable_sms} = {possible.ctas_per_sm * device.usable_sms:,} CTAs; "
        f"{what_would_fit(device, contract.launch, declared)}"
    )
    yield Fault(occupancy_below_declared, ("launch", "ctas_per_sm"), because)
