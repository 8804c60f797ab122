"""What stands where a spec was expected: a folder, a profile. The refusal says what to do with it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

SHOWN_SPECS = 3


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


def what_profile(name: str) -> str | None:
    """Return what to do with the file *name* where it is a profile of a known format; None where it is none."""
    from megasolve.contracts.profiles import format_of

    kind = format_of(name)
    if kind is None:
        return None
    quoted = shlex.quote(name)
    uses = (
        f"megasolve import {quoted} shows it",
        f"megasolve headroom {quoted} says what would pay",
        f"megasolve new SPEC --from {quoted} writes a spec from it",
    )
    return f"{name} is a {kind.value}, no spec; {', '.join(uses)}"
