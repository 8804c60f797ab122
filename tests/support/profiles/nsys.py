"""Small SQLite exports in the layout of Nsight Systems, written row by row: as many tables and columns as a test fills."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from contextlib import closing
from pathlib import Path

from megasolve.contracts.profiles import Execution
from megasolve.contracts.profiles.nsys.sqlite_export import read_nsys_sqlite
from megasolve.contracts.profiles.text.source import source

KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"
REPLAYS = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"
CALLS = "CUPTI_ACTIVITY_KIND_RUNTIME"
PID = 4711
TEXTS = {"value", "text", "name", "busLocation", "uuid"}
SHAPE = {"gridX": 132, "gridY": 1, "gridZ": 1, "blockX": 128, "blockY": 1, "blockZ": 1}
SHAPE |= {"registersPerThread": 40, "staticSharedMemory": 1024, "dynamicSharedMemory": 512}


def global_id(process: int = PID, thread: int = 0) -> int:
    """Return the serialized GlobalId of a thread of *process*, with a number of the machine above both."""
    return 1 << 48 | process << 24 | thread


class Export:
    """The rows of one export; times are in nanoseconds. `write` makes the file, and fills what a row leaves out with NULL."""

    def __init__(self, types: dict[str, str] | None = None) -> None:
        self.rows: dict[str, list[dict[str, object]]] = defaultdict(list)
        self.types = types or {}
        self._strings: dict[str, int] = {}
        self.row("META_DATA_EXPORT", name="EXPORT_SCHEMA_VERSION", value="3.24.14")

    def row(self, table: str, **cells: object) -> None:
        """Add a row to *table*."""
        self.rows[table].append(cells)

    def string(self, text: str) -> int:
        """Return the number of *text* in StringIds."""
        if text not in self._strings:
            self._strings[text] = 100 + len(self._strings)
            self.row("StringIds", id=self._strings[text], value=text)
        return self._strings[text]

    def kernel(self, name: str, start: object, end: object, correlation: object = None, process: int = PID, **cells: object) -> None:
        """Add a kernel of 132 blocks on device 0 and stream 7."""
        place = {"deviceId": 0, "contextId": 1, "streamId": 7, "globalPid": global_id(process)}
        names = {"demangledName": self.string(name), "shortName": self.string(name.partition("<")[0])}
        self.row(KERNELS, **{"start": start, "end": end, "correlationId": correlation, **place, **names, **SHAPE, **cells})

    def replay(self, start: object, end: object, correlation: object = None, **cells: object) -> None:
        """Add a replay of graph 3 that was recorded as a whole."""
        place = {"deviceId": 0, "contextId": 1, "streamId": 7, "globalPid": global_id()}
        self.row(REPLAYS, **{"start": start, "end": end, "correlationId": correlation, "graphId": 3, **place, **cells})

    def call(
        self, name: str, start: object, end: object, correlation: object = None, *, process: int = PID, thread: int = 1, returned: int = 0
    ) -> None:
        """Add a call of the CUDA API."""
        cells = {
            "globalTid": global_id(process, thread),
            "correlationId": correlation,
            "nameId": self.string(name),
            "returnValue": returned,
        }
        self.row(CALLS, start=start, end=end, **cells)

    def range(
        self, text: str | None, start: object, end: object, *, kind: int | None = 59, thread: int = 1, process: int = PID, **cells: object
    ) -> None:
        """Add an NVTX event: a push/pop range, unless *kind* says otherwise."""
        place = {"globalTid": global_id(process, thread), "domainId": 0}
        self.row("NVTX_EVENTS", **{"start": start, "end": end, "eventType": kind, "text": text, **place, **cells})

    def write(self, folder: Path, name: str = "run.sqlite") -> Path:
        """Write the export, and return its path."""
        folder.mkdir(exist_ok=True)
        path = folder / name
        with closing(sqlite3.connect(path)) as connection:
            for table, rows in self.rows.items():
                columns = list(dict.fromkeys(column for row in rows for column in row)) or ["start"]
                declared = ", ".join(f'"{column}" {self._type(table, column)}' for column in columns)
                connection.execute(f'CREATE TABLE "{table}" ({declared})')
                cells = [[row.get(column) for column in columns] for row in rows]
                connection.executemany(f'INSERT INTO "{table}" VALUES ({", ".join("?" * len(columns))})', cells)
            connection.commit()
        return path

    def read(self, folder: Path) -> Execution:
        """Write the export and import it."""
        return imported(self.write(folder))

    def _type(self, table: str, column: str) -> str:
        return self.types.get(f"{table}.{column}", "TEXT" if column in TEXTS else "INTEGER")


def imported(path: Path) -> Execution:
    """Import the export at *path*."""
    return read_nsys_sqlite(source(path))


def one_kernel() -> Export:
    """Return an export of one launch, and of its call."""
    export = Export()
    export.call("cudaLaunchKernel_v7000", 900, 950, 1)
    export.kernel("decode<float>(float *)", 1000, 3000, 1)
    return export
