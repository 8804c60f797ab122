"""Writing the result: to stdout, or to a file that is whole or not there."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import click

from .options import wants_color
from .refusals import Refusal


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
        It cannot be written; *output* is then as it was.
    """
    try:
        if output is None:
            sys.stdout.buffer.write(encoded(text))
            sys.stdout.buffer.flush()
        else:
            write_file(Path(output), encoded(text))
    except OSError as error:
        raise Refusal(f"cannot write {output or 'the result'}: {error.strerror or error}") from None


def write_file(path: Path, content: bytes) -> None:
    """Replace the file at *path* in one step, or leave it as it was and raise OSError."""
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        # A device or a pipe is written to, never replaced; a folder raises.
        target.write_bytes(content)
        return
    beside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with beside.open("xb") as stream:
            stream.write(content)
        if target.exists():
            shutil.copymode(target, beside)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
