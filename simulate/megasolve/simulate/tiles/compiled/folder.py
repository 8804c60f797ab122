"""The folder of compiled code in the user's cache: ours alone, and used only as it was written.

Code that is read back is run, so nothing of it is trusted that another user could have written, or that does not begin with the checksum
of what follows and of what it was made for.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from megasolve.contracts.files.disk.whole_files import replace_file


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


def read_code(path: Path, made_for: str) -> bytes | None:
    """Return the code in the file *path*; None where there is none, it is damaged, or was made for anything else."""
    try:
        mark, _, code = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    return code if mark == digest_of([made_for, code]).encode() else None


def write_code(path: Path, made_for: str, code: bytes) -> None:
    """Put *code* into the file *path*, whole or not at all."""
    replace_file(path, digest_of([made_for, code]).encode() + b"\n" + code)
