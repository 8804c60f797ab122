"""Answers to many studies, as they come: lines on stdout or in a file, what went wrong on stderr, and the exit code of all."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..ending.refusals import Refusal, show_findings
from ..words.options import version
from .output import encoded
from .overwriting import kind_there

if TYPE_CHECKING:
    from collections.abc import Callable

    from megasolve.contracts import Finding
    from megasolve.solver import StudyAnswer

FAILED, UNUSABLE, FAULT = 1, 2, 3
_LINES = ("result/v1", "failure/v1")


class Answers:
    """Writes every answer as a line with *write*; *clear* takes progress away before something is said. *exit_code* is the worst of all.

    With *fails_on_findings* a plan with which something is wrong is as bad as none.
    """

    def __init__(self, write: Callable[[bytes], None], clear: Callable[[], None], *, fails_on_findings: bool = False) -> None:
        self._fails_on_findings = fails_on_findings
        self.exit_code = 0
        self._write = write
        self._clear = clear
        self._said: set[str] = set()

    def tell(self, answer: StudyAnswer) -> None:
        """Write *answer*, and say what is wrong with its study."""
        for warning in answer.warnings:
            self.warn(warning)
        if answer.failure is None:
            self._write(encoded(f"{answer.line}\n"))
            is_good = answer.is_feasible and not (answer.has_findings and self._fails_on_findings)
            self._worsen(0 if is_good else FAILED)
            return
        from megasolve.report import failure_line

        self._clear()
        Refusal(answer.failure.because).show()
        self._write(encoded(f"{failure_line(answer, version())}\n"))
        self._worsen(FAULT if answer.failure.is_fault else UNUSABLE)

    def _worsen(self, code: int) -> None:
        self.exit_code = max(self.exit_code, code)

    def warn(self, warning: Finding | str) -> None:
        """Say a warning once: files that many specs name have the same ones in each."""
        if str(warning) in self._said:
            return
        self._said.add(str(warning))
        self._clear()
        if isinstance(warning, str):
            click.echo(warning, err=True)
        else:
            show_findings([warning])


@contextmanager
def lines_to(output: str | None) -> Iterator[Callable[[bytes], None]]:
    """Yield what writes a line: to stdout at once, or beside the file *output*, which it replaces when all are written.

    Raises
    ------
    Refusal
        They cannot be written, or something else stands there.
    """
    try:
        if output is None:
            yield _to_stdout
        else:
            with _to_file(output) as write:
                yield write
    except OSError as error:
        raise Refusal(f"cannot write {output or 'the result'}: {error.strerror or error}") from None


def _to_stdout(line: bytes) -> None:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


@contextmanager
def _to_file(output: str) -> Iterator[Callable[[bytes], None]]:
    from megasolve.contracts.files.disk.existence import is_file, is_there
    from megasolve.contracts.files.disk.whole_files import Part, sweep

    if (there := kind_there(output)) not in (None, *_LINES):
        raise Refusal(f"{output} holds {there}, and the result is JSON lines: remove it, or choose another file")
    target = Path(os.path.realpath(output))
    if is_there(target) and not is_file(target):
        with target.open("wb") as stream:
            yield lambda line: _write_all(stream.fileno(), line)
        return
    sweep(target)
    part = Part(target)
    try:
        yield lambda line: part.write(line, synchronized=False)
        part.put()
    finally:
        part.discard()
        part.close()


def _write_all(descriptor: int, content: bytes) -> None:
    while content:
        content = content[os.write(descriptor, content) :]
