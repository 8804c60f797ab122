"""The records file that a measurement writes: one writer at a time, one write for each record, nothing half-written ever read."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from megasolve.contracts import Record, Records, Severity, UnreadableFile, read_document
from megasolve.contracts.profiles.scaffold_records import records_json_lines

from ..errors import GpuError

_NAMED = 3


class RecordsFileRefused(GpuError):
    """The file cannot take records: another measurement writes it, or what it holds is not ours."""


class RecordFile:
    """A records file as JSON lines, held by this process alone until it is closed.

    A record is appended with one write and synchronized before `add` returns, so that a process that is killed loses none that it
    finished. A last line that a killed writer left unterminated never happened and is cut. Where a record replaces others, the whole
    file is replaced in one step.

    Raises
    ------
    RecordsFileRefused
        Another process holds it, or it is no records file without errors.
    OSError
        It cannot be opened or made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._descriptor = _locked(path)
        try:
            self._lines = self._whole_lines()
            self.records = self._read()
        except BaseException:
            os.close(self._descriptor)
            raise

    def add(self, record: Record, replaces: Callable[[Record], bool]) -> None:
        """Write *record*, in place of those that it *replaces*.

        Raises
        ------
        OSError
            It cannot be written; the file is then as it was.
        """
        head, line = records_json_lines((record,)).encode().splitlines(keepends=True)
        stale = [replaces(one) for one in self.records]
        lines = [self._lines[0] if self._lines else head]
        lines += [kept for kept, is_stale in zip(self._lines[1:], stale, strict=True) if not is_stale]
        if any(stale):
            self._replace([*lines, line])
        else:
            self._append(line if self._lines else head + line)
        self._lines = [*lines, line]
        self.records = (*(one for one, is_stale in zip(self.records, stale, strict=True) if not is_stale), record)

    def close(self) -> None:
        """Let others write the file."""
        with suppress(OSError):
            os.close(self._descriptor)

    def __enter__(self) -> RecordFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _append(self, content: bytes) -> None:
        end = os.lseek(self._descriptor, 0, os.SEEK_END)
        try:
            _write(self._descriptor, content)
        except BaseException:
            os.ftruncate(self._descriptor, end)
            raise

    def _replace(self, lines: Sequence[bytes]) -> None:
        beside = self.path.with_name(f".{self.path.name}.{os.getpid()}.part")
        try:
            fresh = _locked(beside)
            _write(fresh, b"".join(lines))
            beside.replace(self.path)
        finally:
            beside.unlink(missing_ok=True)
        _synchronize_folder(self.path)
        os.close(self._descriptor)
        self._descriptor = fresh

    def _whole_lines(self) -> list[bytes]:
        """Return the lines of the file, of which an unterminated last one is cut."""
        content = os.pread(self._descriptor, os.fstat(self._descriptor).st_size, 0)
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            os.ftruncate(self._descriptor, whole)
            os.fsync(self._descriptor)
        return [line for line in content[:whole].splitlines(keepends=True) if line.strip()]

    def _read(self) -> tuple[Record, ...]:
        if not self._lines:
            _synchronize_folder(self.path)
            return ()
        return records_in(self.path)


def records_in(path: Path) -> tuple[Record, ...]:
    """Return the records in the file at *path*; none where there is no such file.

    Raises
    ------
    RecordsFileRefused
        It is no records file without errors.
    """
    if not path.exists():
        return ()
    try:
        document, findings = read_document(path)
    except UnreadableFile as error:
        raise RecordsFileRefused(f"{error}; write to another file with -o") from None
    errors = [str(finding) for finding in findings if finding.severity is Severity.ERROR]
    if document is None or errors or not isinstance(document.value, Records):
        shown = "; ".join(errors[:_NAMED]) or f"{path} is no records file"
        raise RecordsFileRefused(f"{shown}; repair it, or write to another file with -o")
    return document.value.records


def _locked(path: Path) -> int:
    """Return a descriptor of the file that *path* names once it is locked, which another one may have replaced meanwhile."""
    import fcntl

    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        except BlockingIOError:
            os.close(descriptor)
            raise RecordsFileRefused(
                f"{path} is being written by another measurement; wait for it, or write to another file with -o"
            ) from None
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _write(descriptor: int, content: bytes) -> None:
    written = os.write(descriptor, content)
    if written < len(content):
        raise OSError(f"only {written:,} of {len(content):,} bytes could be written; is the disk full?")
    os.fsync(descriptor)


def _synchronize_folder(path: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
