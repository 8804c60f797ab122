"""Where everything is kept that can be made again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def cache_root(environment: Mapping[str, str]) -> Path | None:
    """Return where caches lie: $MEGASOLVE_CACHE_DIR, else megasolve in the user's folder for caches; None without a home."""
    if own := environment.get("MEGASOLVE_CACHE_DIR"):
        return Path(own)
    shared = environment.get("XDG_CACHE_HOME", "")
    # The XDG specification has relative paths ignored.
    if Path(shared).is_absolute():
        return Path(shared, "megasolve")
    home = environment.get("HOME") or environment.get("USERPROFILE")
    return Path(home, ".cache/megasolve") if home else None
