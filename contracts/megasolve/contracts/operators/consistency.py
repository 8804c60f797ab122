"""Consistency: sizes of one shape that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

_ATTENTION = frozenset({"attention_prefill", "attention_decode"})
_CONVOLUTIONS = frozenset({"conv1d", "conv_transpose1d"})
_STATE_SPACE = frozenset({"scan", "step"})


def contradictions(kind: str, sizes: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Yield each size of a shape of *kind* that another one contradicts, as its key and the fact."""
    if kind in _ATTENTION:
        yield from _not_divided(sizes, "q_heads", "kv_heads")
    if kind == "attention_prefill" and sizes["q_tokens"] > sizes["kv_tokens"]:
        yield "q_tokens", f"{sizes['q_tokens']} queries over {sizes['kv_tokens']} keys; kv_tokens counts the queries' own keys, too"
    if kind in _CONVOLUTIONS and "groups" in sizes:
        yield from _not_divided(sizes, "c_in", "groups")
        yield from _not_divided(sizes, "c_out", "groups")
    if kind in _STATE_SPACE:
        yield from _not_divided(sizes, "heads", "groups")
    if kind == "moe":
        yield from _experts(sizes)


def _not_divided(sizes: Mapping[str, int], key: str, divisor: str) -> Iterator[tuple[str, str]]:
    if sizes[key] % sizes[divisor]:
        yield divisor, f"{key} {sizes[key]} is no multiple of {divisor} {sizes[divisor]}"


def _experts(sizes: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    for key in ("top_k", "distinct"):
        if sizes[key] > sizes["experts"]:
            yield key, f"{key} {sizes[key]} of {sizes['experts']} experts"
    routed = sizes["tokens"] * sizes["top_k"]
    if sizes["distinct"] > routed:
        yield "distinct", f"{sizes['distinct']} distinct experts for {routed} routed tokens; write min(experts, tokens * top_k) or less"
