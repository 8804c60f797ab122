"""Programs at one set of symbols: how many tiles they are made of, and execute."""

from __future__ import annotations

from collections.abc import Sequence

MOST_TILES = 2_000_000
MOST_EXECUTED_TILES = 100_000_000


def tiles_made(tiles: Sequence[int], repeats: Sequence[int], body: int | None) -> int:
    """Return how many tiles blocks of *tiles* tiles take when block *body* repeats as a body and the others are unrolled.

    The first repeat of the body is unrolled, too, so it counts twice.
    """
    return sum(
        count * (min(times, 2) if number == body else times) for number, (count, times) in enumerate(zip(tiles, repeats, strict=True))
    )


def tiles_executed(tiles: Sequence[int], repeats: Sequence[int]) -> int:
    """Return how many tiles blocks of *tiles* tiles execute with all their *repeats*."""
    return sum(count * times for count, times in zip(tiles, repeats, strict=True))


def widest_body(tiles: Sequence[int], repeats: Sequence[int]) -> int | None:
    """Return the block that spares the most tiles when it repeats as the body; the first of several; None if none repeats."""
    spared = [(times - 1) * count for count, times in zip(tiles, repeats, strict=True)]
    most = max(spared, default=0)
    return spared.index(most) if most > 0 else None
