"""The sizes of operators as far as they are known: None or nothing where a symbol has no value, or another rule finds a fault."""

from __future__ import annotations

from collections.abc import Mapping

from ....model.programs.operators import ShapedOperator
from ....model.programs.symbols import ExpressionError, Extent, UnknownSymbol
from ....operators.kinds import OPERATOR_KINDS
from ....operators.work import Grid
from ....sizes.operators import AnyOperator, grids_of, shape_sizes, size_of

Symbols = Mapping[str, int]


def has_its_keys(operator: ShapedOperator) -> bool:
    """Return whether the shape of *operator* has all sizes of its kind, and no others."""
    kind = OPERATOR_KINDS[operator.kind]
    return set(kind.required) <= set(operator.shape) <= set(kind.known)


def known_sizes(operator: ShapedOperator, symbols: Symbols) -> dict[str, int] | None:
    """Return the sizes of the shape of *operator*."""
    try:
        return shape_sizes(operator, symbols)
    except (ExpressionError, UnknownSymbol):
        return None


def known_grids(operator: AnyOperator, symbols: Symbols) -> tuple[Grid, ...]:
    """Return the grids of *operator*."""
    if isinstance(operator, ShapedOperator):
        sizes = known_sizes(operator, symbols) if has_its_keys(operator) else None
        if sizes is None or any(OPERATOR_KINDS[operator.kind].contradictions(sizes)):
            return ()
    try:
        return grids_of(operator, symbols)
    except (ExpressionError, UnknownSymbol):
        return ()


def known_size(extent: Extent, symbols: Symbols, least: int = 1) -> int | None:
    """Return the value of *extent*, which is at least *least*."""
    try:
        return size_of(extent, symbols, least)
    except (ExpressionError, UnknownSymbol):
        return None
