"""Mending the files that a check found fault with: shown as a diff, and written together or not at all."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..ending.refusals import Refusal
from .writing import write_together

if TYPE_CHECKING:
    from megasolve.contracts import CheckReport

JSON_LINES = ".jsonl"
_MARK = "\ufeff"


def mended_files(report: CheckReport) -> dict[str, tuple[str, str]]:
    """Return the text of each YAML file that has repairs, as it is and as it would be."""
    from megasolve.contracts.check.mending import mended, repairs_of

    found = {}
    for file, repairs in sorted(repairs_of(report.findings).items()):
        if file.endswith(JSON_LINES) or not Path(file).is_file():
            continue
        text = Path(file).read_bytes().decode().removeprefix(_MARK)
        if (written := mended(text, repairs)) != text:
            found[file] = text, written
    return found


def left_lines(report: CheckReport) -> list[str]:
    """Return which files of JSON lines have repairs, which nobody writes into them."""
    from megasolve.contracts.check.mending import repairs_of
    from megasolve.report import one_line

    found = sorted(file for file in repairs_of(report.findings) if file.endswith(JSON_LINES))
    return [f"{one_line(file)} is left as it is: files of JSON lines are not written, mend them with what wrote them" for file in found]


def diff_text(files: dict[str, tuple[str, str]]) -> str:
    """Return the changes as a unified diff; what a terminal would obey is shown, not sent."""
    from megasolve.report import one_line

    return "".join(f"{one_line(line)}\n" for file, texts in files.items() for line in _diff(file, *texts))


def _diff(file: str, before: str, after: str) -> Iterator[str]:
    yield from difflib.unified_diff(before.split("\n"), after.split("\n"), file, file, lineterm="")


def write_mended(files: dict[str, tuple[str, str]]) -> None:
    """Write all files, or none where one cannot be written or has changed in the meantime; a link stays one."""
    contents = {}
    for file, (before, after) in files.items():
        path = Path(os.path.realpath(file))
        there = path.read_bytes().decode()
        if there.removeprefix(_MARK) != before:
            raise Refusal(f"{file} has changed in the meantime: nothing was written")
        contents[path] = (_MARK * there.startswith(_MARK) + after).encode()
    try:
        write_together(contents, (), lambda: None)
    except OSError as error:
        raise Refusal(f"cannot write {error.filename}: {error.strerror or error}; nothing was changed") from None
