"""Writing the result: to stdout, or to a file that is whole or not there."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from ..ending.refusals import Refusal
from ..words.options import version, wants_color
from .overwriting import refuse_other_kind

if TYPE_CHECKING:
    from megasolve.contracts import Input, JsonObject, Stamp, Study
    from megasolve.report import Paint

# What a command is asked for beside the question: where it reads and writes, how much it shows, and how it gets there.
_NO_QUESTIONS = frozenset(
    (
        *("spec", "specs", "stdin_filename", "measured", "plan", "root"),
        *("form", "output", "show_variants", "show_entries", "fail_on"),
        *("refresh", "no_cache", "jobs", "dask", "store", "resume"),
    )
)


def encoded(text: str) -> bytes:
    """Return *text* in UTF-8; what no file name should hold is written as an escape."""
    return text.encode("utf-8", "backslashreplace")


def is_colored(output: str | None) -> bool:
    """Whether the result is coloured where it goes; a file never is."""
    return output is None and wants_color(click.get_current_context(), is_terminal=sys.stdout.isatty())


def paint_for(output: str | None) -> Paint:
    """Return how text goes to *output*: coloured or not, and on stdout as wide as COLUMNS says, else as the terminal is."""
    from megasolve.report.text.paint import Paint

    return Paint(is_colored(output), None if output is not None else _columns())


def _columns() -> int | None:
    """Return how many columns stdout has; None where nobody says it and it is no terminal."""
    asked = os.environ.get("COLUMNS", "")
    if asked.isdecimal() and int(asked):
        return int(asked)
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def chosen_form(form: str, output: str | None) -> str:
    """Return the form of the result: the one that is asked for, else JSON where *output* is the name of a JSON file."""
    is_asked = click.get_current_context().get_parameter_source("form") is not ParameterSource.DEFAULT
    return "json" if output is not None and output.endswith(".json") and not is_asked else form


def stamp_of(study: Study, further: Iterable[str] = ()) -> Stamp:
    """Return what the result of the running command is made of: the files of *study* and *further* ones, the options, and the version."""
    from megasolve.contracts import Stamp, inputs_of

    return Stamp(version(), (*inputs_of(study), *_inputs(further)), asked_options())


def stamp_of_files(files: Iterable[str]) -> Stamp:
    """Return what the result of the running command is made of where that is only *files*."""
    from megasolve.contracts import Stamp

    return Stamp(version(), tuple(_inputs(files)), asked_options())


def _inputs(files: Iterable[str]) -> Iterator[Input]:
    from megasolve.contracts import Input
    from megasolve.contracts.files.stamp import hash_of_file

    return (Input(file, hash_of_file(file)) for file in files)


def asked_options() -> JsonObject:
    """Return the options that the running command was asked for, by name."""
    return {name: value for name, value in click.get_current_context().params.items() if name not in _NO_QUESTIONS}


def write_text(text: str, form: str, output: str | None) -> None:
    """Write the result as `write_result` does; prose in a *form* for people is wrapped where stdout says how wide it is."""
    from megasolve.report.text.wrapping import wrapped

    is_read = output is None and form in ("text", "table")
    write_result(wrapped(text, _columns()) if is_read else text, output)


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
