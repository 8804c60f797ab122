"""Joins: whether a block may repeat as a body, where a repeat sees only the repeat right before it.

A body that repeats cannot wait for the prologue again, nor an epilogue for what lies before the body. Such edges may be left
out where other edges imply them; where none do, the block is unrolled.
"""

from __future__ import annotations

from .edges import Plan, Reach


def is_joined(plan: Plan, body: int) -> bool:
    """Return whether every edge that block *body*, or a block after it, has to a block before it is implied by kept edges."""
    block, upstream = plan.blocks[body], _upstream(plan)
    targets = {edge.producer for number in block for edge in plan.edges[number] if edge.reach is Reach.EARLIER}
    after = range(block.stop, len(plan.operators))
    skipped = [(number, edge.producer) for number in after for edge in plan.edges[number] if edge.producer < block.start]
    for target in sorted(targets | {producer for _, producer in skipped}):
        dependants = {
            number for number in block if any(edge.producer == target for edge in plan.edges[number] if edge.reach is Reach.EARLIER)
        }
        # A folded body knows only the repeat before it, so an edge to the prologue has to be implied in every later repeat.
        last = _covered(plan, body, upstream, target, dependants)
        if last is None or any(producer == target and not upstream[number] & last for number, producer in skipped):
            return False
    return True


def _covered(plan: Plan, body: int, upstream: list[set[int]], target: int, dependants: set[int]) -> set[int] | None:
    """Return which operators of the last repeat wait for *target* through others; None if a later repeat of a dependant does not."""
    block = plan.blocks[body]
    before = {number: {edge.producer for edge in plan.edges[number] if edge.reach is Reach.BEFORE} for number in block}
    covered = {number for number in block if target in upstream[number]}
    seen: list[set[int]] = []
    for _ in range(1, plan.repeats[body]):
        seen.append(covered)
        # One repeat on: an operator is covered if what it waits for here waits for something covered in the repeat before.
        covered = {number for number in block if any(before[other] & covered for other in upstream[number] if other in block)}
        if not dependants <= covered:
            return None
        # A fixed point: all further repeats look like this one.
        if covered == seen[-1]:
            break
        # A circle of several states: the last repeat depends on how many there are, so it is not folded.
        if covered in seen:
            return None
    return covered


def _upstream(plan: Plan) -> list[set[int]]:
    """Return, by operator, itself and all that it waits for within a repeat and in the last repeats of earlier blocks."""
    found: list[set[int]] = []
    for number, edges in enumerate(plan.edges):
        direct = [edge.producer for edge in edges if edge.reach is not Reach.BEFORE]
        found.append({number}.union(*(found[producer] for producer in direct)))
    return found
