"""JSON lines files that a measurement appends to: one writer at a time, one write for each line, nothing half-written ever read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from .errors import GpuError

_Self = TypeVar("_Self", bound="LinesFile")
# The end of the name of a file that is to replace another; a killed writer leaves it behind.
_PART = ".part"
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
        for left in path.parent.glob(f".{path.name}.*{_PART}"):
            left.unlink(missing_ok=True)
        try:
            self.lines = self._whole_lines()
        except BaseException:
            os.close(self._descriptor)
            raise

    def append(self, *lines: bytes) -> None:
        """Write *lines*, each with its line end, behind the others; all of them, or after an error none.

        Raises
        ------
        OSError
            They cannot be written.
        """
        content = b"".join(lines)
        os.ftruncate(self._descriptor, self._end)
        os.lseek(self._descriptor, self._end, os.SEEK_SET)
        try:
            _write(self._descriptor, content)
        except BaseException:
            os.ftruncate(self._descriptor, self._end)
            raise
        self._end += len(content)
        self.lines = [*self.lines, *lines]

    def replace(self, lines: Sequence[bytes]) -> None:
        """Let the file hold *lines* instead, in one step.

        Raises
        ------
        OSError
            It cannot be written; the file is then as it was.
        """
        beside = self.path.with_name(f".{self.path.name}.{os.getpid()}{_PART}")
        try:
            fresh = _locked(beside)
            _write(fresh, b"".join(lines))
            beside.replace(self.path)
        finally:
            beside.unlink(missing_ok=True)
        _synchronize_folder(self.path)
        os.close(self._descriptor)
        self._descriptor, self._end, self.lines = fresh, sum(map(len, lines)), list(lines)

    def close(self) -> None:
        """Let others write the file; one in which nothing was written goes."""
        with suppress(OSError):
            if not self.lines:
                self.path.unlink()
        with suppress(OSError):
            os.close(self._descriptor)

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _whole_lines(self) -> list[bytes]:
        """Return the lines of the file without an unterminated last one."""
        content = os.pread(self._descriptor, os.fstat(self._descriptor).st_size, 0)
        self._end = content.rfind(b"\n") + 1
        if not self._end:
            if not _BEGINNING.startswith(content[: len(_BEGINNING)]):
                raise LinesFileRefused(f"{self.path} does not begin as a file of megasolve does; write to another file with -o")
            _synchronize_folder(self.path)
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
