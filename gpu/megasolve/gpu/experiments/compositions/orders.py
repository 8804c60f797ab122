"""Orders: random, and balanced, so that no candidate is always the first, on a cold device, or the last, on a hot one."""

from __future__ import annotations

import random


def balanced_orders(count: int, blocks: int, seed: int) -> tuple[tuple[int, ...], ...]:
    """Return an order of the numbers below *count* for each block; in any *count* blocks from the start each number has each place once."""
    draw = random.Random(seed)
    orders: list[tuple[int, ...]] = []
    # Without candidates no order is ever appended, and the loop would not end.
    while len(orders) < blocks and count:
        base, shifts = list(range(count)), list(range(count))
        draw.shuffle(base)
        draw.shuffle(shifts)
        orders.extend(tuple(base[shift:] + base[:shift]) for shift in shifts)
    return tuple(orders[:blocks])
