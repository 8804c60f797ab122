"""Where compiled things are kept between runs. They are run, so they lie in a folder of this user alone and are his own files."""

from __future__ import annotations

import atexit
import functools
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from megasolve.contracts.files.disk.cache_root import cache_root
from megasolve.contracts.files.disk.existence import names_in
from megasolve.contracts.files.disk.whole_files import lock

from ..errors import GpuError

_VARIABLE = "MEGASOLVE_CACHE_DIR"
_PREFIX = "megasolve-cache-"
_TEMPORARY = re.compile(rf"{_PREFIX}[a-z0-9_]{{8}}")


class FolderNotOurs(GpuError):
    """Somebody else may put files into a folder of compiled things."""

    def __init__(self, folder: Path, what: str) -> None:
        super().__init__(f"{folder} {what}, so nothing compiled is kept there or run from there: set {_VARIABLE} to a folder of your own")


def cache_folder(name: str) -> Path:
    """Return the folder *name* of the cache: in $MEGASOLVE_CACHE_DIR, else in `megasolve` in the user's folder for caches.

    Without a home it lies in a new folder that nobody else may enter, and goes with this process.
    """
    return (cache_root(os.environ) or _temporary()).absolute() / name


def inherited() -> Mapping[str, str]:
    """Return the variables by which children keep compiled things where this process does, also without a home."""
    return {} if cache_root(os.environ) is not None else {_VARIABLE: str(_temporary())}


def private_folder(folder: Path) -> Path:
    """Return *folder*, made if it is missing, once nobody but this user may enter it.

    Raises
    ------
    FolderNotOurs
        It is no folder, or it or the link to it is of another user.
    OSError
        It cannot be made.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = folder.stat()
    # A link that this user made is his choice of a place.
    if {status.st_uid, folder.lstat().st_uid} != {os.geteuid()}:
        raise FolderNotOurs(folder, "belongs to another user")
    if stat.S_IMODE(status.st_mode) & 0o077:
        folder.chmod(0o700)
    return folder


def own_content(path: Path) -> bytes | None:
    """Return what the file at *path* holds; None where it is not there, a link, of another user, or may be written by one."""
    try:
        # Opened before it is looked at, so that nothing is swapped in between; a pipe must not make this wait.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            return stream.read()
    finally:
        os.close(descriptor)


@functools.cache
def _temporary() -> Path:
    """Return a new folder for this process; those that killed processes of this user left go."""
    _sweep(Path(tempfile.gettempdir()))
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    # Held until the process ends.
    lock(os.open(folder, os.O_RDONLY | os.O_CLOEXEC))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _sweep(temporary: Path) -> None:
    for folder in (temporary / name for name in names_in(temporary) if _TEMPORARY.fullmatch(name)):
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                # A lock that is free says that the process which made the folder is gone.
                if os.fstat(descriptor).st_uid == os.geteuid() and lock(descriptor):
                    shutil.rmtree(folder)
            finally:
                os.close(descriptor)
