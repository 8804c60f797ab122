"""Operators at one set of symbols, as work and grids of tiles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from ..model.programs.keys import MAY_BE_ZERO, OPERATOR_KEYS
from ..model.programs.operators import ExplicitOperator, OpaqueOperator, ShapedOperator
from ..model.programs.symbols import ExpressionError, Extent, evaluated
from ..model.wording import shown
from ..operators.kinds import shaped_work
from ..operators.work import Grid, OperatorWork, Tensor, TensorRole, grid_of

AnyOperator = ShapedOperator | ExplicitOperator | OpaqueOperator


def size_of(extent: Extent, symbols: Mapping[str, int], least: int = 1) -> int:
    """Return the value of *extent*, which is at least *least*.

    Raises
    ------
    ExpressionError
        It cannot be read, divides by zero, or is too small.
    UnknownSymbol
        One of its symbols has no value.
    """
    value = evaluated(extent, symbols)
    if value < least:
        found = f"{shown(extent)} is {value}" if isinstance(extent, str) else f"found {value}"
        raise ExpressionError(f"{found}, expected {least} or more")
    return value


def shape_sizes(operator: ShapedOperator, symbols: Mapping[str, int]) -> dict[str, int]:
    """Return the sizes of the shape of *operator*."""
    return {key: size_of(extent, symbols, int(key not in MAY_BE_ZERO)) for key, extent in operator.shape.items()}


def work_of(operator: AnyOperator, symbols: Mapping[str, int]) -> OperatorWork:
    """Return what one execution of *operator* reads, writes and computes.

    Raises
    ------
    ExpressionError, UnknownSymbol
        As `size_of`.
    """
    match operator:
        case ShapedOperator():
            return shaped_work(operator, shape_sizes(operator, symbols))
        case ExplicitOperator():
            return _explicit_work(operator, size_of(operator.tiles, symbols))
        case OpaqueOperator():
            moved = Tensor(TensorRole.ACTIVATIONS, size_of(operator.hbm_bytes, symbols, 0))
            return OperatorWork((1, 1, 1), (None, None, None), (moved,), 0)
    assert_never(operator)


def _explicit_work(operator: ExplicitOperator, tiles: int) -> OperatorWork:
    stated = (
        (TensorRole.WEIGHTS, operator.weight_bytes),
        (TensorRole.ACTIVATIONS, operator.activation_bytes),
        (TensorRole.OUTPUT, operator.output_bytes),
    )
    return OperatorWork((tiles, 1, 1), (None, None, None), tuple(Tensor(role, _sum(sizes, tiles)) for role, sizes in stated), 0)


def _sum(series: tuple[int, ...], tiles: int) -> int:
    return series[0] * tiles if len(series) == 1 else sum(series)


def grids_of(operator: AnyOperator, symbols: Mapping[str, int]) -> tuple[Grid, ...]:
    """Return the grid of tiles under each geometry that *operator* declares; without one the output is a single tile."""
    work = work_of(operator, symbols)
    if isinstance(operator, ShapedOperator):
        return tuple(grid_of(work, geometry) for geometry in operator.tile or ({},))
    return (Grid(work.extents, (1, 1, 1)),)


def family_of(operator: AnyOperator) -> str | None:
    """Return the family whose operators share one geometry; None where tiles are stated."""
    return OPERATOR_KEYS[operator.kind].family if isinstance(operator, ShapedOperator) else None
