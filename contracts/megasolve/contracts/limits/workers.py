"""What one worker of a launch has: the staging space of its CTA, what its loads have under way, and the registers of its threads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..model.contract import Contract
from ..model.device import Device
from ..model.programs.operators import ShapedOperator
from .occupancy import register_limit

PIPELINE_KEYS = ("rows_per_tile", "columns_per_tile", "depth_per_stage", "stages")
"""What a geometry has to state so that the bytes under way follow from it."""
ELEMENT_BYTES = 2
REGISTER_BYTES = 4


def worker_space_bytes(contract: Contract, device: Device) -> int:
    """Return the staging space of one CTA of *contract* on *device*.

    It is the shared memory that the launch asks for; a launch that states none may use what a CTA can have there.
    """
    launch = contract.launch
    # A kernel that was observed keeps its output in registers, too; how it cuts it nobody recorded.
    stated = 0 if contract.backend == "conventional" and contract.observed else launch.shared_bytes
    return stated or min(device.shared_bytes_per_cta, _share_of_sm(device, launch.ctas_per_sm))


def _share_of_sm(device: Device, ctas: int) -> int:
    return max(device.shared_bytes_per_sm // ctas - device.shared_reserve_bytes, 0)


def most_bytes_held(contract: Contract, device: Device) -> int:
    """Return the most bytes that loads of one CTA of *contract* find a place for on *device*, in shared memory or in registers.

    It is what a launch that states neither can have where as many CTAs as it declares share the SM.
    """
    ctas = contract.launch.ctas_per_sm
    registers = min(device.registers_per_cta, device.registers_per_sm // ctas)
    return max(min(device.shared_bytes_per_cta, _share_of_sm(device, ctas)), registers * REGISTER_BYTES)


def in_flight_bytes(contract: Contract) -> int | None:
    """Return what the loads of one CTA of *contract* can have under way at a time; None where nothing limits it.

    Derived, that is what the stages of its pipeline hold: a slice of the rows and one of the columns of a tile each, as deep as a stage.
    None also where the geometry does not say so much.
    """
    if not isinstance(contract.in_flight_bytes, str):
        return contract.in_flight_bytes
    found = _pipeline(contract.geometry or {})
    if found is None:
        return None
    rows, columns, depth, stages = found
    element_bytes, weight_bytes = _widths(contract)
    return stages * depth * (rows * element_bytes + columns * weight_bytes)


def _pipeline(geometry: Mapping[str, Any]) -> tuple[int, int, int, int] | None:
    sizes = [geometry.get(key) for key in PIPELINE_KEYS]
    whole = [size for size in sizes if isinstance(size, int) and not isinstance(size, bool) and size > 0]
    return (whole[0], whole[1], whole[2], whole[3]) if len(whole) == len(PIPELINE_KEYS) else None


def _widths(contract: Contract) -> tuple[int, int]:
    """Return the widest elements of activations and of weights among the operators of *contract*."""
    known = (operator for program in contract.programs.values() for block in program for operator in block.operators)
    shaped = [operator for operator in known if isinstance(operator, ShapedOperator)]
    weights = (one.element_bytes if one.weight_element_bytes is None else one.weight_element_bytes for one in shaped)
    return max((one.element_bytes for one in shaped), default=ELEMENT_BYTES), max(weights, default=ELEMENT_BYTES)


def entry_registers(contract: Contract, device: Device) -> int | None:
    """Return the registers that a computing thread of *contract* can hold on *device*; None where the launch states no threads.

    They are the register limit of the resident threads, or what the largest of the warp roles was given (paper, Table I).
    """
    launch = contract.launch
    if launch.roles:
        return max(role.registers for role in launch.roles)
    return None if launch.threads is None else register_limit(device, launch.threads * launch.ctas_per_sm)


def unlimited_loads(contract: Contract, device: Device) -> str | None:
    """Say that the bytes in flight of *contract* limit nothing on *device*; None where they do, or where it states none."""
    if contract.in_flight_bytes is None or device.hbm_latency_ps:
        return None
    return f"in_flight_bytes of '{contract.entry}' limits nothing: {device.name} states no hbm_latency_us to divide it by"


def unknown_l2(contract: Contract, device: Device) -> str | None:
    """Say that nothing of *contract* stays in the L2 of *device*, whose size nobody states; None where that is known, or not counted on."""
    if not contract.stays_in_l2 or device.l2_bytes is not None:
        return None
    return f"stays_in_l2 of '{contract.entry}' keeps nothing: {device.name} states no l2_bytes that it could fit"
