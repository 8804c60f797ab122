"""One conventional contract for each kernel that a profile shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from statistics import median_low
from typing import Any

from ..contract import Contract
from ..device import LaunchKind
from .execution import Execution, KernelShape
from .observation import Observation, ObservedKernel
from .scaffold_names import entry_names

IMPLEMENTATION = "profiled"


def kernel_contracts(observation: Observation, kind: LaunchKind) -> tuple[Contract, ...]:
    """Return the contracts of the observed kernels, in their order.

    Launches cost nothing but the gaps that were measured before them: what a host does in between is in those gaps.
    """
    kernels = observation.kernels
    entries, gaps = entry_names(kernels), gaps_per_launch_ps(kernels)
    places = _orders(kernels)
    drafts = zip(kernels, entries, places, gaps, strict=True)
    return tuple(Contract.model_validate(_draft(*draft, kind), by_alias=True, by_name=False) for draft in drafts)


def launch_kind(executions: Sequence[Execution]) -> LaunchKind:
    """Return how most kernels reached the device: replayed by a graph, or launched one by one."""
    kernels = [kernel for execution in executions if execution.is_timeline for kernel in execution.kernels]
    replayed = sum(kernel.graph is not None for kernel in kernels)
    return "graph" if 2 * replayed > len(kernels) else "stream"


def gaps_per_launch_ps(kernels: Sequence[ObservedKernel]) -> tuple[int, ...]:
    """Return the gap before each launch of every kernel, so that all gaps together come as near to their sum as they can.

    A gap of a whole step seldom divides by its launches; what rounding leaves over goes to the next kernel, those with most launches
    first, so that the last ones, launched once, take up nearly all of it.
    """
    gaps = [0] * len(kernels)
    left = 0
    for index in sorted(range(len(kernels)), key=lambda index: -kernels[index].launches):
        kernel = kernels[index]
        wanted = typical(kernel.gap_samples_ps) + left
        gaps[index] = max(0, round(Decimal(wanted) / kernel.launches)) if kernel.gap_samples_ps else 0
        left = wanted - gaps[index] * kernel.launches
    return tuple(gaps)


def typical(samples: Sequence[int]) -> int:
    """Return the lower median of *samples*, 0 where there are none."""
    return median_low(samples) if samples else 0


def _orders(kernels: Sequence[ObservedKernel]) -> tuple[int, ...]:
    """Return the place of each kernel among those of its group, from 0."""
    orders: dict[str, int] = {}
    return tuple(_next(orders, kernel.group) for kernel in kernels)


def _next(orders: dict[str, int], group: str) -> int:
    orders[group] = orders.get(group, -1) + 1
    return orders[group]


def _draft(kernel: ObservedKernel, entry: str, order: int, gap_ps: int, kind: LaunchKind) -> Mapping[str, Any]:
    return {
        "megasolve": "contract/v1",
        "entry": entry,
        "backend": "conventional",
        "members": (kernel.group,),
        "implementation": IMPLEMENTATION,
        "order": order,
        "kernels": kernel.launches,
        **({} if kernel.shape.ctas is None else {"grid_ctas": kernel.shape.ctas}),
        "launch": dict(_launch(kernel.shape)),
        "dispatch": {"kind": kind, "host_waits": False, "host_us": 0, "exposed_us": 0, "gap_us": Decimal(gap_ps).scaleb(-6)},
        "observed": {"kernels": (kernel.shape.name,)},
        "notes": _notes(kernel.shape),
    }


def _notes(shape: KernelShape) -> str:
    sizes = [f"{word} {'x'.join(map(str, size))}" for word, size in (("grid", shape.grid), ("block", shape.block)) if size is not None]
    return "; ".join([shape.name, *sizes])


def _launch(shape: KernelShape) -> Iterator[tuple[str, object]]:
    """Yield what is known of the launch, and why the rest is not."""
    figures = {"threads": shape.threads, "registers": shape.registers, "shared_bytes": shape.shared_bytes}
    yield from ((key, figure) for key, figure in figures.items() if figure is not None)
    if shape.cluster_ctas is not None and shape.cluster_ctas > 1:
        yield "cluster_ctas", shape.cluster_ctas
    if unknown := [key.replace("_bytes", " memory") for key, figure in figures.items() if figure is None]:
        yield "unverified", f"the profile does not say: {', '.join(unknown)}"
