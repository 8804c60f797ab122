"""Operators on rows: norms, rotary embedding, rows of a table, the appending to a cache, softmax and reductions."""

from __future__ import annotations

from collections.abc import Collection

from ...profiles.execution import OperatorCall
from .operands import Operand, concrete, tensors, whole_numbers
from .shaped import Computed, MovedBytes, Shaped, sizes


def norm(name: str, call: OperatorCall) -> tuple[Computed, ...]:
    """Return a norm of rows, and what a sum that is fused into it moves besides."""
    floats = [one for one in tensors(call) if one.is_float]
    given = next((one for one in floats if one.rank > 1), None)
    if given is None:
        return ()
    channels = given.sides[1] if "group" in name or "batch" in name else given.sides[-1]
    vectors = [one for one in floats if one.sides == (channels,)]
    rows = given.numel // channels
    has_bias = len(vectors) > 1 and ("layer" in name or "group" in name or "batch" in name)
    weight = vectors[0].element_bytes if vectors else 0
    shape = sizes(rows=rows, dim=channels)
    found = Shaped("norm", "norm", shape, given.element_bytes, weight, has_bias, parameters=channels * (1 + has_bias) if vectors else 0)
    return (found, MovedBytes("sum", 0, given.size_bytes, given.size_bytes)) if "add" in name else (found,)


def rotary(call: OperatorCall) -> Shaped | None:
    """Return the rotation of queries and keys, whose head is as wide as the call says or as the table of angles is."""
    floats = [one for one in tensors(call) if one.is_float]
    stated = [number for position in range(len(call.concrete)) for number in whole_numbers(concrete(call, position)) if number > 1]
    if len(floats) < 3 or not stated:
        return None
    query, key, head_dim = floats[0], floats[1], stated[0]
    tokens = query.sides[0]
    if query.numel % (tokens * head_dim) or key.numel % (tokens * head_dim) or key.sides[0] != tokens:
        return None
    heads = (query.numel + key.numel) // (tokens * head_dim)
    return Shaped("rotary", "rotary", sizes(tokens=tokens, heads=heads, head_dim=head_dim), query.element_bytes)


def appended(call: OperatorCall) -> Shaped | None:
    """Return the appending of keys and values of new tokens to their caches."""
    floats = [one for one in tensors(call) if one.is_float]
    if len(floats) < 4 or floats[0].sides != floats[1].sides or floats[0].rank not in (2, 3):
        return None
    tokens, *rest = floats[0].sides
    heads, head_dim = rest if len(rest) == 2 else (1, rest[0])
    return Shaped("append", "kv_append", sizes(tokens=tokens, kv_heads=heads, head_dim=head_dim), floats[0].element_bytes)


def gathered(call: OperatorCall, activations: Collection[int]) -> Shaped | None:
    """Return rows gathered from a table: weights, unless the table has as many rows as activations have."""
    operands = tensors(call)
    table = next((one for one in operands if one.is_float and one.rank == 2), None)
    chosen = next((one for one in operands if not one.is_float), None)
    if table is None or chosen is None:
        return None
    dim = table.sides[1]
    tokens = chosen.numel // dim if chosen.sides[-1] == dim and chosen.rank == 2 else chosen.numel
    parameters = 0 if table.sides[0] in activations else table.numel
    return Shaped("embedding", "embedding", sizes(tokens=tokens, dim=dim), table.element_bytes, parameters=parameters)


def softmax(call: OperatorCall) -> Shaped | None:
    """Return a softmax: each element in and out."""
    given = next((one for one in tensors(call) if one.is_float), None)
    if given is None:
        return None
    shape = sizes(rows=max(given.rows, 1), dim=given.sides[-1], inputs=1, flops_per_element=5)
    return Shaped("softmax", "elementwise", shape, given.element_bytes)


def reduced(call: OperatorCall) -> Computed | None:
    """Return a reduction; over the last side it leaves a number for each row, else what it reads is all that is told."""
    operands = tensors(call)
    if not operands:
        return None
    given: Operand = operands[0]
    if whole_numbers(concrete(call, 1)) in ((-1,), (given.rank - 1,)):
        return Shaped("reduction", "reduction", sizes(rows=max(given.rows, 1), dim=given.sides[-1]), given.element_bytes)
    return MovedBytes("reduction", 0, given.size_bytes, 0)
