"""Operators whose tiles are stated one by one: what each of them moves stands in the file."""

from __future__ import annotations

from .work import ACTIVATIONS, OUTPUT, WEIGHTS, OperatorWork, Tensor

Series = tuple[int, ...]
"""A figure for each tile, or one for all of them."""


def explicit_work(tiles: int, weights: Series, activations: Series, output: Series) -> OperatorWork:
    """Return the work of *tiles* tiles; nothing is known of their flops."""
    stated = ((WEIGHTS, weights), (ACTIVATIONS, activations), (OUTPUT, output))
    return OperatorWork((tiles, 1, 1), (None, None, None), tuple(Tensor(role, _sum(sizes, tiles)) for role, sizes in stated), 0)


def _sum(series: Series, tiles: int) -> int:
    return series[0] * tiles if len(series) == 1 else sum(series)
