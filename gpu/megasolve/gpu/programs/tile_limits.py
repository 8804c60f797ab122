"""Limits of tiles: what the kernels can do, of which a tile must ask no more."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from .accesses import Arguments, named
from .operations import FUNCTIONS, Operation

MOST_PRODUCT_ROWS: Mapping[str, int] = {"matmul": 64, "matvec": 8}
MOST_HEAD_DIM = 128
VECTOR = 8
"""Products read weights and activations eight at a time, from addresses that a vector load accepts."""


def limits(operation: Operation, arguments: tuple[int, ...]) -> tuple[str, ...]:
    """Return what the kernels cannot do of what a tile asks for; only where that is nothing are its accesses what `accesses` says."""
    tile = named(operation, arguments)
    empty = [f"{name} {value}, at least 1" for name, value in tile.values.items() if name in _SIZES and value < 1]
    negative = [f"{name} {value}, at least 0" for name, value in tile.values.items() if name.endswith("_first") and value < 0]
    found = () if empty else _LIMITS.get(operation.name, _no_limits)(tile)
    return (*empty, *negative, *(text for text, holds in found if not holds))


_Limits = Iterator[tuple[str, bool]]


def _no_limits(_: Arguments) -> _Limits:
    return iter(())


def _aligned(tile: Arguments, floats: tuple[str, ...], weights: tuple[str, ...], sizes: tuple[str, ...]) -> _Limits:
    for name in floats:
        yield f"{name} {tile[name]} is no multiple of 4 floats", tile[name] % 4 == 0
    for name in (*weights, *sizes):
        yield f"{name} {tile[name]} is no multiple of {VECTOR}", tile[name] % VECTOR == 0


def _within(tile: Arguments, first: str, count: str, whole: str) -> _Limits:
    end = tile[first] + tile[count]
    yield f"{first} + {count} {end}, at most {whole} {tile[whole]}", end <= tile[whole]


def _product_limits(most_rows: int) -> Callable[[Arguments], _Limits]:
    def found(tile: Arguments) -> _Limits:
        yield f"{tile['m']} rows, at most {most_rows}", tile["m"] <= most_rows
        yield from _aligned(tile, ("x", "ldx"), ("weight",), ("k",))

    return found


def _rotary_limits(tile: Arguments) -> _Limits:
    yield f"head_dim {tile['head_dim']} is no multiple of 2", tile["head_dim"] % 2 == 0


def _elementwise_limits(tile: Arguments) -> _Limits:
    yield f"no function has number {tile['function']}", tile["function"] in FUNCTIONS.values()


def _append_limits(tile: Arguments) -> _Limits:
    yield from _within(tile, "head_first", "heads", "kv_heads")
    yield from _within(tile, "position_first", "tokens", "capacity")


def _attention_limits(tokens: str) -> Callable[[Arguments], _Limits]:
    def found(tile: Arguments) -> _Limits:
        yield f"head_dim {tile['head_dim']}, at most {MOST_HEAD_DIM}", tile["head_dim"] <= MOST_HEAD_DIM
        yield f"{tokens} {tile[tokens]}, at most capacity {tile['capacity']}", tile[tokens] <= tile["capacity"]
        yield from _within(tile, "head_first", "heads", "kv_heads")
        yield from _aligned(tile, ("k_cache", "v_cache", "head_dim"), (), ())

    return found


def _step_limits(tile: Arguments) -> _Limits:
    yield from _within(tile, "head_first", "head_count", "heads")


def _convolution_limits(tile: Arguments) -> _Limits:
    yield from _within(tile, "col_first", "cols", "c_out")
    yield from _aligned(tile, ("x", "ldx"), ("weight",), ("c_in",))


_SIZES = frozenset(
    (
        *("rows", "cols", "m", "n", "k", "dim", "heads", "head_count", "head_dim", "states", "tokens", "kv_tokens", "capacity"),
        *("kv_heads", "group", "c_in", "c_out", "kernel", "stride", "t_in"),
    )
)
_LIMITS: Mapping[str, Callable[[Arguments], _Limits]] = {
    "matmul": _product_limits(MOST_PRODUCT_ROWS["matmul"]),
    "matvec": _product_limits(MOST_PRODUCT_ROWS["matvec"]),
    "rotary": _rotary_limits,
    "elementwise": _elementwise_limits,
    "kv_append": _append_limits,
    "attention_prefill": _attention_limits("tokens"),
    "attention_decode": _attention_limits("kv_tokens"),
    "step": _step_limits,
    "conv_transpose1d": _convolution_limits,
}
