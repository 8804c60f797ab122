"""The standard streams of the process, closed, full or without a reader as they may be."""

from __future__ import annotations

import errno
import io
import os
import select
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_STDIN, _STDOUT, _STDERR = range(3)


class ResultLost(OSError):
    """The result cannot be written where it goes."""


def take_over() -> None:
    """Replace stdout and stderr by streams that never fail twice, and stderr by one that never fails."""
    closed = [number for number in (_STDIN, _STDOUT, _STDERR) if _is_closed(number)]
    for _ in closed:
        # Otherwise a file that is opened later gets the number, and whatever a library prints goes into it.
        os.open(os.devnull, os.O_RDWR)
    sys.stdout = _text(_Result(_STDOUT, is_closed=sys.stdout is None), sys.stdout)
    sys.stderr = _text(_Standard(_STDERR), sys.stderr)


def _is_closed(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return True
    return False


def _text(raw: io.FileIO, instead_of: TextIO | None) -> io.TextIOWrapper:
    encoding, errors = ("utf-8", "backslashreplace") if instead_of is None else (instead_of.encoding, instead_of.errors)
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding=encoding, errors=errors, line_buffering=True)


class _Standard(io.FileIO):
    """A standard stream; nothing is written to it any more once that has failed.

    Messages that nobody can read are no error: the exit code still tells what they would have.
    """

    def __init__(self, number: int, *, is_closed: bool = False) -> None:
        super().__init__(number, "wb", closefd=False)
        self._is_over = False
        self._is_closed = is_closed

    def write(self, content: ReadableBuffer, /) -> int:
        if not self._is_over:
            try:
                return self._written(content)
            except OSError as error:
                # The interpreter flushes again when it ends, which must not fail again.
                self._is_over = True
                self._lose(error)
        return memoryview(content).nbytes

    def _written(self, content: ReadableBuffer) -> int:
        if self._is_closed:
            raise OSError(errno.EBADF, "stdout is closed")
        while True:
            try:
                return os.write(self.fileno(), content)
            except BlockingIOError:
                select.select([], [self], [])

    def _lose(self, error: OSError) -> None:
        """Say that nothing can be written any more, where that matters."""


class _Result(_Standard):
    """Where the result goes. A reader that leaves has what it wanted; anything else is an error."""

    def _lose(self, error: OSError) -> None:
        if not isinstance(error, BrokenPipeError):
            raise ResultLost(error.errno, error.strerror) from None
