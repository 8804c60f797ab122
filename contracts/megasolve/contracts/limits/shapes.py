"""Launch shapes: why one CTA of an entry, or as many per SM as it declares, cannot be resident on a device."""

from __future__ import annotations

from collections.abc import Iterator

from ..model.contract import Contract
from ..model.device import Device
from ..model.findings import Rule, RuleKind
from .lighter import shared_bytes_for, what_would_fit
from .occupancy import cta_register_limit, largest_legal_threads, occupancy, registers_per_warp, rounded_up, shared_bytes_held, warps_of
from .violations import Violation

THREADS = Rule("LIM-07", "threads-exceed-cta", "A CTA has at most as many threads as the device allows.", RuleKind.LIMIT)
THREAD_REGISTERS = Rule("LIM-08", "registers-exceed-thread", "A thread holds no more registers than the device allows.", RuleKind.LIMIT)
REGISTERS = Rule("LIM-09", "registers-exceed-sm", "The registers of one CTA fit in the register file.", RuleKind.LIMIT)
SHARED = Rule("LIM-10", "shared-memory-exceeds-cta", "The shared memory of one CTA is within the device's limit.", RuleKind.LIMIT)
RESIDENT = Rule("LIM-11", "occupancy-below-declared", "An SM holds as many CTAs as the contract declares.", RuleKind.LIMIT)


def shape_violations(device: Device, contract: Contract) -> tuple[Violation, ...]:
    """Return every reason why *device* cannot hold the launch shape of *contract*; what the launch leaves open is skipped."""
    return (
        *_threads(device, contract),
        *_thread_registers(device, contract),
        *_registers(device, contract),
        *_shared(device, contract),
        *_declared_residency(device, contract),
    )


def _threads(device: Device, contract: Contract) -> Iterator[Violation]:
    threads = contract.launch.threads
    limit = min(device.threads_per_cta, device.threads_per_sm)
    if threads is not None and threads > limit:
        yield Violation(THREADS, f"threads: {threads:,} > {limit:,} per CTA on {device.name}", ("launch", "threads"))


def _thread_registers(device: Device, contract: Contract) -> Iterator[Violation]:
    registers = contract.launch.registers
    if registers is not None and registers > device.registers_per_thread:
        because = f"registers: {registers:,} > {device.registers_per_thread:,} per thread on {device.name}"
        yield Violation(THREAD_REGISTERS, because, ("launch", "registers"))


def _registers(device: Device, contract: Contract) -> Iterator[Violation]:
    threads, registers = contract.launch.threads, contract.launch.registers
    if threads is None or registers is None:
        return
    limit = min(device.registers_per_cta, device.registers_per_sm)
    warps, per_warp = warps_of(threads), registers_per_warp(device, registers)
    held = rounded_up(warps, device.warp_unit_per_sm)
    if held * per_warp <= limit:
        return
    groups = "" if held == warps else f" (held as {held}, in groups of {device.warp_unit_per_sm})"
    owner = "SM" if limit == device.registers_per_sm else "CTA"
    because = f"registers: {warps} warps{groups} x {per_warp:,} = {held * per_warp:,} > {limit:,} per {owner}"
    yield Violation(REGISTERS, f"{because}; {_register_repair(device, threads, registers)}", ("launch", "registers"))


def _register_repair(device: Device, threads: int, registers: int) -> str:
    # A smaller count is another build: the compiler spills when it compiles, never when the kernel is launched.
    legal = min(threads, device.threads_per_cta)
    compiled = f"a {legal:,}-thread variant needs a compiled entry with at most {cta_register_limit(device, legal)} registers"
    largest = largest_legal_threads(device, registers)
    if not largest:
        return compiled
    return f"the largest legal block at {registers} registers is {largest:,} threads; {compiled}"


def _shared(device: Device, contract: Contract) -> Iterator[Violation]:
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
    yield Violation(SHARED, because, ("launch", "shared_bytes"))


def _declared_residency(device: Device, contract: Contract) -> Iterator[Violation]:
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
    yield Violation(RESIDENT, because, ("launch", "ctas_per_sm"))
