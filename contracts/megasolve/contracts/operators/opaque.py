"""Operators without tiles: one piece that takes all workers, of which only the bytes that it moves are known."""

from __future__ import annotations

from .work import ACTIVATIONS, OperatorWork, Tensor


def opaque_work(moved_bytes: int) -> OperatorWork:
    """Return the work of one execution that moves *moved_bytes*."""
    return OperatorWork((1, 1, 1), (None, None, None), (Tensor(ACTIVATIONS, moved_bytes),), 0)
