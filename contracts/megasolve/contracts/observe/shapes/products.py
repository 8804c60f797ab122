"""Products: matrices, batches of them, convolutions and mixtures of experts. Their weights are told by the operand that they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import prod
from types import MappingProxyType
from typing import NamedTuple

from ...profiles.execution import OperatorCall
from .operands import Operand, concrete, tensors, whole_numbers
from .shaped import Shaped, sizes


def product(call: OperatorCall) -> Shaped | None:
    """Return a matmul with weights: x of m rows, w of k x n or n x k, and perhaps a bias of n."""
    floats = [one for one in tensors(call) if one.is_float]
    matrices = [one for one in floats if one.rank == 2 or (one.rank > 2 and one is floats[0])]
    for left, right in pairwise(matrices):
        found = _matmul(left, right, floats)
        if found is not None:
            return found
    return None


def _matmul(left: Operand, right: Operand, floats: Sequence[Operand]) -> Shaped | None:
    k = left.sides[-1]
    if right.rank != 2 or k not in right.sides:
        return None
    n = right.sides[1] if right.sides[0] == k else right.sides[0]
    has_bias = any(one.sides == (n,) for one in floats)
    weight = None if right.element_bytes == left.element_bytes else right.element_bytes
    shape = sizes(m=left.rows, n=n, k=k)
    return Shaped("matmul", "matmul", shape, left.element_bytes, weight, has_bias, parameters=k * n + n * has_bias)


def batched(call: OperatorCall) -> Shaped | None:
    """Return a matmul for each of a batch, both sides activations."""
    cubes = [one for one in tensors(call) if one.rank == 3]
    pair = next(((a, b) for a, b in pairwise(cubes) if a.sides[0] == b.sides[0] and a.sides[2] == b.sides[1]), None)
    if pair is None:
        return None
    (batch, m, k), (_, _, n) = pair[0].sides, pair[1].sides
    return Shaped("matmul", "matmul", sizes(m=m, n=n, k=k), pair[0].element_bytes, times=batch)


class _Arguments(NamedTuple):
    """Where a convolution has its arguments that are no tensors; None where it has none of a kind."""

    stride: int
    padding: int
    dilation: int
    groups: int
    is_transposed: int | None = None
    extra: int | None = None


_OF_ANY = _Arguments(3, 4, 5, 8, 6, 7)
_ARGUMENTS: Mapping[str, _Arguments] = MappingProxyType(
    {
        "cudnn_convolution": _Arguments(3, 2, 4, 5),
        "cudnn_convolution_transpose": _Arguments(4, 2, 5, 6, extra=3),
        "miopen_convolution": _Arguments(4, 3, 5, 6),
        "miopen_convolution_transpose": _Arguments(5, 3, 6, 7, extra=4),
        **{f"conv{axes}d": _Arguments(3, 4, 5, 6) for axes in (1, 2, 3)},
        **{f"conv_transpose{axes}d": _Arguments(3, 4, 7, 6, extra=5) for axes in (1, 2, 3)},
    }
)


def convolution(name: str, call: OperatorCall) -> Shaped | None:
    """Return a convolution over time, or over the places of a picture as if they were time."""
    operands = [one for one in tensors(call) if one.is_float]
    if len(operands) < 2 or operands[0].rank < 3 or operands[1].rank != operands[0].rank:
        return None
    given, weight, at = operands[0], operands[1], _ARGUMENTS.get(name, _OF_ANY)
    stated = "True" if at.is_transposed is None and "transpose" in name else concrete(call, at.is_transposed or 0)
    groups = max(whole_numbers(concrete(call, at.groups)) or (1,))
    is_transposed = stated == "True"
    c_in, c_out = given.sides[1], weight.sides[1] * groups if is_transposed else weight.sides[0]
    out, stride = _places(call, at, given, weight, is_transposed=is_transposed)
    if min(out) < 1 or groups < 1 or c_in % groups or c_out % groups:
        return None
    shape = sizes(c_in=c_in, c_out=c_out, kernel=prod(weight.sides[2:]), t_out=given.sides[0] * prod(out), stride=stride, groups=groups)
    kind, has_bias = "conv_transpose1d" if is_transposed else "conv1d", any(one.sides == (c_out,) for one in operands[2:])
    return Shaped("conv", kind, shape, given.element_bytes, None, has_bias, parameters=weight.numel + c_out * has_bias)


def _places(call: OperatorCall, at: _Arguments, given: Operand, weight: Operand, *, is_transposed: bool) -> tuple[list[int], int]:
    """Return the sides of the output without batch and channels, and the product of the strides."""
    axes = given.rank - 2
    stride, padding, dilation = (_of_axes(call, one, axes, usual) for one, usual in ((at.stride, 1), (at.padding, 0), (at.dilation, 1)))
    extra = (0,) * axes if at.extra is None else _of_axes(call, at.extra, axes, 0)
    reach = [of * (side - 1) + 1 for of, side in zip(dilation, weight.sides[2:], strict=True)]
    sides = list(zip(given.sides[2:], stride, padding, reach, extra, strict=True))
    if min(stride) < 1:
        return [0], 1
    if is_transposed:
        return [(n - 1) * s - 2 * p + r + e for n, s, p, r, e in sides], prod(stride)
    return [(n + 2 * p - r) // s + 1 for n, s, p, r, _ in sides], prod(stride)


def _of_axes(call: OperatorCall, position: int, axes: int, usual: int) -> tuple[int, ...]:
    found = whole_numbers(concrete(call, position))
    return found if len(found) == axes else (found or (usual,))[:1] * axes


def experts(call: OperatorCall) -> Shaped | None:
    """Return a mixture of experts: tokens of k, up (and gate) of experts x n x k, down of experts x k x n, and the chosen ones."""
    operands = tensors(call)
    stacked = [one for one in operands if one.is_float and one.rank == 3]
    given = next((one for one in operands if one.is_float and one.rank == 2), None)
    if given is None or len(stacked) < 2 or stacked[0].sides[0] != stacked[1].sides[0]:
        return None
    tokens, k = given.sides
    (count, up, _), (_, _, n) = stacked[0].sides, stacked[1].sides
    chosen = next((one.sides[1] for one in operands if one.rank == 2 and one.sides[0] == tokens and one is not given), 0)
    if k not in stacked[0].sides or up not in (n, 2 * n) or not 0 < chosen <= count:
        return None
    weight = None if stacked[0].element_bytes == given.element_bytes else stacked[0].element_bytes
    shape = sizes(tokens=tokens, experts=count, top_k=chosen, k=k, n=n, distinct=min(count, tokens * chosen), matrices=1 + up // n)
    return Shaped("experts", "moe", shape, given.element_bytes, weight, parameters=stacked[0].numel + stacked[1].numel)
