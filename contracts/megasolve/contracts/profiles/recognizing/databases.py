"""Which tool wrote a SQLite database that is no export of Nsight Systems."""

from __future__ import annotations

from collections.abc import Collection

from ...model.wording import counted
from .remedies import RECORD, ROCM

_TRACKER = f"is a database of an experiment tracker, as MLflow's, which has no kernels: {RECORD}"
_TABLES: tuple[tuple[str, str], ...] = (
    ("rocpd_", f"is a database of rocprofiler (rocpd, RPD), which is not read: {ROCM}"),
    ("CUPTI_ACTIVITY_KIND_", f"is a database of nvprof or the Visual Profiler, which is not read: {RECORD}"),
    ("runs", _TRACKER),
    ("experiments", _TRACKER),
    ("alembic_version", _TRACKER),
    ("perf_", f"is a database of perf, which has samples of the CPU and no kernels: {RECORD}"),
)


def database_reason(tables: Collection[str]) -> str:
    """Return why a database with *tables*, none of them of Nsight Systems, is refused; no name of an unknown tool's is repeated."""
    for start, reason in _TABLES:
        if any(table.startswith(start) for table in tables):
            return reason
    count = f"it has {counted(len(tables), 'table')} of another kind" if tables else "it has no tables"
    return f"is a SQLite database, but no export of Nsight Systems: {count}"
