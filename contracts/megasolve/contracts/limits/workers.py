"""What one worker of a launch has: the staging space of its CTA, and the registers of its threads."""

from __future__ import annotations

from ..model.contract import Contract
from ..model.device import Device
from .occupancy import register_limit


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


def entry_registers(contract: Contract, device: Device) -> int | None:
    """Return the registers that a computing thread of *contract* can hold on *device*; None where the launch states no threads.

    They are the register limit of the resident threads, or what the largest of the warp roles was given (paper, Table I).
    """
    launch = contract.launch
    if launch.roles:
        return max(role.registers for role in launch.roles)
    return None if launch.threads is None else register_limit(device, launch.threads * launch.ctas_per_sm)
