"""The columns of the reports of ``nsys stats``, in every spelling of the years 2020 to 2026, and which report they make.

The report scripts name a column ``Total Time:dur_ns``; the formatter shows that as ``Total Time (ns)``, in the unit that the user
asked for, or leaves it as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from ...text.csv_table import Header, TextLines
from ...text.decimals import BYTES_PER, PS_PER

_COLUMN = re.compile(r"(?P<name>[^(:\s]++(?:\s++[^(:\s]++)*+)\s*+(?:\((?P<unit>[^()]*)\)|:[a-z]+_(?P<raw>\S+))?")
_LONGER_NAMES = {"average": "avg", "median": "med", "minimum": "min", "maximum": "max"}


class ReportKind(Enum):
    """The reports that are read, of several in one file the first."""

    GPU_TRACE = "cuda_gpu_trace"
    EXEC_TRACE = "cuda_kern_exec_trace"
    KERN_SUM = "cuda_gpu_kern_sum"


# A report is the first whose columns are all there.
_SIGNATURES: tuple[tuple[str, frozenset[str]], ...] = (
    ("nvtx_gpu_proj_trace", frozenset({"projectedstart"})),
    ("nvtx_pushpop_trace", frozenset({"start", "duration", "rangestack"})),
    ("nvtx_startend_trace", frozenset({"start", "duration", "rangeid"})),
    (ReportKind.EXEC_TRACE.value, frozenset({"apistart", "kernelstart", "kerneldur", "kernelname"})),
    ("cuda_kern_exec_sum", frozenset({"kavg"})),
    ("nvtx_kern_sum", frozenset({"nvtxrange", "kernelname"})),
    ("cuda_api_trace", frozenset({"start", "duration", "name", "result"})),
    (ReportKind.GPU_TRACE.value, frozenset({"start", "duration", "name", "strm"})),
    ("nvtx_sum", frozenset({"totaltime", "instances", "range"})),
    ("nvtx_gpu_proj_sum", frozenset({"range", "totalprojtime"})),
    ("cuda_gpu_sum", frozenset({"totaltime", "instances", "operation"})),
    ("cuda_gpu_mem_time_sum", frozenset({"totaltime", "operation"})),
    ("cuda_gpu_mem_size_sum", frozenset({"total", "operation"})),
    ("cuda_api_sum or osrt_sum", frozenset({"totaltime", "numcalls", "name"})),
    (ReportKind.KERN_SUM.value, frozenset({"totaltime", "instances", "avg", "name"})),
)
# Kernels by launch call, by range, and together with memory operations.
_OTHER_SUMS = frozenset({"cuda_kern_exec_sum", "nvtx_kern_sum", "cuda_gpu_sum"})


@dataclass(frozen=True, slots=True)
class ReportColumn:
    """A column by its plain name ("Total Time" is totaltime), as the file spells it, with its unit."""

    index: int
    title: str
    unit: str | None

    def unit_ps(self, lines: TextLines) -> int:
        """Return the column's unit of time in picoseconds, or refuse the header."""
        return self._unit(lines, PS_PER, "us")

    def unit_bytes(self, lines: TextLines) -> int:
        """Return the column's unit of memory in bytes, or refuse the header; the reports of 2020 and 2021 name none and mean bytes."""
        return 1 if self.unit is None else self._unit(lines, BYTES_PER, "MB")

    def _unit(self, lines: TextLines, known: Mapping[str, int], example: str) -> int:
        if self.unit is not None and self.unit in known:
            return known[self.unit]
        found = "names no unit" if self.unit is None else f"has the unknown unit {self.unit!r}"
        raise lines.refused(f"column {self.title!r} {found}; one like ({example}) is needed")


@dataclass(frozen=True, slots=True)
class ReportHeader:
    """A header that is one of a report of ``nsys stats``, named *report*."""

    report: str
    header: Header
    columns: Mapping[str, ReportColumn]

    def of(self, *names: str) -> tuple[ReportColumn | None, ...]:
        """Return the columns of these plain names, None for each that the table lacks."""
        return tuple(self.columns.get(name) for name in names)


def report_header(header: Header) -> ReportHeader | None:
    """Return *header* as that of a report of ``nsys stats``, or None where it is of no known report."""
    columns = {}
    for index, title in enumerate(header.columns):
        match = _COLUMN.fullmatch(title)
        if match is not None:
            columns[_plain(match["name"])] = ReportColumn(index, title, match["unit"] or match["raw"])
    for report, signature in _SIGNATURES:
        if signature <= columns.keys():
            return ReportHeader(report, header, columns)
    return None


def other_reports(reports: list[str]) -> str:
    """Return why a file that holds only *reports* of ``nsys stats`` is refused, and what to export instead."""
    holds = "holds no report of nsys stats"
    if reports:
        lacks = "sums kernels in another way than is read" if reports[0] in _OTHER_SUMS else "has no kernels"
        holds = f"holds nsys's {reports[0]} report, which {lacks}"
    return f"{holds}; import what `nsys export --type sqlite` or `nsys stats --report {ReportKind.GPU_TRACE.value} --format csv` writes"


def _plain(name: str) -> str:
    joined = name.casefold().replace(" ", "")
    return _LONGER_NAMES.get(joined, joined)
