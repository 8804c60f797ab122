"""Operands: the operation that runs an operator, and the arguments of a tile from the part of the output that it computes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from megasolve.contracts import Contract
from megasolve.simulate.tiles.program import Spans

from .operations import OPERATIONS

# The arguments that a tile's rows and columns give: first and count of each.
_ROWS = ("row_first", "rows")
_COLUMNS = ("col_first", "cols")
_HEADS = ("head_first", "heads")
_AXES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "embedding": (_ROWS, _COLUMNS),
    "norm": (_ROWS,),
    "matmul": (("m_first", "m"), ("n_first", "n")),
    "matvec": (("m_first", "m"), ("n_first", "n")),
    "rotary": (_ROWS, _HEADS),
    "kv_append": (_ROWS, _HEADS),
    "attention_prefill": (_ROWS, _HEADS),
    "attention_decode": (_ROWS, _HEADS),
    "elementwise": (_ROWS, _COLUMNS),
    "step": (_ROWS, ("head_first", "head_count")),
    "conv_transpose1d": (_ROWS, _COLUMNS),
    "sampling": (_ROWS,),
}


@dataclass(frozen=True, slots=True)
class Operands:
    """The operation of one execution of an operator, and the arguments that all of its tiles share, by name."""

    operation: str
    shared: Mapping[str, int]

    def arguments(self, spans: Spans) -> tuple[int, ...]:
        """Return the arguments of the tile that computes *spans* of the output, in the order of the operation."""
        given = dict(self.shared)
        for (first, count), span in zip(_AXES[self.operation], spans, strict=False):
            given[first], given[count] = span[0], span[1] - span[0]
        return tuple(given[name] for name in OPERATIONS[self.operation].arguments)


def entry_operations(contract: Contract) -> frozenset[str]:
    """Return the operations that an entry must hold for the programs of *contract*, at any batch."""
    kinds = {operator.kind for program in contract.programs.values() for block in program for operator in block.operators}
    return frozenset(kinds | {"matvec"} if "matmul" in kinds else kinds)
