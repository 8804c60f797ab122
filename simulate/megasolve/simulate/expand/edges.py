"""Edges: which operators an operator waits for, in the same repeat, in the repeat before, or in an earlier block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from megasolve.contracts.model.programs.operators import Block, Dependency, HandOff, OpaqueOperator, Pattern
from megasolve.contracts.sizes.operators import size_of

from .geometry import SizedOperator
from .setup import ExpansionError


class Reach(Enum):
    """Where the producer of an edge runs: in this repeat, in the one before, or last in an earlier block."""

    HERE = "here"
    BEFORE = "before"
    EARLIER = "earlier"


@dataclass(frozen=True, slots=True)
class OperatorEdge:
    """A dependency on the operator with the number *producer*; *is_charged* if the contract declares it and its wait costs.

    *hand_off* says how a consumer learns that the data is there.
    """

    producer: int
    reach: Reach
    pattern: Pattern = "all"
    is_charged: bool = False
    hand_off: HandOff = "counter"


@dataclass(frozen=True, slots=True)
class Plan:
    """The operators of a program in program order, numbered across its blocks, with what each of them waits for.

    *blocks* has the interval of operators of each block, *repeats* how often it runs; blocks that never run are left out.
    *declared* are the edges of the contract, *edges* those that are kept: without readiness they are barriers.
    """

    operators: tuple[SizedOperator, ...]
    blocks: tuple[range, ...]
    repeats: tuple[int, ...]
    declared: tuple[tuple[OperatorEdge, ...], ...]
    edges: tuple[tuple[OperatorEdge, ...], ...]

    def block_number(self, operator: int) -> int:
        """Return the number of the block that holds *operator*."""
        return next(number for number, block in enumerate(self.blocks) if operator in block)


def running_blocks(program: Sequence[Block], symbols: Mapping[str, int]) -> tuple[tuple[Block, int], ...]:
    """Return the blocks of *program* that run at all, each with its repeats."""
    counted = [(block, size_of(block.repeat, symbols, 0)) for block in program]
    return tuple((block, repeats) for block, repeats in counted if repeats)


def plan_of(blocks: Sequence[tuple[Block, int]], operators: Sequence[SizedOperator], names: frozenset[str], *, readiness: bool) -> Plan:
    """Return the plan of *blocks*, whose *operators* are sized; *names* are those of all operators of the program.

    Raises
    ------
    ExpansionError
        An operator waits for one that is not declared, or not before it.
    """
    ranges, start = [], 0
    for block, _ in blocks:
        ranges.append(range(start, start + len(block.operators)))
        start += len(block.operators)
    declared = tuple(_declared(operators, ranges, names))
    bare = Plan(tuple(operators), tuple(ranges), tuple(repeats for _, repeats in blocks), declared, declared)
    # Without readiness (Table I, barriers kept) what the contract declares holds nothing up; only its forwarded inputs still count.
    edges = _with_opaque_barriers(bare) if readiness else tuple(_barriers(bare))
    return Plan(bare.operators, bare.blocks, bare.repeats, declared, edges)


def _declared(operators: Sequence[SizedOperator], blocks: Sequence[range], names: frozenset[str]) -> Iterator[tuple[OperatorEdge, ...]]:
    """Yield the edges of each operator; one to an operator that never runs holds nothing up."""
    number_of = {sized.operator.name: number for number, sized in enumerate(operators)}
    for block in blocks:
        for number in block:
            after = operators[number].operator.after
            # A name that no operator of the program has at all goes on to `_edge`, which refuses it.
            running = (dependency for dependency in after if dependency.operator in number_of or dependency.operator not in names)
            yield tuple(_edge(dependency, number_of, number, block) for dependency in running)


def _edge(dependency: Dependency, number_of: Mapping[str, int], consumer: int, block: range) -> OperatorEdge:
    producer = number_of.get(dependency.operator)
    if producer is not None and producer in block and dependency.previous:
        return OperatorEdge(producer, Reach.BEFORE, dependency.pattern, is_charged=True, hand_off=dependency.hand_off)
    if producer is None or producer >= consumer or dependency.previous:
        raise ExpansionError(f"'{dependency.operator}' does not run before the operator that waits for it")
    reach = Reach.HERE if producer in block else Reach.EARLIER
    return OperatorEdge(producer, reach, dependency.pattern, is_charged=True, hand_off=dependency.hand_off)


def _barriers(plan: Plan) -> Iterator[tuple[OperatorEdge, ...]]:
    """Every operator waits for all tiles of the operator before it."""
    for block in plan.blocks:
        for number in block:
            if number > block.start:
                yield (OperatorEdge(number - 1, Reach.HERE, is_charged=True),)
                continue
            # The first operator of a block follows the last one of the repeat before, or in the first repeat that of the block before.
            before = (OperatorEdge(block.stop - 1, Reach.BEFORE, is_charged=True),)
            yield (*before, OperatorEdge(number - 1, Reach.EARLIER, is_charged=True)) if number else before


def _with_opaque_barriers(plan: Plan) -> tuple[tuple[OperatorEdge, ...], ...]:
    """Keep the barriers on both sides of opaque operators: they wait for all before them, and all after wait for them."""
    opaque = [number for number, sized in enumerate(plan.operators) if isinstance(sized.operator, OpaqueOperator)]
    if not opaque:
        return plan.declared
    return tuple(tuple(dict.fromkeys((*edges, *_opaque_edges(plan, number, opaque)))) for number, edges in enumerate(plan.declared))


def _opaque_edges(plan: Plan, number: int, opaque: Sequence[int]) -> Iterator[OperatorEdge]:
    """Yield the barriers that opaque operators put before the operator with this number."""
    block, is_opaque = plan.blocks[plan.block_number(number)], number in opaque
    # The nearest opaque operator before this one stands for all before it: it waits for them itself.
    here = max((other for other in opaque if block.start <= other < number), default=None)
    # Where none stands before it in this repeat, the last one of the repeat before does.
    wrapped = max((other for other in opaque if other in block), default=None)
    earlier = max((other for other in opaque if other < block.start), default=None)
    if is_opaque:
        yield from (OperatorEdge(other, Reach.HERE) for other in range(block.start if here is None else here, number))
    elif here is not None:
        yield OperatorEdge(here, Reach.HERE)
    # What is before that operator is behind its barrier already, in this repeat and in every earlier block.
    if here is not None:
        return
    if wrapped is not None:
        yield from (OperatorEdge(other, Reach.BEFORE) for other in (range(wrapped, block.stop) if is_opaque else (wrapped,)))
    if is_opaque:
        yield from (OperatorEdge(other, Reach.EARLIER) for other in range(earlier or 0, block.start))
    elif earlier is not None:
        yield OperatorEdge(earlier, Reach.EARLIER)


def inputs_of(edges: Iterable[OperatorEdge], repeat: int) -> tuple[OperatorEdge, ...]:
    """Return those of *edges* that bring inputs to this *repeat*, counted from 1.

    What comes from an earlier block is the initial value of what later repeats find in the repeat before, where there is such
    an edge too.
    """
    known = tuple(edges)
    is_carried = repeat > 1 and any(edge.reach is Reach.BEFORE for edge in known)
    absent = Reach.EARLIER if is_carried else Reach.BEFORE
    return tuple(edge for edge in known if edge.reach is not absent)
