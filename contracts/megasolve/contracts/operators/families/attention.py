"""Attention: queries of each head over the keys of its group."""

from __future__ import annotations

from ..kind import Contradictions, Sizes, not_divided

SIZES = ("q_tokens", "kv_tokens", "q_heads", "kv_heads", "head_dim")


def heads_in_groups(sizes: Sizes) -> Contradictions:
    """Yield the heads of keys where they do not come in whole groups of those of queries."""
    return not_divided(sizes, "q_heads", "kv_heads")


def flops_per_score(head_dim: int) -> int:
    """Return the flops of one score of one head: two products of *head_dim* multiply-adds, and 5 of the softmax."""
    return 4 * head_dim + 5
