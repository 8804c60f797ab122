"""A cache of derived values on disk, addressed by a digest of everything that decides them. What is damaged is never trusted.

One small file per value, with a checksum of its own. Files are replaced in one step, so that runs beside each other, or one
that was interrupted, never leave half a value under a name that counts. A disk that is full or read-only costs the caching
and nothing else.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from megasolve.contracts import JsonObject
from megasolve.contracts.files.disk.cache_root import cache_root
from megasolve.contracts.files.disk.existence import is_folder
from megasolve.contracts.files.disk.whole_files import replace_file

CACHE_KIND = "cached/v1"
LARGEST_ENTRY_BYTES = 1 << 20
STALE_SECONDS = 24 * 3600
FAILURES_OF_A_DISK = {errno.ENOSPC, errno.EROFS, errno.EDQUOT}


cache_folder = cache_root


def digest(facts: Any) -> str:
    """Return the SHA-256 of *facts* as canonical JSON."""
    return hashlib.sha256(_canonical(facts)).hexdigest()


def _canonical(facts: Any) -> bytes:
    return json.dumps(facts, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode()


class Cache:
    """Values in files below *folder* (None: nowhere). With *refresh* nothing is recalled, and everything is written anew.

    *warning* says in one line what was not kept, and why; None while all is well.
    """

    def __init__(self, folder: Path | None, *, refresh: bool = False) -> None:
        self.folder = folder
        self.refresh = refresh
        self.warning: str | None = None
        self._is_closed = False
        self._swept: set[Path] = set()

    def recall(self, key: str) -> Any | None:
        """Return the value kept under *key*; None where there is none, or one that was not written whole by this program."""
        if self.refresh or self.folder is None:
            return None
        path = entry_path(self.folder, key)
        try:
            if not path.is_file() or path.stat().st_size > LARGEST_ENTRY_BYTES:
                return None
            return _verified(json.loads(path.read_bytes()), key)
        except (OSError, ValueError, RecursionError):
            return None

    def keep(self, key: str, value: JsonObject) -> None:
        """Keep *value*, plain JSON, under *key*; where that fails *warning* says so.

        After a failure of the whole folder no further values are tried; one of a single entry costs only that entry.
        """
        if self.folder is None:
            self.warning = "derived values are not kept: there is no home folder; name one in MEGASOLVE_CACHE_DIR"
        elif not self._is_closed:
            self._write(self.folder, entry_path(self.folder, key), _entry(key, value))

    def _write(self, folder: Path, path: Path, content: bytes) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._sweep(path.parent)
            replace_file(path, content, synchronized=False)
        except OSError as error:
            because = error.strerror or error
            if error.errno in FAILURES_OF_A_DISK or not is_folder(folder) or not os.access(folder, os.W_OK | os.X_OK):
                self._is_closed = True
                self.warning = f"derived values are not kept: cannot write to {folder}: {because}"
            else:
                self.warning = self.warning or f"a derived value is not kept: cannot write {path}: {because}"

    def _sweep(self, folder: Path) -> None:
        """Remove what runs that were killed left in *folder*, once per run; a younger file may still be in use."""
        if folder in self._swept:
            return
        self._swept.add(folder)
        oldest = time.time() - STALE_SECONDS
        for left in folder.glob(".*.part"):
            # Another run may sweep at the same time, and what cannot be removed costs only its space.
            with suppress(OSError):
                if left.lstat().st_mtime < oldest:
                    left.unlink()


def entry_path(folder: Path, key: str) -> Path:
    """Return the file of *key* in the cache *folder*."""
    return folder / key[:2] / f"{key}.json"


def _entry(key: str, value: JsonObject) -> bytes:
    return _canonical({"megasolve": CACHE_KIND, "key": key, "value": value, "sha256": digest([key, value])}) + b"\n"


def _verified(entry: Any, key: str) -> Any | None:
    """Return the value of *entry*, if it is one of *key* whose checksum is right."""
    if not isinstance(entry, dict) or entry.get("megasolve") != CACHE_KIND or entry.get("key") != key:
        return None
    value = entry.get("value")
    return value if entry.get("sha256") == digest([key, value]) else None
