"""Operators at one set of symbols, as work and grids of tiles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import assert_never

from ..model.programs.operators import ExplicitOperator, OpaqueOperator, ShapedOperator
from ..model.programs.symbols import ExpressionError, Extent, evaluated
from ..model.wording import KeyPath, shown
from ..operators.explicit import explicit_work
from ..operators.kind import Widths
from ..operators.kinds import MAY_BE_ZERO, OPERATOR_KINDS
from ..operators.opaque import opaque_work
from ..operators.work import Grid, OperatorWork, grid_of

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
            tiles = size_of(operator.tiles, symbols)
            return explicit_work(tiles, operator.weight_bytes, operator.activation_bytes, operator.output_bytes)
        case OpaqueOperator():
            return opaque_work(size_of(operator.hbm_bytes, symbols, 0))
    assert_never(operator)


def shaped_work(operator: ShapedOperator, sizes: Mapping[str, int]) -> OperatorWork:
    """Return the work of *operator* with the shape *sizes*, which must have the keys of its kind."""
    return OPERATOR_KINDS[operator.kind].work_at(sizes, widths_of(operator))


def widths_of(operator: ShapedOperator) -> Widths:
    """Return the element widths of *operator*: those that it states, else the usual ones of its kind."""
    parameters = OPERATOR_KINDS[operator.kind].parameter_bytes
    usual = operator.element_bytes if parameters is None else parameters
    weight = usual if operator.weight_element_bytes is None else operator.weight_element_bytes
    state = usual if operator.state_element_bytes is None else operator.state_element_bytes
    return Widths(operator.element_bytes, weight, state, int(operator.bias))


def grids_of(operator: AnyOperator, symbols: Mapping[str, int]) -> tuple[Grid, ...]:
    """Return the grid of tiles under each geometry that *operator* declares; without one the output is a single tile."""
    work = work_of(operator, symbols)
    if isinstance(operator, ShapedOperator):
        return tuple(grid_of(work, geometry) for geometry in operator.geometries or ({},))
    return (Grid(work.extents, (1, 1, 1)),)


def family_of(operator: AnyOperator) -> str | None:
    """Return the family whose operators share one geometry; None where tiles are stated."""
    return OPERATOR_KINDS[operator.kind].family if isinstance(operator, ShapedOperator) else None


def sizes_written(operator: AnyOperator) -> Iterator[tuple[KeyPath, Extent]]:
    """Yield the sizes of *operator* with their keys."""
    if isinstance(operator, ShapedOperator):
        yield from ((("shape", key), extent) for key, extent in operator.shape.items())
    elif isinstance(operator, ExplicitOperator):
        yield ("tiles",), operator.tiles
    else:
        yield ("grid_ctas",), operator.grid_ctas
        yield ("hbm_bytes",), operator.hbm_bytes
