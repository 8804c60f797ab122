"""The entries of a region in a line: all of them, or the first and how many there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST_REGION = 80
MOST_VARIANTS = 5


def entries_text(entries: Sequence[str]) -> str:
    """Return the entries of each region; of a region with many kernels the first one, and how many there are."""
    return ", ".join(map(_region_text, entries))


def _region_text(entries: str) -> str:
    if len(entries) <= LONGEST_REGION:
        return entries
    first, _, others = entries.partition("+")
    return f"{first} and {others.count('+') + 1} more" if others else first


def variants_text(variants: Sequence[Sequence[str]]) -> str:
    """Return the entries of several variants, of many the first few and how many more there are."""
    shown = " | ".join(map(entries_text, variants[:MOST_VARIANTS]))
    hidden = len(variants) - MOST_VARIANTS
    return f"{shown} and {hidden:,} more" if hidden > 0 else shown
