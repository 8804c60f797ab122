"""The rows of ``cuda_kern_exec_trace``: each kernel with the call that launched it, the wait in between, grid and block.

Its columns, in nsys 2021 to 2024: API Start, API Dur, Queue Start, Queue Dur, Kernel Start, Kernel Dur, Total Dur, PID, TID, DevId,
API Function, GridXYZ, BlockXYZ, Kernel Name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from operator import attrgetter

from ....model.wording import counted
from ...execution import GraphNode, Kernel, KernelShape, Site
from ...text.csv_table import TextLines, count_at
from ..times import Times, rounding_notes
from .columns import ReportColumn, ReportHeader
from .kern_sum import three_sizes
from .trace import NOT_COLLECTED, Trace

LAUNCHED_TWICE = "rows of a kernel whose launch stands there as a runtime and a driver call"

_PLACELESS = (
    "this report has neither streams, registers and shared memory nor what was launched by a call that is not in the recording: import the"
    " sqlite export for them"
)


def read_exec_trace(found: ReportHeader, lines: TextLines, rows: Iterator[list[str]]) -> Trace:
    """Return the kernels of *rows* in order of start; a row that is none, or a table without kernels, is refused with its line."""
    reader = _Reader(found, lines)
    kernels = [kernel for cells in rows if (kernel := reader.kernel(cells)) is not None]
    if not kernels:
        raise lines.refused(f"the {found.report} report has no kernels", found.header.line)
    kernels.sort(key=attrgetter("start_ps"))
    return Trace(tuple(kernels), (), dict(reader.dropped), (_PLACELESS, *reader.notes()))


class _Reader:
    """Rows to kernels; equal cells give one shape and one site. All kernels of one launch call, as of a graph, have its number."""

    def __init__(self, found: ReportHeader, lines: TextLines) -> None:
        self.dropped: Counter[str] = Counter()
        self._found = found
        self._lines = lines
        self._called = Times(found.columns["apistart"], lines)
        self._start = Times(found.columns["kernelstart"], lines)
        self._duration = Times(found.columns["kerneldur"], lines)
        self._calls: dict[tuple[Site, int], int] = {}
        self._seen: dict[tuple[KernelShape, Site, int, int], int] = {}
        self._shapes: dict[KernelShape, KernelShape] = {}
        self._sites: dict[Site, Site] = {}
        self._zeros: list[int] = []

    def kernel(self, cells: list[str]) -> Kernel | None:
        """Return the kernel of a row, None for one that was not collected or stands there already, under another call around its launch."""
        shape, site = self._shape(cells), self._site(cells)
        start_ps, duration_ps = self._start.of(cells), self._duration.of(cells)
        call = self._calls.setdefault((site, self._called.of(cells)), len(self._calls) + 1)
        if start_ps == duration_ps == 0:
            self.dropped[NOT_COLLECTED] += 1
            return None
        if self._seen.setdefault((shape, site, start_ps, duration_ps), call) != call:
            self.dropped[LAUNCHED_TWICE] += 1
            return None
        if duration_ps == 0:
            self._zeros.append(self._lines.number)
        graph = GraphNode() if "GraphLaunch" in self._text("apifunction", cells) else None
        return Kernel(shape, site, start_ps, duration_ps, self._lines.number, call, graph)

    def notes(self) -> Iterator[str]:
        """Yield what a user should know about these rows."""
        if self._zeros:
            yield f"{counted(len(self._zeros), 'kernel')} without a duration, the first on line {self._zeros[0]}"
        yield from rounding_notes((self._start, self._duration))

    def _shape(self, cells: list[str]) -> KernelShape:
        name = self._text("kernelname", cells)
        if not name.strip():
            raise self._lines.refused(f"{self._found.columns['kernelname'].title} is empty")
        grid, block = (three_sizes(column, self._lines, cells) for column in self._found.of("gridxyz", "blockxyz"))
        shape = KernelShape(name, grid, block)
        return self._shapes.setdefault(shape, shape)

    def _site(self, cells: list[str]) -> Site:
        device, process = (self._count(column, cells) for column in self._found.of("devid", "pid"))
        site = Site(device=device, process=process)
        return self._sites.setdefault(site, site)

    def _count(self, column: ReportColumn | None, cells: list[str]) -> int | None:
        return None if column is None else count_at(self._lines, column.title, cells[column.index])

    def _text(self, name: str, cells: list[str]) -> str:
        column = self._found.columns.get(name)
        return "" if column is None else cells[column.index]
