"""What a contract's kernels compute, as a program of operators: those of one call, equal ones counted.

How a kernel cuts its output nobody recorded: tiles are about as many as its CTAs, and more where they would not fit on the chip.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import gcd, isqrt, prod

from ...observe.shapes.shaped import Computed, MovedBytes, Shaped
from ...operators.work import CARRIED, OUTPUT
from ...sizes.programs import MOST_TILES
from ..words.names import numbered

_USUAL_BYTES = 2
_USUAL_CTAS = 128
# What a tile may hold of its output on any device.
_TILE_BYTES = 48 * 1024
_PRODUCTS = frozenset({"matmul", "conv1d", "conv_transpose1d", "attention_prefill", "attention_decode", "moe"})


def program(launches: Sequence[tuple[Computed, ...]], grid_ctas: int | None) -> tuple[Mapping[str, object], ...]:
    """Return the blocks of what *launches* of *grid_ctas* CTAs each compute.

    There are none where that of one of them is not known, or its shapes are larger than anything that a plan expands: they are damaged.
    """
    if not launches or not all(launches) or sum(map(_least_tiles, {part for computed in launches for part in computed})) > MOST_TILES:
        return ()
    counts = Counter((one, _times(one)) for one in launches)
    names = iter(list(numbered([part.name for computed, _ in counts for part in computed])))
    ctas = grid_ctas or _USUAL_CTAS
    return tuple(_block(computed, launches * times, -(-ctas // times), names) for (computed, times), launches in counts.items())


def _least_tiles(of: Computed) -> int:
    return (max(of.weight_bytes, of.read_bytes, of.written_bytes) if isinstance(of, MovedBytes) else _output_bytes(of)) // _TILE_BYTES


def _times(computed: Sequence[Computed]) -> int:
    """Return how often a launch runs its operators: a batch of products is so many of them."""
    return computed[0].times if len(computed) == 1 and isinstance(computed[0], Shaped) else 1


def _block(computed: Sequence[Computed], repeat: int, ctas: int, names: Iterator[str]) -> Mapping[str, object]:
    operators = tuple({"name": next(names), **dict(_operator(one, ctas))} for one in computed)
    return {**({"repeat": repeat} if repeat > 1 else {}), "operators": operators}


def _operator(of: Computed, ctas: int) -> Iterator[tuple[str, object]]:
    yield from _moved(of) if isinstance(of, MovedBytes) else _shaped(_that_fits(of), ctas)
    yield "staging_bytes", 0


def _moved(of: MovedBytes) -> Iterator[tuple[str, object]]:
    sizes = {"weight_bytes": of.weight_bytes, "activation_bytes": of.read_bytes, "output_bytes": of.written_bytes}
    tiles = _equal_parts(gcd(*sizes.values()), -(-max(sizes.values()) // _TILE_BYTES))
    yield from (("kind", "explicit"), ("tiles", tiles), ("compute_us", 0))
    yield from ((key, size // tiles) for key, size in sizes.items() if size)


def _equal_parts(whole: int, least: int) -> int:
    """Return the smallest number of parts from *least* on that divides *whole*; *least* where none near it does, and a rest is left out."""
    return next((parts for parts in range(max(least, 1), 4 * max(least, 1)) if whole % parts == 0), max(least, 1))


def _shaped(of: Shaped, ctas: int) -> Iterator[tuple[str, object]]:
    yield from (("kind", of.kind), ("shape", of.shape))
    if geometry := _geometry(of, ctas):
        yield "tile", (geometry,)
    if of.element_bytes != _USUAL_BYTES:
        yield "element_bytes", of.element_bytes
    if of.weight_element_bytes is not None and of.weight_element_bytes != of.element_bytes:
        yield "weight_element_bytes", of.weight_element_bytes
    if of.has_bias:
        yield "bias", True


def _that_fits(of: Shaped) -> Shaped:
    """Return *of*; where the queries of one sequence are too many for a tile, as if they saw the keys up to themselves, which is less."""
    shape = of.shape
    if of.kind != "attention_decode" or _output_bytes(of) <= _TILE_BYTES * shape["sequences"] * shape["kv_heads"]:
        return of
    return replace(of, kind="attention_prefill") if shape["q_tokens"] <= shape["kv_tokens"] else of


def _output_bytes(of: Shaped) -> int:
    return of.work.bytes_of(OUTPUT, CARRIED)


def _geometry(of: Shaped, ctas: int) -> Mapping[str, int]:
    """Return blocks of the output that fit on the chip; of a product about *ctas* of them, as many along each side as it is long."""
    (rows, columns, _), (by_row, by_column, _) = of.work.extents, of.work.keys
    tiles = max(ctas if of.kind in _PRODUCTS else 1, -(-_output_bytes(of) // _TILE_BYTES))
    along = tiles if by_column is None else isqrt(tiles * rows // columns) or 1
    along = max(1, min(rows, along)) if by_row else 1
    across = max(1, min(columns, -(-tiles // along))) if by_column else 1
    blocks = {by_row: -(-rows // along), by_column: -(-columns // across)}
    fitted = _shrunk(blocks, _output_bytes(of) // max(1, prod((rows, columns))) or 1)
    return {key: block for key, block in fitted.items() if key is not None and block < of.shape.get(key, block + 1)}


def _shrunk(blocks: dict[str | None, int], cell_bytes: int) -> Mapping[str | None, int]:
    """Return *blocks* with the longest halved until a tile fits."""
    while prod(blocks.values()) * cell_bytes > _TILE_BYTES:
        key = max((key for key in blocks if key), key=lambda key: blocks[key], default=None)
        if key is None or blocks[key] == 1:
            return blocks
        blocks[key] = -(-blocks[key] // 2)
    return blocks
