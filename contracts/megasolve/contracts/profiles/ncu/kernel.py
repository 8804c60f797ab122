"""One kernel of an Nsight Compute report, from the cells that name it and the metrics that belong to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from ..csv_table import Lines
from ..execution import Dim3, Kernel, KernelShape, ObservedDevice, Site
from ..wording import counted
from .columns import Quantity
from .metrics import Metrics

_DIM3 = re.compile(r"\(?\s*(\d{1,10}),\s*(\d{1,10}),\s*(\d{1,10})\s*\)?", re.ASCII)
_NUMBER = re.compile(r"\d{1,18}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Identity:
    """The cells that name a kernel, the same on each of its rows; empty where the table has no such column."""

    number: str
    name: str
    process: str = ""
    context: str = ""
    stream: str = ""
    device: str = ""
    compute_capability: str = ""
    grid: str = ""
    block: str = ""


class Kernels:
    """Makes the kernels of a file; equal kernels share one shape and one site."""

    def __init__(self, lines: Lines) -> None:
        self.devices: dict[int, ObservedDevice] = {}
        self.products_only = 0
        self.rounded_bytes = 0
        self._lines = lines
        self._shapes: dict[KernelShape, KernelShape] = {}
        self._sites: dict[Site, Site] = {}

    def kernel(self, identity: Identity, metrics: Metrics, line: int) -> Kernel:
        """Return the kernel that *identity* names. Its duration is that of a replay under the profiler, with caches flushed."""
        shape = self._shape(identity, metrics)
        site = Site(_count(identity.device), _count(identity.context), _count(identity.stream), _count(identity.process))
        self._note_device(site, identity, metrics)
        return Kernel(
            self._shapes.setdefault(shape, shape),
            self._sites.setdefault(site, site),
            None,
            metrics.time_ps(Quantity.DURATION),
            line,
            hbm_bytes=self._hbm_bytes(metrics),
        )

    def notes(self) -> Iterator[str]:
        """Yield what a user should know about these kernels."""
        if self.products_only:
            yield f"{counted(self.products_only, 'kernel')} with the grid only as a product: export with --page raw for x, y and z"
        if self.rounded_bytes:
            yield f"memory is rounded, by up to {self.rounded_bytes:,} bytes: export with --print-units base for exact bytes"

    def _shape(self, identity: Identity, metrics: Metrics) -> KernelShape:
        grid = _dim3(identity.grid) or _dim3_of(metrics, Quantity.GRID_X, Quantity.GRID_Y, Quantity.GRID_Z)
        block = _dim3(identity.block) or _dim3_of(metrics, Quantity.BLOCK_X, Quantity.BLOCK_Y, Quantity.BLOCK_Z)
        self._check_products(metrics, grid, block)
        static, dynamic = metrics.bytes(Quantity.STATIC_SHARED), metrics.bytes(Quantity.DYNAMIC_SHARED)
        return KernelShape(
            identity.name,
            grid,
            block,
            metrics.count(Quantity.REGISTERS) or None,
            static,
            dynamic,
            None if static is None or dynamic is None else static + dynamic,
            (metrics.step_bytes(Quantity.STATIC_SHARED) + metrics.step_bytes(Quantity.DYNAMIC_SHARED)) // 2,
            metrics.count(Quantity.CLUSTER_CTAS) or None,
        )

    def _check_products(self, metrics: Metrics, grid: Dim3 | None, block: Dim3 | None) -> None:
        for quantity, sizes in ((Quantity.GRID_SIZE, grid), (Quantity.BLOCK_SIZE, block)):
            size = metrics.count(quantity)
            if size is not None and sizes is None and quantity is Quantity.GRID_SIZE:
                self.products_only += 1
            if size is not None and sizes is not None and size != prod(sizes):
                metric = metrics.found[quantity]
                raise self._lines.refused(f"{metric.name} is {size}, but its three sizes are {sizes}", metric.line)

    def _hbm_bytes(self, metrics: Metrics) -> int | None:
        total = metrics.bytes(Quantity.HBM)
        parts = [metrics.bytes(Quantity.HBM_READ), metrics.bytes(Quantity.HBM_WRITTEN)]
        known = [part for part in parts if part is not None]
        if total is None and len(known) < len(parts):
            return None
        steps = [Quantity.HBM] if total is not None else [Quantity.HBM_READ, Quantity.HBM_WRITTEN]
        self.rounded_bytes = max(self.rounded_bytes, sum(map(metrics.step_bytes, steps)) // 2)
        return sum(known) if total is None else total

    def _note_device(self, site: Site, identity: Identity, metrics: Metrics) -> None:
        if site.device is not None and site.device not in self.devices:
            self.devices[site.device] = ObservedDevice(
                site.device, metrics.text(Quantity.DEVICE_NAME), metrics.count(Quantity.SMS), identity.compute_capability or None
            )


def _count(text: str) -> int | None:
    return int(text) if _NUMBER.fullmatch(text) else None


def _dim3(text: str) -> Dim3 | None:
    match = _DIM3.fullmatch(text)
    if match is None:
        return None
    x, y, z = map(int, match.groups())
    return (x, y, z) if x and y and z else None


def _dim3_of(metrics: Metrics, *quantities: Quantity) -> Dim3 | None:
    sizes = [size for quantity in quantities if (size := metrics.count(quantity))]
    return (sizes[0], sizes[1], sizes[2]) if len(sizes) == len(quantities) else None
