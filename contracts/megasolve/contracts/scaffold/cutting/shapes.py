"""What the shapes of a trace say of the model in one step: its parameters, each once, its FLOPs, and kernels below their floor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...model.base import PS_PER_SECOND
from ...model.device import Device
from ...observe.observation import Observation, ObservedKernel
from ...observe.shapes.shaped import Computed, Shaped
from ...profiles.wording import microseconds, shortened
from ..runs import typical


@dataclass(frozen=True, slots=True)
class ShapedStep:
    """What the *recognized* of all *launches* of a step come to; *layer_product_flops* are those of products in blocks that repeat.

    *below* has a sentence for each kernel that takes less than its floor. *batch* and *tokens* are None where shapes do not tell them.
    """

    launches: int
    recognized: int
    parameters: int
    product_flops: int
    layer_product_flops: int
    flops: int
    batch: int | None
    tokens: int | None
    below: tuple[str, ...] = ()


def shaped_step(observation: Observation, device: Device) -> ShapedStep | None:
    """Return what one step of *observation* comes to; None where no shapes were recorded."""
    times = {group.group: group.per_step * group.times * group.in_steps for group in observation.groups}
    layers = {group.group for group in observation.groups if group.times > 1}
    kernels = [(kernel, times.get(kernel.group, 0)) for kernel in observation.kernels]
    if not any(computed for kernel, _ in kernels for computed in kernel.computed):
        return None
    every = [(one, kernel.group, often) for kernel, often in kernels for computed in kernel.computed for one in computed]
    products = [(one, group, often) for one, group, often in every if isinstance(one, Shaped) and one.kind == "matmul"]
    return ShapedStep(
        launches=sum(kernel.launches * often for kernel, often in kernels),
        recognized=sum(often * sum(map(bool, kernel.computed)) for kernel, often in kernels),
        parameters=sum(one.parameters * often for one, _, often in every),
        product_flops=sum(one.flops * often for one, _, often in products),
        layer_product_flops=sum(one.flops * often for one, group, often in products if group in layers),
        flops=sum(one.flops * often for one, _, often in every),
        batch=observation.batch,
        tokens=observation.tokens,
        below=tuple(_below(observation.kernels, device)),
    )


def floor_ps(computed: Sequence[Computed], device: Device) -> int:
    """Return the time that no kernel beats which computes *computed* from a cold memory: bytes and FLOPs at the peaks of *device*."""
    moved = sum(one.moved_bytes for one in computed) * PS_PER_SECOND // device.hbm_peak_bytes_per_s
    rate = device.dense_flops_per_s
    return max(moved, sum(one.flops for one in computed) * PS_PER_SECOND // rate if rate else 0)


def _below(kernels: Sequence[ObservedKernel], device: Device) -> Iterator[str]:
    """Yield what takes less than its floor; what fits into the caches may have been there."""
    for kernel in kernels:
        if not kernel.computed or not all(kernel.computed):
            continue
        least_ps, took_ps = sum(floor_ps(one, device) for one in kernel.computed), typical(kernel.samples_ps)
        if took_ps < least_ps:
            moved = max(one.moved_bytes for computed in kernel.computed for one in computed)
            why = _cache_of(device, moved) or "its shapes contradict its time"
            name = f"'{shortened(kernel.shape.name, 60)}' of group {kernel.group}"
            yield f"{name} takes {microseconds(took_ps)}, below its floor of {microseconds(least_ps)}: {why}"


def _cache_of(device: Device, moved_bytes: int) -> str | None:
    """Return in which cache so many bytes may have been; None where they are too many for all."""
    if moved_bytes <= (device.l2_bytes or 0):
        return "in L2"
    return "in L3" if moved_bytes <= device.cached_bytes else None
