"""Reading the text of a file, or saying in one line why it cannot be read."""

from __future__ import annotations

import os
import re
from pathlib import Path

from .errors import UnreadableFile

MAX_BYTES = 64 * 2**20

_SNIFFED_BYTES = 8192
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the text of the file at *path* without a byte order mark.

    Raises
    ------
    UnreadableFile
        The file is missing, a folder, not permitted, too large, binary, not UTF-8, or empty.
    """
    named = os.fspath(path)
    try:
        content = _content(Path(path), named)
    except FileNotFoundError:
        raise UnreadableFile(named, "no such file") from None
    except IsADirectoryError:
        raise UnreadableFile(named, "is a folder, not a file") from None
    except PermissionError:
        raise UnreadableFile(named, "no permission to read it") from None
    except (OSError, ValueError) as error:
        raise UnreadableFile(named, f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    return decoded(content, named)


def _content(path: Path, named: str) -> bytes:
    with path.open("rb") as stream:
        content = stream.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise UnreadableFile(named, f"is larger than {MAX_BYTES // 2**20} MiB")
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
