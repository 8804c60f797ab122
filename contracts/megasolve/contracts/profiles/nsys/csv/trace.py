"""The rows of ``cuda_gpu_trace``: kernels with their shape and place, between memory operations that are none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from operator import attrgetter

from ....model.wording import counted
from ...errors import ProfileRefused
from ...execution import Interval, Kernel, ObservedDevice
from ...text.csv_table import TextLines, count_at
from ..times import Times, rounding_notes
from .columns import ReportHeader
from .places import CellSites, Shapes

MEMORY_OPERATIONS = "memory operations"
NOT_COLLECTED = "kernels whose times were not collected"


@dataclass(frozen=True, slots=True)
class Trace:
    """What the rows of one trace say."""

    kernels: tuple[Kernel, ...]
    devices: tuple[ObservedDevice, ...]
    dropped: Mapping[str, int]
    notes: tuple[str, ...]
    copies: tuple[Interval, ...] = ()


def read_trace(found: ReportHeader, lines: TextLines, rows: Iterator[list[str]]) -> Trace:
    """Return the kernels of *rows* in order of start; a row that is none, or a table without kernels, is refused with its line."""
    reader = _Reader(found, lines)
    kernels = []
    for cells in rows:
        cells.append("")
        kernel = reader.kernel(cells)
        if kernel is not None:
            kernels.append(kernel)
    if not kernels:
        raise lines.refused(f"the {found.report} report has no kernels{_memory_only(reader.dropped)}", found.header.line)
    kernels.sort(key=attrgetter("start_ps"))
    devices = sorted(reader.sites.devices.items())
    copies = tuple(sorted(reader.copies, key=attrgetter("start_ps")))
    return Trace(tuple(kernels), tuple(device for _, device in devices), dict(reader.dropped), tuple(reader.notes()), copies)


def _memory_only(dropped: Mapping[str, int]) -> str:
    if not dropped:
        return ""
    left_out = ", ".join(f"{reason} ({count})" for reason, count in dropped.items())
    return f", only {left_out}; record again with --cuda-graph-trace=node if the program replays CUDA graphs"


class _Reader:
    """Rows to kernels, with what was left out and what was odd."""

    def __init__(self, found: ReportHeader, lines: TextLines) -> None:
        self.dropped: Counter[str] = Counter()
        self.copies: list[Interval] = []
        self.sites = CellSites(found, lines)
        self._shapes = Shapes(found, lines)
        self._lines = lines
        self._start = Times(found.columns["start"], lines)
        self._duration = Times(found.columns["duration"], lines)
        self._correlation = found.columns.get("corrid")
        self._shared = [column for column in found.of("stcsmem", "dymsmem") if column is not None]
        self._zeros: list[int] = []

    def kernel(self, cells: list[str]) -> Kernel | None:
        """Return the kernel of a row, or None for a memory operation and for times that were not collected."""
        shape = self._shapes.of(cells)
        if shape is None:
            self.dropped[MEMORY_OPERATIONS] += 1
            self._take_copy(cells)
            return None
        start_ps, duration_ps = self._start.of(cells), self._duration.of(cells)
        if duration_ps == 0 and not self._keeps_zero(start_ps):
            return None
        return Kernel(shape, self.sites.of(cells), start_ps, duration_ps, self._lines.number, self._correlation_of(cells))

    def _take_copy(self, cells: list[str]) -> None:
        # No kernel: one whose times cannot be read is only not known to have filled an idle time.
        with suppress(ProfileRefused):
            start_ps = self._start.of(cells)
            self.copies.append(Interval(start_ps, start_ps + self._duration.of(cells), self.sites.of(cells).device))

    def notes(self) -> Iterator[str]:
        """Yield what a user should know about these rows."""
        rounded = [column.title for column in self._shared if column.unit not in {None, "B", "byte"}]
        if rounded:
            yield f"shared memory is rounded to the digits of {rounded[0]}: import the sqlite export for exact bytes"
        if self._zeros:
            yield f"{counted(len(self._zeros), 'kernel')} without a duration, the first on line {self._zeros[0]}"
        yield from rounding_notes((self._start, self._duration))

    def _keeps_zero(self, start_ps: int) -> bool:
        # CUPTI writes 0 for both ends of what it did not collect; a kernel of no length elsewhere is a short one.
        if start_ps == 0:
            self.dropped[NOT_COLLECTED] += 1
            return False
        self._zeros.append(self._lines.number)
        return True

    def _correlation_of(self, cells: list[str]) -> int | None:
        if self._correlation is None:
            return None
        return count_at(self._lines, self._correlation.title, cells[self._correlation.index])
