"""Where compiled things are kept between runs."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def cache_folder(name: str) -> Path:
    """Return the folder *name* of the cache: in $MEGASOLVE_CACHE_DIR, else in `megasolve` in the user's folder for caches.

    Without a home it lies in the folder for temporary files.
    """
    if own := os.environ.get("MEGASOLVE_CACHE_DIR"):
        return Path(own, name).absolute()
    shared = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # The XDG specification has relative paths ignored.
    if shared.is_absolute():
        return shared / "megasolve" / name
    home = os.environ.get("HOME")
    return Path(home, ".cache/megasolve", name) if home else Path(tempfile.gettempdir(), f"megasolve-{os.getuid()}", name)
