"""What stands where a spec was expected: a folder, a profile, a result. The refusal says what to do with it."""

from __future__ import annotations

import re
import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path

SHOWN_SPECS = 3
_HEAD = 2**16
_OUTPUT = re.compile(rb'\s*\{\s*"megasolve"\s*:\s*"(result|explanation|table|headroom|evaluation|sweep|diff|measurement)/v1"')
_RUNS = re.compile(rb"^candidate,[^\n]*\btime_", re.MULTILINE)


def what_folder(folder: str) -> str:
    """Return why the folder *folder* is solved by no command, and which words would do."""
    specs = _specs_in(Path(folder))
    quoted = shlex.quote(folder)
    checks = f"megasolve check {quoted} checks what is in it"
    if not specs:
        return f"{folder!r} is a folder, no spec; {checks}"
    shown = ", ".join(shlex.quote(spec) for spec in specs[:SHOWN_SPECS])
    more = f" and {len(specs) - SHOWN_SPECS} more" if len(specs) > SHOWN_SPECS else ""
    return f"{folder!r} is a folder, no spec; {checks}, and a spec of it is solved by its name: {shown}{more}"


def _specs_in(folder: Path) -> Sequence[str]:
    return [str(path) for path in sorted((*folder.glob("*.yaml"), *folder.glob("*.yml"))) if _is_spec(path)]


def _is_spec(path: Path) -> bool:
    from megasolve.contracts import Spec, UnreadableFile, read_document

    try:
        document, _ = read_document(path)
    except UnreadableFile:
        return False
    return document is not None and isinstance(document.value, Spec)


def what_file(name: str, shown: str | None = None) -> str | None:
    """Return what to do with the file *name* where something else than a spec is known in it; None where nothing is.

    It is called *shown* and stands for FILE where it has no name of its own.
    """
    called, file = (shown, "FILE") if shown else (name, shlex.quote(name))
    found = _profile(name, file) or _task_graph(name, file) or _own_output(name, file)
    return None if found is None else f"{called} is {found[0]}, no spec; {', '.join(found[1])}"


def what_stdin(text: str) -> str | None:
    """Return what to do with the *text* of stdin where something else than a spec is known in it; None where nothing is."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(text[:_HEAD].encode("utf-8", "surrogateescape"))
        file.flush()
        return what_file(file.name, "what stands on stdin")


def _profile(name: str, file: str) -> tuple[str, list[str]] | None:
    from megasolve.contracts.profiles import format_of

    if (kind := format_of(name)) is None:
        return None
    shows = [f"megasolve import {file} shows it", f"megasolve headroom {file} says what would pay"]
    return f"a {kind.value}", [*shows, f"megasolve new SPEC --from {file} writes a spec from it"]


def _task_graph(name: str, file: str) -> tuple[str, list[str]] | None:
    from megasolve.contracts.taskgraphs import are_task_files

    uses = [f"megasolve import {file} shows it", f"megasolve new SPEC --from {file} makes a study of its tasks"]
    return ("a task graph of MPK, or a table of its times", uses) if are_task_files([name]) else None


def _own_output(name: str, file: str) -> tuple[str, list[str]] | None:
    """Return what takes what megasolve printed itself, or runs that were timed."""
    try:
        with Path(name).open("rb") as stream:
            head = stream.read(_HEAD)
    except OSError:
        return None
    if _RUNS.search(head):
        return "a table of runs", [f"megasolve evaluate SPEC {file} holds a plan against them"]
    kind = _OUTPUT.match(head)
    if kind is None:
        return None
    if kind[1] != b"result":
        return f"a {kind[1].decode()}, which megasolve printed", [f"megasolve schema {kind[1].decode()} says what it holds"]
    uses = [f"megasolve report {file} -o report.html shows it", f"megasolve evaluate SPEC RUNS --plan {file} holds it against runs"]
    return "a result of megasolve solve", [*uses, f"megasolve diff {file} LATER says what changed"]
