"""How many cores this process may use."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def usable_cores(quota: Path = _QUOTA) -> int:
    """Return the cores that this process may run on, at least 1: those it is bound to, and no more than its container may use at once."""
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(bound, _granted(quota) or bound))


def _granted(quota: Path) -> int | None:
    """Return the cores that the file *quota* grants, rounded up; None where it grants any number, or there is none."""
    with suppress(OSError, ValueError):
        spent, of = map(int, quota.read_text(encoding="ascii").split())
        return -(-spent // of) if of > 0 else None
    return None
