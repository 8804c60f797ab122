"""How counts, times and shapes read in messages about profiles."""

from __future__ import annotations

from collections.abc import Iterable

from ..model.base import PS_PER_NS, PS_PER_US
from .execution import KernelShape

LONGEST_REASON = 240
"""A length that a terminal shows: a damaged cell that a reason quotes may be megabytes long."""


def microseconds(ps: int) -> str:
    """Return a time in microseconds, to the nanosecond."""
    return f"{ps // PS_PER_US:,}.{ps % PS_PER_US // PS_PER_NS:03} us"


def listed(words: Iterable[str], at_most: int = 8) -> str:
    """Return *words* with commas; of a long list the first ones, and how many more there are."""
    every = list(words)
    more = [f"{len(every) - at_most} more"] if len(every) > at_most else []
    return ", ".join(every[:at_most] + more)


def launch_shape(shape: KernelShape) -> str:
    """Return a kernel's name with what is known of its grid and block, for one line."""
    sizes = launch_sizes(shape)
    return f"'{shortened(shape.name)}'" + (f" ({', '.join(sizes)})" if sizes else "")


def launch_sizes(shape: KernelShape) -> list[str]:
    """Return what is known of a kernel's grid and block: ``grid 264x2x1``, or where only the product is, ``grid of 528``."""
    products = (("grid", shape.grid, shape.grid_ctas), ("block", shape.block, shape.block_threads))
    return [
        f"{word} of {product:,}" if sides is None else f"{word} {'x'.join(map(str, sides))}"
        for word, sides, product in products
        if (sides, product) != (None, None)
    ]


def shortened(name: str, at_most: int = 80) -> str:
    """Return a kernel's name, or another text, in at most *at_most* characters."""
    return name if len(name) <= at_most else name[: at_most - 3] + "..."
