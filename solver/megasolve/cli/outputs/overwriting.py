"""What a command must not overwrite: its own inputs, and what is of another kind than its result."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ..ending.refusals import Refusal

if TYPE_CHECKING:
    from megasolve.contracts import Study

_SNIFFED_BYTES = 1 << 16
_KIND = re.compile(rb"""^[ \t{]*["']?megasolve["']?[ \t]*:[ \t]*["']?([a-z_]+/v[0-9]+)""", re.MULTILINE)
_BINARY = re.compile(rb"\x00|\A\x1f\x8b")
_BEGINNINGS = ((b"{", "JSON"), (b"[", "JSON"), (b"<", "XML"))
# What people write and tools read; a result in text never ends like this.
_SOURCES = {".yaml": "YAML", ".yml": "YAML", ".jsonl": "JSON lines", ".py": "a program", ".cu": "a program"}


def refuse_input(output: str | os.PathLike[str] | None, inputs: Iterable[str | os.PathLike[str]]) -> None:
    """Refuse an *output* that is one of *inputs*, by whatever name."""
    here = None if output is None else _status(output)
    if output is None or here is None:
        return
    for file in inputs:
        other = _status(file)
        if other is not None and os.path.samestat(here, other):
            named, read = os.fspath(output), os.fspath(file)
            which = "which" if named == read else f"which is {read}, a file that"
            raise Refusal(f"the result would replace {named}, {which} this command reads; choose another file")


def files_of(study: Study) -> tuple[str, ...]:
    """Return every file that *study* was read from, the sources that its contracts name, and the manifests beside them."""
    from megasolve.contracts.files.listed_sources import manifest_of

    sources = (Path(one.file).parent / one.value.source.file for one in study.all_contracts if one.value.source is not None)
    manifests = (manifest_of(one) for one in study.all_contracts if one.value.source is not None)
    return (*(document.file for document in study.documents), *map(str, dict.fromkeys((*sources, *manifests))))


def refuse_other_kind(output: str, content: bytes) -> None:
    """Refuse to replace the file at *output* by *content* where what stands there is of another kind; an empty file is of none."""
    there = kind_there(output)
    kind = _kind(content)
    if there not in (None, kind):
        raise Refusal(f"{output} holds {there}, and the result is {kind}: remove it, or choose another file")


def kind_there(path: str | os.PathLike[str]) -> str | None:
    """Return of what kind the file at *path* is: `result/v1`, `JSON`, `text`; None where there is no file, or nothing in it."""
    from megasolve.contracts.files.disk.existence import is_file

    if not is_file(path):
        return None
    try:
        with Path(path).open("rb") as stream:
            head = stream.read(_SNIFFED_BYTES)
    except OSError:
        return "what this user may not read"
    kind = _kind(head)
    return _SOURCES.get(Path(path).suffix.lower(), kind) if kind == "text" else kind


def _kind(head: bytes) -> str | None:
    if not head.strip():
        return None
    if _BINARY.search(head):
        return "a binary file"
    if (match := _KIND.search(head)) is not None:
        return match[1].decode()
    return next((kind for beginning, kind in _BEGINNINGS if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(beginning)), "text")


def _status(path: str | os.PathLike[str]) -> os.stat_result | None:
    try:
        return Path(path).stat()
    except (OSError, ValueError):
        return None
