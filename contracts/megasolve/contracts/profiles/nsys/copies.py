"""When copies and fills ran on which GPU: they are no kernels, but an idle time that holds one is no cost of a launch."""

from __future__ import annotations

from ...model.base import PS_PER_NS
from ..execution import Interval
from .database import Database, process_of
from .gpus import Gpus

_TABLES = ("CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET")
_COLUMNS = ("start", "end", "deviceId", "globalPid")


def copies(database: Database, known: Gpus) -> tuple[Interval, ...]:
    """Return the copies and fills of *database* in order of start; one without whole times tells nothing."""
    found = [
        Interval(
            start * PS_PER_NS,
            end * PS_PER_NS,
            known.numbers.get((process_of(process), device), device) if isinstance(device, int) else None,
        )
        for table in _TABLES
        for start, end, device, process in database.select(table, _COLUMNS)
        if isinstance(start, int) and isinstance(end, int) and 0 < start <= end
    ]
    return tuple(sorted(found, key=lambda one: (one.start_ps, one.end_ps)))
