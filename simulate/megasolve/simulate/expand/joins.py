"""Joins: whether a block may repeat as a body, where a repeat sees only the repeat right before it.

A body that repeats cannot wait for the prologue again, nor an epilogue for what lies before the body. Such edges may be left
out where other edges imply them; where none do, the block is unrolled.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_

from .edges import Plan, Reach


def is_joined(plan: Plan, body: int) -> bool:
    """Return whether every edge that block *body*, or a block after it, has to a block before it is implied by kept edges."""
    block, upstream = plan.blocks[body], _upstream(plan)
    targets = {edge.producer for number in block for edge in plan.edges[number] if edge.reach is Reach.EARLIER}
    after = range(block.stop, len(plan.operators))
    skipped = [(number, edge.producer) for number in after for edge in plan.edges[number] if edge.producer < block.start]
    for target in sorted(targets | {producer for _, producer in skipped}):
        dependants = _bits(
            number for number in block if any(edge.producer == target for edge in plan.edges[number] if edge.reach is Reach.EARLIER)
        )
        # A folded body knows only the repeat before it, so an edge to the prologue has to be implied in every later repeat.
        last = _covered(plan, body, upstream, target, dependants)
        if last is None or any(producer == target and not upstream[number] & last for number, producer in skipped):
            return False
    return True


def _covered(plan: Plan, body: int, upstream: list[int], target: int, dependants: int) -> int | None:
    """Return which operators of the last repeat wait for *target* through others; None if a later repeat of a dependant does not."""
    block = plan.blocks[body]
    before = _before(plan, block)
    covered = _bits(number for number in block if upstream[number] >> target & 1)
    seen: list[int] = []
    for _ in range(1, plan.repeats[body]):
        seen.append(covered)
        # One repeat on: an operator is covered if what it waits for here waits for something covered in the repeat before.
        covered = _bits(number for number in block if before[number] & covered)
        if dependants & ~covered:
            return None
        # A fixed point: all further repeats look like this one.
        if covered == seen[-1]:
            break
        # A circle of several states: the last repeat depends on how many there are, so it is not folded.
        if covered in seen:
            return None
    return covered


def _before(plan: Plan, block: range) -> dict[int, int]:
    """Return, by operator of *block*, what it waits for in the repeat before, itself or through what it waits for in its own repeat."""
    found: dict[int, int] = {}
    for number in block:
        here = (found[edge.producer] for edge in plan.edges[number] if edge.reach is Reach.HERE)
        own = _bits(edge.producer for edge in plan.edges[number] if edge.reach is Reach.BEFORE)
        found[number] = reduce(or_, here, own)
    return found


def _upstream(plan: Plan) -> list[int]:
    """Return, by operator, itself and all that it waits for within a repeat and in the last repeats of earlier blocks.

    Each is a number that has the bit of every such operator: tens of thousands of operators have as many sets of up to as many members.
    """
    found: list[int] = []
    for number, edges in enumerate(plan.edges):
        direct = (found[edge.producer] for edge in edges if edge.reach is not Reach.BEFORE)
        found.append(reduce(or_, direct, 1 << number))
    return found


def _bits(numbers: Iterable[int]) -> int:
    return reduce(or_, (1 << number for number in numbers), 0)
