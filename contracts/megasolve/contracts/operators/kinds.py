"""The kinds of operators: what bytes and flops follow from a shape.

Bytes are those of the tensors as if nothing was fused; a matmul takes two flops per multiply-add, a norm 4 per element (6 with
a bias), a softmax 5 per score, a rotation 3 per element, a state-space update 7 per element of the state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..model.programs.keys import OPERATOR_KEYS
from ..model.programs.operators import ShapedOperator
from ..model.programs.symbols import ceil_div
from .work import Axis, Causal, OperatorWork, Tensor, TensorRole

ROWS, COLUMNS, DEPTH = Axis.ROWS, Axis.COLUMNS, Axis.DEPTH
WEIGHTS, ACTIVATIONS, STATE, OUTPUT, CARRIED = (
    TensorRole.WEIGHTS,
    TensorRole.ACTIVATIONS,
    TensorRole.STATE,
    TensorRole.OUTPUT,
    TensorRole.CARRIED,
)


@dataclass(frozen=True, slots=True)
class Widths:
    """The bytes of one element, and whether there is a bias."""

    element: int
    weight: int
    state: int
    bias: int


def _matmul(shape: Mapping[str, int], widths: Widths) -> OperatorWork:
    m, n, k = shape["m"], shape["n"], shape["k"]
    tensors = (
        Tensor(WEIGHTS, k * n * widths.weight, (COLUMNS, DEPTH)),
        Tensor(WEIGHTS, n * widths.weight * widths.bias, (COLUMNS,)),
        Tensor(ACTIVATIONS, m * k * widths.element, (ROWS, DEPTH)),
        Tensor(OUTPUT, m * n * widths.element, (ROWS, COLUMNS)),
    )
    return OperatorWork((m, n, k), ("m", "n", "k"), tensors, 2 * m * n * k, DEPTH)


def _attention_prefill(shape: Mapping[str, int], widths: Widths) -> OperatorWork:
    queries, keys, sequences = shape["q_tokens"], shape["kv_tokens"], shape["sequences"]
    q_heads, kv_heads, head_dim = shape["q_heads"], shape["kv_heads"], shape["head_dim"]
    rows, causal = sequences * queries, Causal(queries, keys)
    heads_bytes = rows * q_heads * head_dim * widths.element
    tensors = (
        Tensor(ACTIVATIONS, heads_bytes, (ROWS, COLUMNS)),
        Tensor(STATE, 2 * sequences * keys * kv_heads * head_dim * widths.state, (COLUMNS,)),
        Tensor(OUTPUT, heads_bytes, (ROWS, COLUMNS)),
    )
    flops = causal.scores_before(rows) * q_heads * (4 * head_dim + 5)
    return OperatorWork((rows, kv_heads, 1), ("q_tokens", "kv_heads", None), tensors, flops, causal=causal)


def _attention_decode(shape: Mapping[str, int], widths: Widths) -> OperatorWork:
    queries, keys, sequences = shape["q_tokens"], shape["kv_tokens"], shape["sequences"]
    q_heads, kv_heads, head_dim = shape["q_heads"], shape["kv_heads"], shape["head_dim"]
    heads_bytes = sequences * queries * q_heads * head_dim * widths.element
    tensors = (
        Tensor(ACTIVATIONS, heads_bytes, (ROWS, COLUMNS)),
        Tensor(STATE, 2 * sequences * keys * kv_heads * head_dim * widths.state, (ROWS, COLUMNS, DEPTH)),
        Tensor(OUTPUT, heads_bytes, (ROWS, COLUMNS)),
    )
    flops = sequences * queries * keys * q_heads * (4 * head_dim + 5)
    return OperatorWork((sequences, kv_heads, keys), ("sequences", "kv_heads", "kv_tokens"), tensors, flops)


def _kv_append(shape: Mapping[str, int], widths: Widths) -> OperatorWork:
    tokens, heads, head_dim = shape["tokens"], shape["kv_heads"], shape["head_dim"]
    elements = 2 * tokens * heads * head_dim
    tensors = (
        Tensor(ACTIVATIONS, elements * widths.element, (ROWS, COLUMNS)),
        Tensor(CARRIED, elements * widths.state, (ROWS, COLUMNS)),
    )
    return OperatorWork((tokens, heads, 1), ("tokens", "kv_heads", None), tensors, 0)


def _norm(shape: Mapping[str, int], widths: Widths) -> OperatorWork:
    rows, dim = shape["rows"], shape["dim"]
    tensors = (
        Tensor(WEIGHTS, dim * widths.weight * (1 + widths.bias)),
        Tensor(ACTIVATIONS, rows * dim * widths.element, (ROWS,)),
        Tensor(OUTPUT, rows * dim * widths.element, (ROWS,)),
    )
    return OperatorWork((rows, dim, 1), ("rows", None, None), tensors, rows * dim * (6 if widths.bias else 4))


def _elementwise(shape: Mapping[str, int], widths: Widths) -> OperatorWork:
    rows, dim, inputs, vectors = shape["rows"], shape["dim"], shape["inputs"], shape["weights"]
    per_element = shape.get("flops_per_element", inputs - 1 + vectors)
    tensors = (
        Tensor(WEIGHTS, vectors * dim * widths.weight, (COLUMNS,)),
        *(Tensor(ACTIVATIONS, rows * dim * widths.element, (ROWS, COLUMNS)) for _ in range(inputs)),
        Tensor(OUTPUT, rows * dim * widths.element, (ROWS, COLUMNS)),
    )
    return OperatorWork((rows, dim, 1), ("rows", "dim", None), tensors, rows * dim * per_element)


def _rotary(shape: Mapping[str, int], widths: Widths) -> OperatorWork:
    tokens, heads, head_dim = shape["tokens"], shape["heads"], shape["head_dim"]
    elements = tokens * heads * head_dim
    tensors = tuple(Tensor(role, elements * widths.element, (ROWS, COLUMNS)) for role in (ACTIVATIONS, OUTPUT))
    return OperatorWork((tokens, heads, 1), ("tokens", "heads", None), tensors, 3 * elements)


def _embedding(shape: Mapping[str, int], widths: Widths) -> OperatorWork:
    tokens, dim = shape["tokens"], shape["dim"]
    # The gathered rows count as activations: unlike weights they grow with the batch.
    tensors = tuple(Tensor(role, tokens * dim * widths.element, (ROWS, COLUMNS)) for role in (ACTIVATIONS, OUTPUT))
    return OperatorWork((tokens, dim, 1), ("tokens", "dim", None), tensors, 0)


def _convolution(shape: Mapping[str, int], widths: Widths, steps_in: int, macs_over: int, halo_rows: int) -> OperatorWork:
    """A convolution that reads *steps_in* time steps and multiplies at *macs_over* of them."""
    c_in, c_out, kernel, groups, steps = shape["c_in"], shape["c_out"], shape["kernel"], shape["groups"], shape["t_out"]
    is_depthwise = groups == c_in == c_out
    tensors = (
        Tensor(WEIGHTS, c_out * (c_in // groups) * kernel * widths.weight, (COLUMNS,)),
        Tensor(WEIGHTS, c_out * widths.weight * widths.bias, (COLUMNS,)),
        Tensor(ACTIVATIONS, steps_in * c_in * widths.element, (ROWS, COLUMNS) if is_depthwise else (ROWS,)),
        Tensor(OUTPUT, steps * c_out * widths.element, (ROWS, COLUMNS)),
    )
    flops = 2 * (c_in // groups) * c_out * kernel * macs_over
    reads = COLUMNS if is_depthwise else None
    return OperatorWork((steps, c_out, 1), ("t_out", "c_out", None), tensors, flops, reads, halo_rows)


def _conv1d(shape: Mapping[str, int], widths: Widths) -> OperatorWork:
    return _convolution(shape, widths, shape["t_out"] * shape["stride"], shape["t_out"], (shape["kernel"] - 1) * shape["dilation"])


def _conv_transpose1d(shape: Mapping[str, int], widths: Widths) -> OperatorWork:
    steps_in = ceil_div(shape["t_out"], shape["stride"])
    return _convolution(shape, widths, steps_in, steps_in, ceil_div(shape["kernel"], shape["stride"]) - 1)


def _state_space(shape: Mapping[str, int], widths: Widths, rows: int, sequences: int) -> OperatorWork:
    """A recurrent state per head: the tokens of one row follow each other, so only rows and heads can be cut."""
    tokens, heads, head_dim, state, groups = (shape[key] for key in ("tokens", "heads", "head_dim", "state", "groups"))
    inner, state_bytes = tokens * heads * head_dim, sequences * heads * head_dim * state * widths.state
    tensors = (
        Tensor(WEIGHTS, 3 * heads * widths.weight, (COLUMNS,)),
        Tensor(ACTIVATIONS, (inner + tokens * heads) * widths.element, (ROWS, COLUMNS)),
        Tensor(ACTIVATIONS, 2 * tokens * groups * state * widths.element, (ROWS,)),
        Tensor(STATE, state_bytes, (ROWS, COLUMNS)),
        Tensor(CARRIED, state_bytes, (ROWS, COLUMNS)),
        Tensor(OUTPUT, inner * widths.element, (ROWS, COLUMNS)),
    )
    return OperatorWork((rows, heads, 1), ("tokens" if rows == tokens else None, "heads", None), tensors, 7 * inner * state)


def _scan(shape: Mapping[str, int], widths: Widths) -> OperatorWork:
    return _state_space(shape, widths, 1, shape["sequences"])


def _step(shape: Mapping[str, int], widths: Widths) -> OperatorWork:
    return _state_space(shape, widths, shape["tokens"], shape["tokens"])


def _moe(shape: Mapping[str, int], widths: Widths) -> OperatorWork:
    """Up and down projections (*matrices* of k x n) of the *distinct* experts that the tokens are routed to."""
    k, n, distinct = shape["k"], shape["n"], shape["distinct"]
    pairs, moved = shape["tokens"] * shape["top_k"], shape["tokens"] * shape["top_k"] * (k + n) * widths.element
    tensors = (
        Tensor(WEIGHTS, distinct * shape["matrices"] * k * n * widths.weight, (ROWS, COLUMNS)),
        Tensor(ACTIVATIONS, moved, (ROWS,)),
        Tensor(OUTPUT, moved, (ROWS, COLUMNS)),
    )
    return OperatorWork((distinct, n, 1), ("distinct", "n", None), tensors, pairs * (2 * shape["matrices"] * k * n + 5 * n), None)


def _per_row(shape: Mapping[str, int], widths: Widths, result_bytes: int, per_element: int) -> OperatorWork:
    rows, dim = shape["rows"], shape["dim"]
    tensors = (Tensor(ACTIVATIONS, rows * dim * widths.element, (ROWS,)), Tensor(OUTPUT, rows * result_bytes, (ROWS,)))
    flops = rows * dim * shape.get("flops_per_element", per_element)
    return OperatorWork((rows, 1, 1), ("rows", None, None), tensors, flops)


def _reduction(shape: Mapping[str, int], widths: Widths) -> OperatorWork:
    return _per_row(shape, widths, 4, 1)


def _sampling(shape: Mapping[str, int], widths: Widths) -> OperatorWork:
    return _per_row(shape, widths, 8, 5)


_WORK: Mapping[str, Callable[[Mapping[str, int], Widths], OperatorWork]] = {
    "matmul": _matmul,
    "attention_prefill": _attention_prefill,
    "attention_decode": _attention_decode,
    "kv_append": _kv_append,
    "norm": _norm,
    "elementwise": _elementwise,
    "rotary": _rotary,
    "embedding": _embedding,
    "conv1d": _conv1d,
    "conv_transpose1d": _conv_transpose1d,
    "scan": _scan,
    "step": _step,
    "moe": _moe,
    "reduction": _reduction,
    "sampling": _sampling,
}
_WIDE = frozenset({"scan", "step"})
_WIDE_BYTES = 4


def widths_of(operator: ShapedOperator) -> Widths:
    """Return the element widths of *operator*; recurrent states and their parameters are 4 bytes wide unless it says otherwise."""
    usual = _WIDE_BYTES if operator.kind in _WIDE else operator.element_bytes
    weight = usual if operator.weight_element_bytes is None else operator.weight_element_bytes
    state = usual if operator.state_element_bytes is None else operator.state_element_bytes
    return Widths(operator.element_bytes, weight, state, int(operator.bias))


def shaped_work(operator: ShapedOperator, sizes: Mapping[str, int]) -> OperatorWork:
    """Return the work of *operator* with the shape *sizes*, which must have the keys of its kind."""
    usual = {key: value for key, value in OPERATOR_KEYS[operator.kind].optional.items() if value is not None}
    return _WORK[operator.kind]({**usual, **sizes}, widths_of(operator))
