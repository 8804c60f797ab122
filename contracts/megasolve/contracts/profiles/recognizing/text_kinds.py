"""Which tool wrote a text file that is no JSON, and what the files are that people take for profiles."""

from __future__ import annotations

import re

from ..errors import ProfileRefused
from ..execution import Format
from ..ncu.failures import failure_of
from ..ncu.table import is_details, is_ncu_header
from ..nsys.csv.columns import ReportKind, other_reports, report_header
from ..text.csv_table import header_of
from ..text.source import HEAD_BYTES, ProfileSource
from .names import text_name_reason
from .other_tables import table_reason
from .other_texts import start_reason, text_reason

_NVPROF = "is output of nvprof, which is not read: record it with nsys"
_NSYS_TABLE = "is a table for reading from nsys stats: export it with --format csv"
_NCU_TEXT = "is text output of ncu: export it with --csv"
_NSYS_EMPTY = "is output of nsys stats that found no kernels in the recording: import its sqlite export, which says why"

_ANYWHERE: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"^==\d+== (NVPROF|Profiling)", re.MULTILINE), _NVPROF),
    (re.compile(r"^\|? *Time ?\(%\) +(?:\| *)?Total Time|^\|? *Start \(\w+\) +(?:\| *)?Duration", re.MULTILINE), _NSYS_TABLE),
    (re.compile(r"does not contain CUDA (kernel|trace) data|^SKIPPED: ", re.MULTILINE), _NSYS_EMPTY),
    (re.compile(r"^[ \t]+Section: ", re.MULTILINE), _NCU_TEXT),
    (re.compile(r"^==PROF==", re.MULTILINE), _NCU_TEXT),
    (re.compile(r"^megasolve:", re.MULTILINE), "is a YAML file of megasolve, not a profile"),
)
_UNKNOWN = (
    "is text of no known tool; what is read: nsys sqlite, nsys stats CSV, Kineto or PyTorch traces, trtexec's exported JSON and ncu CSV"
)


def recognize_text(source: ProfileSource, head: str) -> Format:
    """Return the format of the text that begins with *head*, or raise ProfileRefused with what it is."""
    if started := start_reason(head):
        raise ProfileRefused(source.file, started)
    found = _table(source, head)
    if found is not None:
        return found
    failure = failure_of(enumerate(head.splitlines(), 1))
    if failure is not None:
        raise ProfileRefused(source.file, failure.reason)
    for pattern, reason in _ANYWHERE:
        if pattern.search(head):
            if reason is _NCU_TEXT and len(source.head) == HEAD_BYTES:
                # The profiled program may have written more than that before ncu's table begins.
                return Format.NCU_DETAILS
            raise ProfileRefused(source.file, reason)
    raise ProfileRefused(source.file, text_reason(head) or text_name_reason(source.path.name) or _UNKNOWN)


def _table(source: ProfileSource, head: str) -> Format | None:
    """Return the format of the table in *head*, None where there is none; a trace goes before a summary."""
    others: list[str] = []
    found = foreign = None
    for number, text in enumerate(head.splitlines(), 1):
        header = header_of(text, number)
        if is_ncu_header(header):
            return Format.NCU_DETAILS if is_details(header) else Format.NCU_RAW
        foreign = foreign or table_reason(header.columns)
        report = report_header(header)
        if report is not None and report.report == ReportKind.GPU_TRACE.value:
            return Format.NSYS_GPU_TRACE
        if report is not None and report.report == ReportKind.EXEC_TRACE.value:
            found = Format.NSYS_EXEC_TRACE
        elif report is not None and report.report == ReportKind.KERN_SUM.value:
            found = found or Format.NSYS_KERN_SUM
        elif report is not None:
            others.append(report.report)
    if found is None and foreign is not None:
        # What the profiled program printed may stand before a table of its profiler, so only now.
        raise ProfileRefused(source.file, foreign)
    if found is None and others:
        return _beyond(source, others)
    return found


def _beyond(source: ProfileSource, others: list[str]) -> Format:
    """Return a format of the reports that may follow *others* behind the head; whoever reads them says if none does."""
    if len(source.head) < HEAD_BYTES:
        raise ProfileRefused(source.file, other_reports(others))
    return Format.NSYS_KERN_SUM
