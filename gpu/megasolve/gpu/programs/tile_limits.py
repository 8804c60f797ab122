"""Limits of tiles that several operations have: what their kernels can do, of which a tile must ask no more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from .tile import TileArguments

Limits: TypeAlias = Iterator[tuple[str, bool]]
"""What is wrong where it does not hold, and whether it holds."""

MOST_HEAD_DIM = 128
VECTOR = 8
"""Products read weights and activations eight at a time, from addresses that a vector load accepts."""


def aligned(tile: TileArguments, floats: tuple[str, ...], weights: tuple[str, ...], sizes: tuple[str, ...]) -> Limits:
    """Yield that addresses and sizes are those of vectors."""
    for name in floats:
        yield f"{name} {tile[name]} is no multiple of 4 floats", tile[name] % 4 == 0
    for name in (*weights, *sizes):
        yield f"{name} {tile[name]} is no multiple of {VECTOR}", tile[name] % VECTOR == 0


def within(tile: TileArguments, first: str, count: str, whole: str) -> Limits:
    """Yield that a part of an axis ends within it."""
    end = tile[first] + tile[count]
    yield f"{first} + {count} {end}, at most {whole} {tile[whole]}", end <= tile[whole]
