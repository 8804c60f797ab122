"""The folder of compiled code in the user's cache: ours alone, and used only as it was written.

Code that is read back is run, so nothing of it is trusted that another user could have written, or whose checksums are not those of the
list that was written with it. A folder appears under its name in one step, whole.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
from collections.abc import Iterable
from pathlib import Path

LIST = "sha256.json"


class Unusable(Exception):
    """A folder that cannot be used; the text says which, and why."""


def own_folder(path: Path) -> Path:
    """Return *path*, made if it is not there, as a folder that only its owner, the user, may look into.

    Raises
    ------
    Unusable
        It is no folder, belongs to somebody else, others may write to it, or it cannot be made or written to.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = path.lstat()
        if not stat.S_ISDIR(found.st_mode):
            raise Unusable(f"{path} is no folder")
        if hasattr(os, "getuid") and found.st_uid != os.getuid():
            raise Unusable(f"{path} belongs to another user")
        if os.name == "posix" and found.st_mode & 0o022:
            raise Unusable(f"others may write to {path}")
        if os.name == "posix" and found.st_mode & 0o077:
            path.chmod(0o700)
    except FileExistsError as error:
        raise Unusable(f"{path} is no folder") from error
    except OSError as error:
        raise Unusable(f"cannot use {path}: {error.strerror or error}") from error
    if not os.access(path, os.W_OK | os.X_OK):
        raise Unusable(f"cannot write to {path}")
    return path


def digest_of(parts: Iterable[str | bytes]) -> str:
    """Return one digest of all *parts*."""
    found = hashlib.sha256()
    for part in parts:
        text = part.encode() if isinstance(part, str) else part
        found.update(len(text).to_bytes(8, "little"))
        found.update(text)
    return found.hexdigest()


def is_whole(folder: Path) -> bool:
    """Return whether *folder* has the files of its list, and no others, as they were written."""
    try:
        if not folder.is_dir():
            return False
        own_folder(folder)
        known = json.loads((folder / LIST).read_bytes())
        return isinstance(known, dict) and known == _checksums(folder)
    except (Unusable, OSError, ValueError, RecursionError):
        return False


def seal(folder: Path) -> None:
    """Write the list of what is in *folder*."""
    (folder / LIST).write_text(json.dumps(_checksums(folder), sort_keys=True), encoding="utf-8")


def _checksums(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != LIST)
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def publish(made: Path, folder: Path) -> None:
    """Give the whole folder *made* the name *folder*; where another run was faster, its folder stays."""
    if folder.exists() and not is_whole(folder):
        shutil.rmtree(folder, ignore_errors=True)
    try:
        made.rename(folder)
    except OSError:
        shutil.rmtree(made, ignore_errors=True)
