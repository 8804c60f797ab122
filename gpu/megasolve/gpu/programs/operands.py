"""Operands: the operation that runs an operator, and the arguments of a tile from the part of the output that it computes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from megasolve.contracts import Contract
from megasolve.simulate.tiles.arrays import Spans

from .operations import OPERATIONS, operations_of_kinds


@dataclass(frozen=True, slots=True)
class Operands:
    """The operation of one execution of an operator, and the arguments that all of its tiles share, by name."""

    operation: str
    shared: Mapping[str, int]

    def arguments(self, spans: Spans) -> tuple[int, ...]:
        """Return the arguments of the tile that computes *spans* of the output, in the order of the operation."""
        given = dict(self.shared)
        operation = OPERATIONS[self.operation]
        # Not strict: an operation may cut fewer axes than its output has, as a norm cuts rows only.
        for (first, count), span in zip(operation.axes, spans, strict=False):
            given[first], given[count] = span[0], span[1] - span[0]
        return tuple(given[name] for name in operation.arguments)


def entry_operations(contract: Contract) -> frozenset[str]:
    """Return the operations that an entry must hold for the programs of *contract*, at any batch."""
    return operations_of_kinds(operator.kind for program in contract.programs.values() for block in program for operator in block.operators)
