"""Operators of which bytes are all that matters: elementwise functions, copies, fills and concatenations."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ...profiles.execution import OperatorCall
from .operands import tensors
from .shaped import Computed, MovedBytes, Shaped, sizes

_LOGICAL = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "isnan", "isinf", "logical_not", "logical_and", "logical_or", "isin"})


def elementwise(name: str, call: OperatorCall) -> Computed | None:
    """Return a function of the elements at one place; a vector as wide as a row is a weight."""
    operands = tensors(call)
    out = _broadcast([one.sides for one in operands])
    if not operands or out is None:
        return None
    full = [one for one in operands if one.sides == out]
    vectors = [one for one in operands if one.rank == 1 and len(out) > 1 and one.sides[0] == out[-1] > 1 and one.is_float]
    parameters = sum(one.numel for one in vectors)
    widths = {one.element_bytes for one in (*full, *vectors)}
    if full and len(full) + len(vectors) == len(operands) and len(widths) == 1 and name not in _LOGICAL:
        shape = sizes(rows=max(full[0].rows, 1), dim=out[-1], inputs=len(full), weights=len(vectors))
        return Shaped("elementwise", "elementwise", shape, full[0].element_bytes, parameters=parameters)
    written = prod(out) * (1 if name in _LOGICAL else max(one.element_bytes for one in operands))
    weights = sum(one.size_bytes for one in vectors)
    return MovedBytes("elementwise", weights, sum(one.size_bytes for one in operands) - weights, written, parameters)


def gated(call: OperatorCall) -> Shaped | None:
    """Return an activation that multiplies the two halves of a row: half of it comes out."""
    floats = [one for one in tensors(call) if one.is_float]
    widest = max(floats, key=lambda one: one.numel, default=None)
    if widest is None or widest.sides[-1] % 2:
        return None
    shape = sizes(rows=max(widest.rows, 1), dim=widest.sides[-1] // 2, inputs=2, flops_per_element=5)
    return Shaped("gate", "elementwise", shape, widest.element_bytes)


def copied(call: OperatorCall) -> MovedBytes | None:
    """Return a copy: what is read, in its width, and what is written, in its own."""
    operands = tensors(call)
    if not operands:
        return None
    target, source = operands[0], operands[1] if len(operands) > 1 else operands[0]
    return MovedBytes("copy", 0, source.size_bytes, target.size_bytes)


def filled(call: OperatorCall) -> MovedBytes | None:
    """Return a fill: nothing is read."""
    operands = tensors(call)
    return MovedBytes("fill", 0, 0, operands[0].size_bytes) if operands else None


def concatenated(call: OperatorCall) -> MovedBytes | None:
    """Return a concatenation: all that is read is written."""
    moved = sum(one.size_bytes for one in tensors(call))
    return MovedBytes("concatenation", 0, moved, moved) if moved else None


def _broadcast(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...] | None:
    """Return what *shapes* come to together, None where they do not fit."""
    rank = max(map(len, shapes), default=0)
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    out = tuple(max(sides) for sides in zip(*padded, strict=True))
    fits = all(side in (1, most) for shape in padded for side, most in zip(shape, out, strict=True))
    return out if fits else None
