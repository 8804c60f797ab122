"""The records file that a measurement writes: one writer at a time, one write for each record, nothing half-written ever read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from megasolve.contracts import Record, Records, Severity, UnreadableFile, read_document
from megasolve.contracts.scaffold import records_json_lines

from ...harness.files.lines_file import LinesFile, LinesFileRefused

_NAMED = 3


class RecordFile(LinesFile):
    """A records file as JSON lines, held by this process alone until it is closed.

    Where a record replaces others, the whole file is replaced in one step.

    Raises
    ------
    LinesFileRefused
        Another process holds it, or it is no records file without errors.
    OSError
        It cannot be opened or made.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        try:
            self.records = records_in(path) if self.lines else ()
        except BaseException:
            self.close()
            raise

    def add(self, record: Record, replaces: Callable[[Record], bool]) -> None:
        """Write *record*, in place of those that it *replaces*.

        Raises
        ------
        OSError
            It cannot be written; the file is then as it was.
        """
        # A file of one record is its head and one line.
        head, line = records_json_lines((record,)).encode().splitlines(keepends=True)
        stale = [replaces(one) for one in self.records]
        if any(stale):
            # Behind the head the lines are the records, in the same order.
            kept = [one for one, is_stale in zip(self.lines[1:], stale, strict=True) if not is_stale]
            self.replace([self.lines[0], *kept, line])
        else:
            self.append(*(() if self.lines else (head,)), line)
        self.records = (*(one for one, is_stale in zip(self.records, stale, strict=True) if not is_stale), record)


def records_in(path: Path) -> tuple[Record, ...]:
    """Return the records in the file at *path*; none where there is no such file, or nothing in it yet.

    Raises
    ------
    LinesFileRefused
        It is no records file without errors.
    """
    # An empty file is one that a measurement has made and written nothing to yet.
    if not path.exists() or (path.is_file() and not path.stat().st_size):
        return ()
    try:
        document, findings = read_document(path)
    except UnreadableFile as error:
        raise LinesFileRefused(f"{error}; write to another file with -o") from None
    errors = [str(finding) for finding in findings if finding.severity is Severity.ERROR]
    if document is None or errors or not isinstance(document.value, Records):
        shown = "; ".join(errors[:_NAMED]) or f"{path} is no records file"
        raise LinesFileRefused(f"{shown}; repair it, or write to another file with -o")
    return document.value.records
