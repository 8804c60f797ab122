"""The shape of a kernel and the place where it ran, from the cells of one row of ``cuda_gpu_trace``."""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import itemgetter

from ...execution import Dim3, KernelShape, ObservedDevice, Site
from ...text.csv_table import TextLines, amount_at, count_at, resolution
from .columns import ReportHeader

_DEVICE = re.compile(r"(?P<name>.*\S)\s*\((?P<number>[0-9]{1,9})\)", re.DOTALL)
_MEMORY_NAMES = ("[CUDA mem", "[CUDA Unified Memory")
_GRID = ("grdx", "grdy", "grdz")
_BLOCK = ("blkx", "blky", "blkz")
_SHAPE = ("name", *_GRID, *_BLOCK, "reg/trd", "stcsmem", "dymsmem", "bytes")
_SITE = ("device", "ctx", "strm")


class Shapes:
    """Cells to shapes: equal cells give the same object, and those of a memory operation None."""

    def __init__(self, found: ReportHeader, lines: TextLines) -> None:
        self._lines = lines
        self._columns = found.columns
        self._cells = _picker(found, _SHAPE)
        self._known: dict[tuple[str, ...], KernelShape | None] = {}

    def of(self, cells: list[str]) -> KernelShape | None:
        """Return the shape of the kernel on a row, which has one empty cell more than the header."""
        key = self._cells(cells)
        if key not in self._known:
            self._known[key] = self._shape(dict(zip(_SHAPE, key, strict=True)))
        return self._known[key]

    def _shape(self, texts: dict[str, str]) -> KernelShape | None:
        if texts["bytes"].strip() or texts["name"].startswith(_MEMORY_NAMES):
            return None
        if not texts["name"].strip():
            raise self._lines.refused(f"{self._columns['name'].title} is empty")
        static, static_step = self._bytes("stcsmem", texts)
        dynamic, dynamic_step = self._bytes("dymsmem", texts)
        return KernelShape(
            texts["name"],
            self._dim3(_GRID, texts),
            self._dim3(_BLOCK, texts),
            self._count("reg/trd", texts) or None,
            static,
            dynamic,
            None if static is None or dynamic is None else static + dynamic,
            (static_step + dynamic_step) // 2,
        )

    def _dim3(self, names: tuple[str, str, str], texts: dict[str, str]) -> Dim3 | None:
        x, y, z = (self._count(name, texts) for name in names)
        if x and y and z:
            return x, y, z
        if x is None and y is None and z is None:
            return None
        found = ", ".join(f"{self._columns[name].title} {texts[name].strip() or 'empty'}" for name in names if name in self._columns)
        raise self._lines.refused(f"a grid and a block need three sizes above 0 ({found})")

    def _count(self, name: str, texts: dict[str, str]) -> int | None:
        return count_at(self._lines, self._columns[name].title, texts[name]) if name in self._columns else None

    def _bytes(self, name: str, texts: dict[str, str]) -> tuple[int | None, int]:
        """Return a size and what one step of its last digit is worth: 0 for whole bytes."""
        text = texts[name].strip()
        if not text:
            return None, 0
        column = self._columns[name]
        unit_bytes = column.unit_bytes(self._lines)
        return amount_at(self._lines, column.title, text, unit_bytes), resolution(text, unit_bytes) if unit_bytes > 1 else 0


class CellSites:
    """Cells to sites: equal cells give the same object. *devices* are those that were named, by number."""

    def __init__(self, found: ReportHeader, lines: TextLines) -> None:
        self.devices: dict[int, ObservedDevice] = {}
        self._lines = lines
        self._cells = _picker(found, _SITE)
        self._known: dict[tuple[str, ...], Site] = {}

    def of(self, cells: list[str]) -> Site:
        """Return the site of the kernel on a row, which has one empty cell more than the header."""
        key = self._cells(cells)
        if key not in self._known:
            device, context, stream = key
            self._known[key] = Site(self._device(device), self._count("Ctx", context), self._count("Strm", stream))
        return self._known[key]

    def _count(self, title: str, text: str) -> int | None:
        return count_at(self._lines, title, text)

    def _device(self, text: str) -> int | None:
        match = _DEVICE.fullmatch(text)
        if match is None:
            return None
        number = int(match["number"])
        self.devices.setdefault(number, ObservedDevice(number, match["name"]))
        return number


def _picker(found: ReportHeader, names: tuple[str, ...]) -> Callable[[list[str]], tuple[str, ...]]:
    """Return what picks the cells of the columns *names*; a missing column is the empty cell behind the last one."""
    behind = len(found.header.columns)
    first, *others = (column.index if column else behind for column in found.of(*names))
    return itemgetter(first, *others)
