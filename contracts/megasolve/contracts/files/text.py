"""Reading the text of a file, or saying in one line why it cannot be read."""

from __future__ import annotations

import errno
import os
import re
import stat
from pathlib import Path

from ..model.errors import UnreadableFile

LARGEST_FILE_BYTES = 64 * 2**20

_SNIFFED_BYTES = 8192
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_NO_FILES = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the text of the file at *path* without a byte order mark.

    Raises
    ------
    UnreadableFile
        The file is missing, a folder, a pipe or a device, not permitted, too large, binary, not UTF-8, or empty.
    """
    named = os.fspath(path)
    try:
        content = _content(Path(path), named)
    except (OSError, ValueError) as error:
        raise UnreadableFile(named, why_unreadable(Path(path), error)) from None
    return decoded(content, named)


def why_no_file(path: Path) -> str | None:
    """Return why what stands at *path* is not to be opened, None where it is a regular file; OSError where nothing stands there."""
    # A pipe would wait for a writer, and a device may never end.
    kind = stat.S_IFMT(path.stat().st_mode)
    return None if kind == stat.S_IFREG else f"is {_NO_FILES.get(kind, 'something else')}, not a file"


def why_unreadable(path: Path, error: OSError | ValueError) -> str:
    """Return what *error* means for somebody who wants to read the file at *path*."""
    if isinstance(error, FileNotFoundError):
        return "is a link to a file that is not there" if path.is_symlink() else "no such file"
    if isinstance(error, PermissionError):
        return "no permission to read it"
    if isinstance(error, OSError) and error.errno == errno.ELOOP:
        return "is a link that leads back to itself"
    return f"cannot be read: {getattr(error, 'strerror', None) or error}"


def _content(path: Path, named: str) -> bytes:
    if reason := why_no_file(path):
        raise UnreadableFile(named, reason)
    with path.open("rb") as stream:
        content = stream.read(LARGEST_FILE_BYTES + 1)
    if len(content) > LARGEST_FILE_BYTES:
        raise UnreadableFile(named, f"is larger than {LARGEST_FILE_BYTES // 2**20} MiB")
    return content


def decoded(content: bytes, named: str) -> str:
    """Return *content* as text, or raise UnreadableFile where it is not UTF-8, binary, or empty."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableFile(named, f"is not UTF-8 text (byte {error.start + 1})") from None
    # One stray control character in a text is a finding with a place; a file full of them is no text.
    if 10 * len(_CONTROL.findall(text[:_SNIFFED_BYTES])) > len(text[:_SNIFFED_BYTES]):
        raise UnreadableFile(named, "is a binary file")
    if not text.strip():
        raise UnreadableFile(named, "is empty")
    return text
