"""The CSV of ``nsys stats``: cuda_gpu_trace, cuda_kern_exec_trace and cuda_gpu_kern_sum, alone or inside a captured output."""

from __future__ import annotations

from collections.abc import Iterator

from ....model.wording import counted
from ...errors import ProfileRefused
from ...execution import Execution, Format, Granularity
from ...text.csv_table import TextLines, header_of, rows_below
from ...text.source import ProfileSource
from .columns import ReportHeader, ReportKind, other_reports, report_header
from .exec_trace import read_exec_trace
from .kern_sum import read_kern_sum
from .trace import read_trace

_READ = tuple(report.value for report in ReportKind)
_REPLAYS = "this report leaves out CUDA graphs that were traced as a whole: where the program replays any, import the sqlite export"
_SUMS = "this report sums each kernel over all devices, streams and phases: it tells no step from another and has no gaps"


def read_nsys_csv(source: ProfileSource) -> Execution:
    """Return what the trace in *source* says, or the summary where there is no trace.

    Raises
    ------
    ProfileRefused
        None of the reports is in it, or one is there twice, has a row that cannot be read, or no kernels.
    """
    executions: dict[str, Execution] = {}
    others = []
    with source.open() as stream:
        lines = TextLines(stream, source.file)
        for found in _reports(lines):
            if found.report in executions:
                raise lines.refused(f"a second {found.report} report begins; import one recording at a time", found.header.line)
            if found.report in _READ:
                executions[found.report] = _read(found, lines, source)
            else:
                others.append(found.report)
    for report in _READ:
        if report in executions:
            return executions[report]
    raise ProfileRefused(source.file, other_reports(others))


def _reports(lines: TextLines) -> Iterator[ReportHeader]:
    """Yield the header of every report; whoever takes one that is read also takes its rows before asking for the next."""
    width = None
    for text in lines:
        header = header_of(text, lines.number)
        found = report_header(header)
        if found is not None:
            yield found
            width = len(header.columns) if found.report in _READ else None
        elif len(header.columns) == width:
            raise lines.refused("a row below the empty line that ends its table")


def _read(found: ReportHeader, lines: TextLines, source: ProfileSource) -> Execution:
    rows = _full_rows(found, lines)
    versions = {"tool": "nsys stats", "report": found.report}
    if found.report == ReportKind.KERN_SUM.value:
        sums = read_kern_sum(found, lines, rows)
        return Execution(
            source.file,
            source.sha256,
            Format.NSYS_KERN_SUM,
            Granularity.KERNEL,
            summaries=sums.summaries,
            versions=versions,
            notes=(_SUMS, *sums.notes()),
        )
    is_exec = found.report == ReportKind.EXEC_TRACE.value
    trace = read_exec_trace(found, lines, rows) if is_exec else read_trace(found, lines, rows)
    return Execution(
        source.file,
        source.sha256,
        Format.NSYS_EXEC_TRACE if is_exec else Format.NSYS_GPU_TRACE,
        Granularity.KERNEL,
        kernels=trace.kernels,
        devices=trace.devices,
        versions=versions,
        dropped=trace.dropped,
        notes=(_REPLAYS, *trace.notes),
        copies=trace.copies,
    )


def _full_rows(found: ReportHeader, lines: TextLines) -> Iterator[list[str]]:
    """Yield the rows up to the empty line that ends a table."""
    width = len(found.header.columns)
    for cells in rows_below(found.header, lines):
        if not cells:
            return
        if len(cells) != width:
            raise lines.refused(f"has {counted(len(cells), 'column')}, the header on line {found.header.line} has {width}")
        yield cells
