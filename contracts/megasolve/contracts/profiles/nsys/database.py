"""A SQLite export of Nsight Systems, opened for reading only; what a version of the export lacks reads as NULL."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

from ...model.base import PS_PER_NS
from ..errors import ProfileRefused
from ..text.source import ProfileSource
from ..wording import shortened

_HEADER_BYTES = 100
_EXACT_FLOATS = 2**53
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)


class Database:
    """One export. Tables and columns are asked for by name; an absent one has no rows, or only NULLs."""

    def __init__(self, connection: sqlite3.Connection, file: str) -> None:
        self._connection = connection
        self._file = file
        self.tables = frozenset(name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'"))
        self.table = cache(self._newest)
        self.string = cache(self._string)
        self._columns = cache(self._existing)

    def select(self, table: str, columns: Sequence[str], where: str = "", parameters: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Return *columns* of the rows of *table*, in the order of the file; *where* may only name columns that are there."""
        found = self.table(table)
        if found is None:
            return iter(())
        wanted = ", ".join(f'"{column}"' if self.has_column(table, column) else "NULL" for column in columns)
        return self._connection.execute(f'SELECT {wanted} FROM "{found}" {where}', parameters)

    def has_rows(self, table: str) -> bool:
        """Whether *table* is there and not empty."""
        return next(self.select(table, ("rowid",), "LIMIT 1"), None) is not None

    def has_column(self, table: str, column: str) -> bool:
        """Whether *table* is there and has *column*."""
        return column.lower() in self._columns(table)

    def time_ns(self, table: str, row: int, column: str, value: object) -> int:
        """Return the time *value*; ProfileRefused says where it is NULL or not whole."""
        time = self.whole(table, row, column, value)
        if time is None:
            raise self.refused(f"{table} row {row}: {column} is NULL, not a whole number of nanoseconds; export the report again")
        return time

    def whole(self, table: str, row: int, column: str, value: object) -> int | None:
        """Return *value* as a whole number, NULL and an empty text as None; ProfileRefused names the place of any other."""
        if type(value) is int:
            return value
        try:
            return whole(value)
        except ValueError:
            shown = repr(value)[:40]
            raise self.refused(f"{table} row {row}: {column} is {shown}, not a whole number; export the report again") from None

    def interval_ps(self, table: str, row: int, start: object, end: object) -> tuple[int, int] | None:
        """Return start and duration of GPU work; None where both times are 0, which is how CUPTI says that it did not collect them.

        ProfileRefused names the place of a time that is NULL or not whole, and of an end before the start.
        """
        if type(start) is int and type(end) is int and start < end:
            return start * PS_PER_NS, (end - start) * PS_PER_NS
        start_ns, end_ns = self.time_ns(table, row, "start", start), self.time_ns(table, row, "end", end)
        if end_ns < start_ns:
            raise self.refused(f"{table} row {row}: ends at {end_ns:,} ns, before it starts at {start_ns:,} ns; export the report again")
        return (start_ns * PS_PER_NS, (end_ns - start_ns) * PS_PER_NS) if start_ns or end_ns else None

    def refused(self, reason: str) -> ProfileRefused:
        """Return the refusal of this file for *reason*."""
        return ProfileRefused(self._file, reason)

    def _newest(self, name: str) -> str | None:
        # Versioned names (NVTX_EVENTS_V2) come and go between releases; an empty newer table hides nothing.
        versions = {table: int(match[1]) for table in self.tables if (match := re.fullmatch(rf"{name}_V(\d{{1,9}})", table, re.ASCII))}
        named = [*sorted(versions, key=versions.__getitem__, reverse=True), *({name} & self.tables)]
        filled = (table for table in named if self._connection.execute(f'SELECT 1 FROM "{table}" LIMIT 1').fetchone())
        return next(filled, named[0] if named else None)

    def _existing(self, table: str) -> frozenset[str]:
        columns = self._connection.execute(f'PRAGMA table_info("{self.table(table)}")') if self.table(table) else ()
        return frozenset(("rowid", *(column[1].lower() for column in columns)))

    def _string(self, number: object) -> str | None:
        values = (value for (value,) in self.select("StringIds", ("value",), "WHERE id = ?", (number,)) if isinstance(value, str))
        return next(values, None)


@contextmanager
def opened(source: ProfileSource) -> Iterator[Database]:
    """Open the export in *source*; nothing is written, neither to the file nor beside it.

    Raises
    ------
    ProfileRefused
        It is no database, a truncated or damaged one, or part of it stands in a write-ahead log.
    """
    _check_whole(source)
    try:
        with closing(_connected(source.path)) as connection:
            connection.text_factory = partial(str, encoding="utf-8", errors="replace")
            yield Database(connection, source.file)
    except (sqlite3.Error, UnicodeError) as error:
        # SQLite quotes a damaged schema, which need not be text.
        said = "unreadable schema" if _quotes_schema(error) else shortened(repr(str(error))[1:-1])
        raise ProfileRefused(source.file, f"is no database, or a damaged one (SQLite: {said}); export the report again") from None


def _quotes_schema(error: Exception) -> bool:
    return isinstance(error, UnicodeError) or "malformed database schema" in str(error)


def process_of(global_id: object) -> int | None:
    """Return the process number inside a serialized GlobalId, None where that is no number."""
    return global_id >> 24 & 0xFFFFFF if isinstance(global_id, int) else None


def thread_of(global_id: object) -> int | None:
    """Return the thread number inside a serialized GlobalId, None where that is no number."""
    return global_id & 0xFFFFFF if isinstance(global_id, int) else None


def whole(value: object) -> int | None:
    """Return a cell as a whole number, NULL and an empty text as None; ValueError for a fraction, a word or bytes.

    A column without integer affinity keeps the text or float that was written. A float beyond 2^53 has lost digits, so it is none.
    """
    if value is None or value == "":
        return None
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer() and abs(value) <= _EXACT_FLOATS):
        return int(value)
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return int(value)
    raise ValueError(f"{value!r} is not a whole number")


def _connected(path: Path) -> sqlite3.Connection:
    # Only an URI can say read-only; as_uri quotes what would end the path (?, #, %).
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)


def _check_whole(source: ProfileSource) -> None:
    """Refuse what SQLite might not notice: a file shorter than its own header says, and rows that stand in a log beside it."""
    header, size = source.head[:_HEADER_BYTES], source.path.stat().st_size
    expected = _stated_bytes(header)
    if size < expected:
        raise ProfileRefused(source.file, f"is truncated: {size:,} of {expected:,} bytes are there; copy or export it again")
    log = Path(f"{source.path}-wal")
    if log.is_file() and log.stat().st_size:
        raise ProfileRefused(source.file, f"lacks what stands in {log.name}; run: sqlite3 FILE 'PRAGMA wal_checkpoint(TRUNCATE)'")


def _stated_bytes(header: bytes) -> int:
    """Return the size that a database header states, 0 where it is none or the size is out of date (sqlite.org/fileformat.html §1.3)."""
    is_current = header.startswith(b"SQLite format 3\0") and header[24:28] == header[92:96]
    page_bytes = int.from_bytes(header[16:18], "big")
    return is_current * int.from_bytes(header[28:32], "big") * (65536 if page_bytes == 1 else page_bytes)
