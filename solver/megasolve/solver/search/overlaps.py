"""Kernels that run beside the one ahead of them: a record keeps their whole time, a call takes what is left of it."""

from __future__ import annotations

from megasolve.contracts import Contract, Record


def left_ps(contract: Contract, record: Record) -> int:
    """Return what the kernels of *contract* add to a call: their time without what they run beside those ahead of them."""
    return max(record.time_ps - early_ps(contract), 0)


def early_ps(contract: Contract) -> int:
    """Return how long the kernels of one call of *contract* run beside those ahead of them."""
    return -contract.kernels * min(contract.dispatch.gap_ps or 0, 0)
