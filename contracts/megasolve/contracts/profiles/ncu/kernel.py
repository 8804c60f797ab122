"""One kernel of an Nsight Compute report, from the cells that name it and the metrics that belong to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from ...model.wording import counted
from ..execution import Dim3, Kernel, KernelShape, ObservedDevice, Site
from ..text.csv_table import TextLines
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


class NcuKernels:
    """Makes the kernels of a file; equal kernels share one shape and one site."""

    def __init__(self, lines: TextLines) -> None:
        self.devices: dict[int, ObservedDevice] = {}
        self.products_only = 0
        self.rounded_bytes = 0
        self.known = 0
        self.without_traffic = 0
        self._lines = lines
        self._shapes: dict[KernelShape, KernelShape] = {}
        self._sites: dict[Site, Site] = {}

    def kernel(self, identity: Identity, metrics: Metrics, line: int) -> Kernel:
        """Return the kernel that *identity* names. Its duration is that of a replay under the profiler, with caches flushed."""
        shape = self._shape(identity, metrics)
        site = Site(_count(identity.device), _count(identity.context), _count(identity.stream), _count(identity.process))
        self._note_device(site, identity, metrics)
        hbm_bytes, tolerance = self._hbm_bytes(metrics)
        return Kernel(
            self._shapes.setdefault(shape, shape),
            self._sites.setdefault(site, site),
            None,
            metrics.time_ps(Quantity.DURATION),
            line,
            hbm_bytes=hbm_bytes,
            hbm_tolerance_bytes=tolerance,
        )

    def notes(self) -> Iterator[str]:
        """Yield what a user should know about these kernels."""
        if self.products_only:
            yield f"{counted(self.products_only, 'kernel')} with the grid only as a product: export with --page raw for x, y and z"
        if self.without_traffic:
            which = "" if self.without_traffic == self.known else f" for {self.without_traffic:,} of {counted(self.known, 'kernel')}"
            yield f"no memory traffic in the file{which}: collect it with --metrics dram__bytes_read.sum,dram__bytes_write.sum"
        if self.rounded_bytes:
            yield f"memory is rounded, by up to {self.rounded_bytes:,} bytes: export with --print-units base for exact bytes"

    def _shape(self, identity: Identity, metrics: Metrics) -> KernelShape:
        grid = _dim3(identity.grid) or _dim3_of(metrics, Quantity.GRID_X, Quantity.GRID_Y, Quantity.GRID_Z)
        block = _dim3(identity.block) or _dim3_of(metrics, Quantity.BLOCK_X, Quantity.BLOCK_Y, Quantity.BLOCK_Z)
        ctas = self._product(metrics, Quantity.GRID_SIZE, identity.grid, grid)
        threads = self._product(metrics, Quantity.BLOCK_SIZE, identity.block, block)
        self.products_only += ctas is not None
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
            ctas,
            threads,
        )

    def _product(self, metrics: Metrics, quantity: Quantity, cell: str, sides: Dim3 | None) -> int | None:
        """Return the product of three sizes where only that is known; one that is not that of the *sides* is refused."""
        size = metrics.count(quantity)
        if sides is None:
            return size or _count(cell) or None
        if size is not None and size != prod(sides):
            metric = metrics.found[quantity]
            raise self._lines.refused(f"{metric.name} is {size}, but its three sizes are {sides}", metric.line)
        return None

    def _hbm_bytes(self, metrics: Metrics) -> tuple[int | None, int]:
        """Return the traffic and by how much it may be off: the total as it stands, else what was read and written, if both are known."""
        self.known += 1
        total = metrics.bytes(Quantity.HBM)
        parts = [metrics.bytes(Quantity.HBM_READ), metrics.bytes(Quantity.HBM_WRITTEN)]
        known = [part for part in parts if part is not None]
        if total is None and len(known) < len(parts):
            self.without_traffic += 1
            return None, 0
        steps = [Quantity.HBM] if total is not None else [Quantity.HBM_READ, Quantity.HBM_WRITTEN]
        tolerance = sum(map(metrics.step_bytes, steps)) // 2
        self.rounded_bytes = max(self.rounded_bytes, tolerance)
        return sum(known) if total is None else total, tolerance

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
