"""Kernels that run beside the one ahead of them: a record keeps their whole time, a call takes what is left of it."""

from __future__ import annotations

from megasolve.contracts import Contract, Record


def left_ps(contract: Contract, record: Record) -> int:
    """Return what the kernels of *contract* add to a call: their time without what they run beside those ahead of them."""
    early_ps = -contract.kernels * min(contract.dispatch.gap_ps or 0, 0)
    return max(record.time_ps - early_ps, 0)
