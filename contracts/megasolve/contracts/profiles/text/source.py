"""The file that a profile stands in: its bytes, unzipped where they are gzip, its head and its hash."""

from __future__ import annotations

import hashlib
import io
import os
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ...files.text import why_no_file, why_unreadable
from ..errors import ProfileRefused

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

HEAD_BYTES = 64 * 2**10

_GZIP = b"\x1f\x8b"
_GZIP_WINDOW = 16 + zlib.MAX_WBITS
_CHUNK_BYTES = 256 * 2**10
# Traces are packed to a tenth or a fortieth; what unzips to more is made to.
_MOST_EXPANSION = 100
_ALWAYS_UNZIPPED_BYTES = 16 * 2**20


@dataclass(frozen=True)
class ProfileSource:
    """A regular file that can be read; *file* is its name as the user gave it. `source` makes one, or refuses."""

    file: str
    path: Path

    @cached_property
    def is_gzip(self) -> bool:
        """Whether the content is gzip, whatever the name says."""
        with self.path.open("rb") as raw:
            return raw.read(len(_GZIP)) == _GZIP

    @cached_property
    def sha256(self) -> str:
        """The hash of the file's bytes as they are, not unzipped; read when it is first asked for."""
        with self.path.open("rb") as raw:
            return hashlib.file_digest(raw, "sha256").hexdigest()

    @cached_property
    def head(self) -> bytes:
        """The first 64 KiB of the unzipped content; what there is of them, where the gzip breaks off."""
        with self.path.open("rb") as raw:
            start = raw.read(HEAD_BYTES)
        return _unzipped_head(start) if self.is_gzip else start

    def open(self) -> io.BufferedReader:
        """Open the unzipped content; reading raises ProfileRefused where gzip is damaged, lacks its trailer, or unzips without measure."""
        raw = self.path.open("rb")
        if not self.is_gzip:
            return raw
        most_bytes = max(_ALWAYS_UNZIPPED_BYTES, _MOST_EXPANSION * os.fstat(raw.fileno()).st_size)
        return io.BufferedReader(_Unzipped(raw, self.file, most_bytes), _CHUNK_BYTES)


def source(path: str | os.PathLike[str]) -> ProfileSource:
    """Return the file at *path*, not read yet.

    Raises
    ------
    ProfileRefused
        It is missing, a folder, a pipe or a device, or not permitted.
    """
    named, place = os.fspath(path), Path(path)
    try:
        reason = why_no_file(place)
        if reason is None:
            place.open("rb").close()
    except (OSError, ValueError) as error:
        reason = why_unreadable(place, error)
    if reason is not None:
        raise ProfileRefused(named, reason)
    return ProfileSource(named, place)


class _Unzipped(io.RawIOBase):
    """A stream of the unzipped bytes of one or several gzip members, in constant memory."""

    def __init__(self, raw: BinaryIO, file: str, most_bytes: int) -> None:
        self._raw = raw
        self._file = file
        self._member = zlib.decompressobj(_GZIP_WINDOW)
        self._pending = b""
        self._unzipped_bytes = 0
        self._most_bytes = most_bytes

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._raw.close()
        super().close()

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Fill *buffer* as far as one step of unzipping does; 0 only after a whole trailer."""
        view, unzipped = memoryview(buffer).cast("B"), b""
        while not unzipped and self._has_more():
            try:
                unzipped = self._member.decompress(self._pending, view.nbytes)
            except zlib.error as error:
                raise self._refused(f"is damaged gzip ({error})") from None
            self._pending = self._member.unused_data if self._member.eof else self._member.unconsumed_tail
        view[: len(unzipped)] = unzipped
        self._unzipped_bytes += len(unzipped)
        if self._unzipped_bytes > self._most_bytes:
            reason = f"unzips to more than {_MOST_EXPANSION} times its size, which no recording does; unzip it to import it all the same"
            raise ProfileRefused(self._file, reason)
        return len(unzipped)

    def _has_more(self) -> bool:
        self._pending = self._pending or self._raw.read(_CHUNK_BYTES)
        if self._member.eof:
            return self._opens_next_member()
        if not self._pending:
            raise self._refused("is truncated gzip")
        return True

    def _opens_next_member(self) -> bool:
        # Tools that write in blocks pad the last one with zeros.
        while self._pending and not self._pending.strip(b"\0"):
            self._pending = self._raw.read(_CHUNK_BYTES)
        self._pending = self._pending.lstrip(b"\0")
        if self._pending:
            self._member = zlib.decompressobj(_GZIP_WINDOW)
        return bool(self._pending)

    def _refused(self, reason: str) -> ProfileRefused:
        return ProfileRefused(self._file, f"{reason}: it breaks off after {self._unzipped_bytes:,} unzipped bytes; copy or record it again")


def _unzipped_head(start: bytes) -> bytes:
    try:
        return zlib.decompressobj(_GZIP_WINDOW).decompress(start, HEAD_BYTES)
    except zlib.error:
        return b""
