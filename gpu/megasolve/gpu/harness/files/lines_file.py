"""JSON lines files that a measurement appends to: one writer at a time, one write for each line, nothing half-written ever read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from megasolve.contracts.files.disk.existence import is_there
from megasolve.contracts.files.disk.whole_files import Part, stands_at, sweep, synchronize_folder

from ...errors import GpuError

_Self = TypeVar("_Self", bound="LinesFile")
# How the head of every such file begins.
_BEGINNING = b'{"megasolve": "'


class LinesFileRefused(GpuError):
    """The file cannot take lines: another measurement writes it, or what it holds is not ours."""


class LinesFile:
    """The whole lines of the file at *path*, held by this process alone until it is closed.

    A line is appended with one write and synchronized before `append` returns, so that a process that is killed loses none that it
    finished. A last line that a killed writer left unterminated never happened and is cut by the next `append`.

    Raises
    ------
    LinesFileRefused
        Another process holds it, or it has no whole line and does not begin as ours do.
    OSError
        It cannot be opened or made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._descriptor = _locked(path)
        try:
            sweep(path)
            self.lines = self._whole_lines()
        except BaseException:
            os.close(self._descriptor)
            raise

    def append(self, *lines: bytes) -> None:
        """Write *lines*, each with its line end, behind the others; all of them, or after an error none.

        Raises
        ------
        LinesFileRefused
            The file is no longer what this process wrote: somebody replaced, removed or changed it.
        OSError
            They cannot be written.
        """
        self._require_unchanged()
        content = b"".join(lines)
        os.ftruncate(self._descriptor, self._end)
        os.lseek(self._descriptor, self._end, os.SEEK_SET)
        try:
            _write(self._descriptor, content)
        except BaseException:
            os.ftruncate(self._descriptor, self._end)
            self._size = self._end
            raise
        self._end += len(content)
        self._size = self._end
        self.lines = [*self.lines, *lines]

    def replace(self, lines: Sequence[bytes]) -> None:
        """Let the file hold *lines* instead, in one step.

        Raises
        ------
        LinesFileRefused
            As for `append`.
        OSError
            It cannot be written; the file is then as it was.
        """
        self._require_unchanged()
        fresh = Part(self.path)
        try:
            fresh.write(b"".join(lines))
            fresh.put()
        except BaseException:
            fresh.discard()
            fresh.close()
            raise
        # The old file stays locked until the new one stands in its place.
        os.close(self._descriptor)
        self._descriptor, self._end, self.lines = fresh.descriptor, sum(map(len, lines)), list(lines)
        self._size = self._end

    def close(self) -> None:
        """Let others write the file; one in which nothing was written goes."""
        with suppress(OSError):
            # Only the file that this process holds: what somebody put in its place is not ours to remove.
            if not self.lines and stands_at(self._descriptor, self.path):
                self.path.unlink()
        with suppress(OSError):
            os.close(self._descriptor)

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _require_unchanged(self) -> None:
        """Refuse to write where nobody would find it, or over what somebody else wrote."""
        if not stands_at(self._descriptor, self.path):
            what = "replaced" if is_there(self.path) else "removed"
        elif os.fstat(self._descriptor).st_size != self._size:
            what = "changed"
        else:
            return
        raise LinesFileRefused(
            f"{self.path} was {what} by somebody else while this run wrote it, so nothing more is written to it; "
            "what it holds now is kept: run again, or write to another file with -o"
        )

    def _whole_lines(self) -> list[bytes]:
        """Return the lines of the file without an unterminated last one."""
        content = os.pread(self._descriptor, os.fstat(self._descriptor).st_size, 0)
        self._end, self._size = content.rfind(b"\n") + 1, len(content)
        if not self._end:
            if not _BEGINNING.startswith(content[: len(_BEGINNING)]):
                raise LinesFileRefused(f"{self.path} does not begin as a file of megasolve does; write to another file with -o")
            # The file may be new: until its folder is on the disk, its name may be lost and all lines with it.
            synchronize_folder(self.path.parent)
        return [line for line in content[: self._end].splitlines(keepends=True) if line.strip()]


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
            raise LinesFileRefused(
                f"{path} is being written by another measurement; wait for it, or write to another file with -o"
            ) from None
        # It was removed after it was opened: the next round makes it anew.
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
