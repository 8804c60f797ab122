"""Locations as code hosts want them: relative to the current directory, with forward slashes."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote


def relative_path(file: str) -> str:
    """Return *file* relative to the current directory, with forward slashes and without a leading ``./``."""
    return Path(os.path.relpath(file)).as_posix() if file else file


def relative_uri(file: str) -> str:
    """Return *file* as a relative URI reference."""
    return quote(relative_path(file), errors="surrogateescape")
