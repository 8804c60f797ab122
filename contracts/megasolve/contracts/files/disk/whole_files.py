"""Files that are whole or not there: written beside the place where they belong, then put there in one step.

What a killed writer left beside is swept by the next writer of the same file. A part is locked as long as its writer lives, so that none of
another run is touched, and nothing else that has a similar name.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from .existence import is_file, is_folder, is_there, names_in

_PART = re.compile(r"\.(?P<stem>.+?)\.[0-9]+(\.[0-9a-f]{8})?\.part", re.DOTALL)
# What is added to a name must not make it longer than a name may be.
_LONGEST_STEM_BYTES = 200


class Part:
    """A file, or with *is_folder* a folder, that is to stand at *target*; until then it is beside, and locked until it is closed."""

    def __init__(self, target: Path, *, is_folder: bool = False, mode: int = 0o666) -> None:
        self.target = Path(os.path.realpath(target))
        self.path, self.descriptor = _locked_part(self.target, is_folder=is_folder, mode=mode)

    def write(self, content: bytes, *, synchronized: bool = True) -> None:
        """Let the file hold *content*, all of it, or raise OSError."""
        written = os.write(self.descriptor, content)
        if written < len(content):
            raise OSError(errno.ENOSPC, f"only {written:,} of {len(content):,} bytes could be written; is the disk full?")
        if is_file(self.target):
            os.fchmod(self.descriptor, stat.S_IMODE(self.target.stat().st_mode))
        if synchronized:
            os.fsync(self.descriptor)

    def put(self, *, synchronized: bool = True) -> None:
        """Put the file in its place."""
        self.path.replace(self.target)
        if synchronized:
            synchronize_folder(self.target.parent)

    def discard(self) -> None:
        """Remove what is left beside, if anything is."""
        if is_folder(self.path) and not self.path.is_symlink():
            shutil.rmtree(self.path, ignore_errors=True)
        else:
            with suppress(OSError):
                self.path.unlink()

    def close(self) -> None:
        """Let go of the lock."""
        with suppress(OSError):
            os.close(self.descriptor)


def replace_file(path: str | os.PathLike[str], content: bytes, *, synchronized: bool = True) -> None:
    """Let the file at *path* hold *content*, in one step; a link stays one, and a device or a pipe is written to.

    Raises
    ------
    OSError
        It cannot be written; the file is then as it was.
    """
    target = Path(os.path.realpath(path))
    if is_there(target) and not is_file(target):
        target.write_bytes(content)
        return
    sweep(target)
    part = Part(target)
    try:
        part.write(content, synchronized=synchronized)
        part.put(synchronized=synchronized)
    finally:
        part.discard()
        part.close()


def is_held(path: str | os.PathLike[str]) -> bool:
    """Whether another run is adding to the file at *path*."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not lock(descriptor)
    finally:
        os.close(descriptor)


def sweep(target: Path) -> None:
    """Remove the parts of *target* that killed writers left beside it."""
    real = Path(os.path.realpath(target))
    stem = _stem(real.name)
    for name in names_in(real.parent):
        match = _PART.fullmatch(name)
        if match is not None and match["stem"] == stem:
            # What cannot be removed costs only its space.
            with suppress(OSError):
                _remove_unless_held(real.with_name(name))


def lock(descriptor: int, *, waits: bool = False) -> bool:
    """Lock the open file, and return whether nobody else holds it; a file system without locks has nobody."""
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in {errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS}:
            raise
    return True


def stands_at(descriptor: int, path: str | os.PathLike[str]) -> bool:
    """Whether *path* still leads to the open file, which may have been replaced or removed meanwhile."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))  # noqa: PTH116
    except OSError:
        return False


def synchronize_folder(folder: Path) -> None:
    """Let what was put into *folder* or taken out of it outlive a loss of power, where a file system can."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _locked_part(target: Path, *, is_folder: bool, mode: int) -> tuple[Path, int]:
    while True:
        path = target.with_name(f".{_stem(target.name)}.{os.getpid()}.{os.urandom(4).hex()}.part")
        if is_folder:
            path.mkdir()
        flags = os.O_RDONLY if is_folder else os.O_RDWR | os.O_CREAT | os.O_EXCL
        descriptor = os.open(path, flags | os.O_CLOEXEC, mode)
        # Another run may have swept it before it was locked.
        if lock(descriptor, waits=True) and stands_at(descriptor, path):
            return path, descriptor
        os.close(descriptor)


def _remove_unless_held(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not lock(descriptor) or not stands_at(descriptor, path):
            return
        if is_folder(path):
            shutil.rmtree(path)
        else:
            path.unlink()
    finally:
        os.close(descriptor)


def _stem(name: str) -> str:
    if len(os.fsencode(name)) <= _LONGEST_STEM_BYTES:
        return name
    return f"{os.fsdecode(os.fsencode(name)[:100])}-{sha256(os.fsencode(name)).hexdigest()[:16]}"
