"""Files that editors help with: each names its JSON Schema, which is written beside it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from .output import encoded

_KIND = re.compile(rb"^megasolve: *([a-z]+)/v1\b", re.MULTILINE)
_COMMENT = re.compile(rb"#[^\n]*\n")


def with_schemas(contents: Mapping[Path, bytes], folder: Path) -> dict[Path, bytes]:
    """Return *contents* of files, each YAML file of ours with a line for editors, and the schemas that these name, in *folder*."""
    kinds = {path: match[1].decode() for path, content in contents.items() if path.suffix == ".yaml" and (match := _KIND.search(content))}
    named = {path: _with_modeline(content, path, _schema(folder, kinds.get(path))) for path, content in contents.items()}
    return {**named, **_schemas(folder, set(kinds.values()))}


def _schemas(folder: Path, kinds: set[str]) -> dict[Path, bytes]:
    from megasolve.report import schema_json

    return {folder / f"{kind}.schema.json": encoded(schema_json(kind)) for kind in sorted(kinds)}


def _schema(folder: Path, kind: str | None) -> Path | None:
    return None if kind is None else folder / f"{kind}.schema.json"


def _with_modeline(content: bytes, path: Path, schema: Path | None) -> bytes:
    if schema is None:
        return content
    named = Path(os.path.relpath(schema, path.parent)).as_posix()
    # Behind a first line that says what the file is, which readers of ours look for.
    start = match.end() if (match := _COMMENT.match(content)) else 0
    return content[:start] + encoded(f"# yaml-language-server: $schema={named}\n") + content[start:]
