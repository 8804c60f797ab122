"""Functions in the part of Python that the kernel of the tile scheduler keeps to: between them they have all of it, and some leave it."""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import TypeAlias

Memory: TypeAlias = MutableSequence[int]

HALF = 4


def arithmetic(m: Memory) -> int:
    """Work out what two numbers come to in every way."""
    left, right = m[0], m[1]
    m[2], m[3], m[4] = left + right, left - right, left * right
    m[5] = left // right if right != 0 else -1
    m[6], m[7] = left & right, left | right
    m[8] = left << (right & 7)
    m[9] = left >> (right & 7)
    m[10], m[11] = min(left, right), max(left, right)
    m[12] = len(m) + HALF + True
    return 0


def tests(m: Memory) -> int:
    """Compare two numbers in every way, and combine what comes out."""
    left, right = m[0], m[1]
    is_less = left < right
    m[2], m[3], m[4], m[5] = is_less, left <= right, left > right, left >= right
    m[6], m[7] = left == right, not is_less
    m[8] = left > 0 and right > 0 and left != right
    m[9] = left < 0 or not right < 0
    if left and (right or noted(m, 13)):
        m[10] = 1
    elif not is_less and noted(m, 14):
        m[10] = 2
    m[11] = 5 if left > 3 or right > 3 else 6 if left == right else 7
    return m[10]


def noted(m: Memory, at: int) -> bool:
    """Count how often it was asked, and say whether it had been."""
    m[at] += 1
    return m[at] > 1


def loops(m: Memory) -> int:
    """Count up and down, leave loops, and begin them anew."""
    count = m[0] & 15
    for at in range(count):
        if at == HALF:
            continue
        m[2] += at
    for at in range(count, 2, -1):
        for inside in range(1, at, HALF):
            if inside > m[1]:
                break
            m[3] += inside
        m[4] = at
    while True:
        count -= 1
        if count < 0:
            return end(m, m[2])
        if count > 9:
            m[5] += count


def end(m: Memory, number: int) -> int:
    """Note *number* in two places, and change a third by what changes it itself."""
    m[6] = m[7] = number
    m[8] += changed(m)
    m[8] *= 3
    number -= 1
    nothing(m)
    return number if number > 0 else 0


def changed(m: Memory) -> int:
    """Change a cell, and return what is to be added to it."""
    m[8] = 1_000
    return 3


def nothing(m: Memory) -> None:
    """Return at once."""
    if m[0] > 0:
        return
    m[9] += 1


def failing(m: Memory) -> int:
    """Give up where the first number is odd, two calls further down."""
    m[2] = 1
    m[3] = reserved(m, m[0]) + 1
    return m[3]


def reserved(m: Memory, count: int) -> int:
    """Return half of an even *count*."""
    if count & 1:
        raise MemoryError
    return (count & m[4] + 62) >> 1


def comparing(m: Memory) -> int:
    """Compare three numbers at once."""
    return 0 < m[0] < 5


def dividing(m: Memory) -> int:
    """Return a rest."""
    return m[0] % 2


def listing(m: Memory) -> int:
    """Make a list."""
    return sum([m[0]])


def stepping(m: Memory) -> int:
    """Count by a step that only the memory has."""
    for at in range(0, 5, m[0]):
        m[1] += at
    return 0


def recursive(m: Memory) -> int:
    """Call itself."""
    return recursive(m) if m[0] else 0


def elsewhere(memory: Memory) -> int:
    """Name the memory otherwise."""
    return memory[0]


def raising(m: Memory) -> int:
    """Raise what nobody waits for."""
    if m[0]:
        raise ValueError
    return 0
