"""Writing the result: to stdout, or to a file that is whole or not there."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ..ending.refusals import Refusal
from ..options import wants_color
from .overwriting import refuse_other_kind


def encoded(text: str) -> bytes:
    """Return *text* in UTF-8; what no file name should hold is written as an escape."""
    return text.encode("utf-8", "backslashreplace")


def is_colored(output: str | None) -> bool:
    """Whether the result is coloured where it goes; a file never is."""
    return output is None and wants_color(click.get_current_context(), is_terminal=sys.stdout.isatty())


def write_result(text: str, output: str | None) -> None:
    """Write the result to the file *output*, or to stdout.

    Raises
    ------
    Refusal
        It cannot be written, or something of another kind stands there; *output* is then as it was.
    """
    try:
        if output is None:
            sys.stdout.buffer.write(encoded(text))
            sys.stdout.buffer.flush()
        else:
            refuse_other_kind(output, encoded(text))
            write_file(Path(output), encoded(text))
    except OSError as error:
        raise Refusal(f"cannot write {output or 'the result'}: {error.strerror or error}") from None


def write_file(path: Path, content: bytes) -> None:
    """Replace the file at *path* in one step, or leave it as it was and raise OSError."""
    from megasolve.contracts.files.disk.whole_files import replace_file

    replace_file(path, content)
