"""The hard floor of a region: what no kernel can beat, because its bytes must be moved and its FLOPs computed.

It holds for a cold call that stands alone. Weights that the same call read a step ago may still lie on the chip: of these only what is
beyond L2, shared memory and registers counts. What the region before could prefetch is not taken off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from megasolve.contracts import PS_PER_SECOND, Device, GroupSpec
from megasolve.simulate.plan.need import Question

from ...assuming.moved import Moved, moved_by
from .today import Today

BoundBy = Literal["bytes", "FLOPs"]
_REGISTER_BYTES = 4
# By how much more a tensor core does in narrow types than at the dense 16-bit rate of a device file.
_NARROW = ((4, ("fp4", "mxfp4", "nvfp4", "int4", "w4")), (2, ("fp8", "e4m3", "e5m2", "int8", "w8")))


@dataclass(frozen=True, slots=True)
class Floor:
    """The *time_ps* that one occurrence of a region takes at least, and what *bound_by*; 0 and None where nothing is known.

    *bytes* and *flops* are what it counts, *cached_bytes* what it leaves out because the call before may have left it on the chip.
    *known* of the *kernels* say what they compute: the others count nothing.
    """

    time_ps: int
    bound_by: BoundBy | None
    bytes: int
    flops: int
    cached_bytes: int
    known: int
    kernels: int

    @property
    def is_whole(self) -> bool:
        """Whether every kernel says what it computes."""
        return self.known == self.kernels


def floor_of(question: Question, device: Device, today: Today) -> Floor:
    """Return the hard floor of the region of *today*."""
    groups = [_group(question, name) for name in today.choice.region.groups]
    each = [_moved(question, group, today) for group in groups]
    counted, cached = _weights(question, device, groups, each)
    others = sum(group.calls * one.state_bytes for group, one in zip(groups, each, strict=True))
    moved = counted + others + each[0].entry_bytes + each[-1].exit_bytes
    flops = sum(group.calls * one.flops for group, one in zip(groups, each, strict=True))
    by_bytes, by_flops = _least_ps(device, question.spec.precision, moved, flops)
    time_ps = max(by_bytes, by_flops)
    bound: BoundBy | None = None if not time_ps else "bytes" if by_bytes >= by_flops else "FLOPs"
    known, kernels = (sum(getattr(one, name) for one in each) for name in ("known", "kernels"))
    return Floor(time_ps, bound, moved, flops, cached, known, kernels)


@dataclass(frozen=True, slots=True)
class KernelFloors:
    """What the kernels of one occurrence of a group take at least, one by one: *time_ps* in all.

    Of *opaque* kernels nobody says what they compute: they count with their time of today.
    """

    time_ps: int
    opaque: int


def kernel_floors(question: Question, device: Device, today: Today) -> KernelFloors:
    """Return the floors of the kernels of the one group of *today*: each loads and stores all that it reads and writes."""
    group = _group(question, today.choice.region.groups[0])
    time_ps = opaque = 0
    for contract, call_ps in zip(today.contracts, today.each_ps, strict=True):
        moved = moved_by(question.spec, group.name, [contract], question.batch, question.shapes_of(group).get("frames"))
        if moved.known:
            bytes_of = moved.weight_bytes + moved.state_bytes + moved.entry_bytes + moved.exit_bytes
            time_ps += group.calls * max(_least_ps(device, question.spec.precision, bytes_of, moved.flops))
        else:
            time_ps, opaque = time_ps + group.calls * call_ps, opaque + group.calls * contract.kernels
    return KernelFloors(time_ps, opaque)


def _least_ps(device: Device, precision: str, moved_bytes: int, flops: int) -> tuple[int, int]:
    """Return what so many bytes take at the peak bandwidth, and so many FLOPs at the peak rate, 0 where nobody states it."""
    rate = peak_flops_per_s(device, precision)
    return -(-moved_bytes * PS_PER_SECOND // device.hbm_peak_bytes_per_s), -(-flops * PS_PER_SECOND // rate) if rate else 0


def peak_flops_per_s(device: Device, precision: str) -> int | None:
    """Return the FLOPs that *device* does at most in *precision*; None where its file does not say."""
    if device.dense_flops_per_s is None:
        return None
    names = precision.lower()
    return device.dense_flops_per_s * next((times for times, narrow in _NARROW if any(one in names for one in narrow)), 1)


def on_chip_bytes(device: Device) -> int:
    """Return what *device* can hold of the last call: its caches, and shared memory and registers of all SMs."""
    per_sm = device.shared_bytes_per_sm + _REGISTER_BYTES * device.registers_per_sm
    return device.cached_bytes + device.usable_sms * per_sm


def _group(question: Question, name: str) -> GroupSpec:
    return next(group for group in question.spec.groups if group.name == name)


def _moved(question: Question, group: GroupSpec, today: Today) -> Moved:
    contracts = [one.value for one in today.choice.contracts_of(group.name)]
    return moved_by(question.spec, group.name, contracts, question.batch, question.shapes_of(group).get("frames"))


def _weights(question: Question, device: Device, groups: Sequence[GroupSpec], each: Sequence[Moved]) -> tuple[int, int]:
    """Return the weights that one occurrence must read, and those that a call before it may have left on the chip."""
    whole = sum(group.calls * one.weight_bytes for group, one in zip(groups, each, strict=True))
    if not _comes_again(question, groups):
        return whole, 0
    # Each repeat of a block has weights of its own, so that all of them share what the chip can hold.
    repeats = min(question.spec.times_of(group.name) for group in groups)
    chip = -(-on_chip_bytes(device) // repeats)
    at_least = sum(group.calls * max(one.weight_bytes - chip, 0) for group, one in zip(groups, each, strict=True))
    distinct = sum(one.weight_bytes for one in each)
    counted = max(at_least, distinct - chip, 0)
    return counted, whole - counted


def _comes_again(question: Question, groups: Sequence[GroupSpec]) -> bool:
    """Whether the same weights are read more than once until the objective is reached."""
    if question.is_steady or any(group.calls > 1 for group in groups):
        return True
    return question.horizon_step > 1 and any(group.role == "producer" for group in groups)
