"""One case per operator of the kernels: operands in place, and what float64 says that must come out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from megasolve.gpu.programs.operations import OPERATIONS
from megasolve.gpu.programs.operators.elementwise import FUNCTIONS
from tests.support.kernels.host_build import conventional_kernels
from tests.support.kernels.operands import Floats, Operands, Tile, argument_words, cuts
from tests.support.standin.cpu_device import CpuDevice

ELEMENTWISE: Mapping[str, Callable[[Floats, Floats], Floats]] = {
    "add": lambda a, b: a + b,
    "silu_mul": lambda a, b: a / (1 + np.exp(-a)) * b,
    "tanh": lambda a, _: np.tanh(a),
    "snake": lambda a, _: a + np.sin(a) ** 2,
}
_COLUMNS, _HEADS = ("col_first", "cols"), ("head_first", "heads")


@dataclass(frozen=True, slots=True)
class Case:
    """What all tiles of an operator share (*fixed*), and the *rows* and *columns* (or heads) that tiles cut; *names* of both in a tile."""

    operation: str
    operands: Operands
    fixed: Mapping[str, int]
    rows: int
    columns: int = 1
    names: tuple[str, ...] = ()
    row_names: tuple[str, str] = ("row_first", "rows")

    def tiles(self, tile_rows: int, tile_columns: int) -> list[Tile]:
        """Return the tiles of that size, the last of a row or column smaller."""
        places = [(*rows, *columns) for rows in cuts(self.rows, tile_rows) for columns in cuts(self.columns, tile_columns)]
        return [{**self.fixed, **dict(zip((*self.row_names, *self.names), place, strict=False))} for place in places]

    def check(
        self,
        tile_rows: int = 64,
        tile_columns: int = 1 << 20,
        *,
        threads: int = 256,
        seed: int = 0,
        tolerance: float = 2e-5,
        device: CpuDevice | None = None,
    ) -> None:
        """Run the conventional kernel in tiles of that size, and compare every element of every arena."""
        words = np.array([argument_words(self.operation, tile) for tile in self.tiles(tile_rows, tile_columns)], np.int32)
        floats, weights, ids = self.operands.arenas()
        kernels = device or conventional_kernels(threads)
        shared_bytes = OPERATIONS[self.operation].shared_bytes(threads)
        kernels.launch(f"k_{self.operation}", [floats, weights, ids, words], grid=len(words), block=threads, shared_bytes=shared_bytes)
        outcome = kernels.run(slots=2, seed=seed)
        assert outcome.is_done, outcome.explanation
        self.operands.check(floats, ids, tolerance=tolerance)


def embedding() -> Case:
    """Tokens in every third id, of a small table."""
    operands, tokens = Operands(), [4, 0, 2, 2, 1]
    table, table_values = operands.random_weights(5, 48)
    ids = operands.ids(np.repeat(tokens, 3).reshape(5, 3) * [1, 0, 0])
    y = operands.room(5 * 50)
    operands.expect_rows(y, 50, table_values[tokens])
    fixed = {"ids_first": ids, "ids_stride": 3, "table": table, "dim": 48, "y": y, "ldy": 50}
    return Case("embedding", operands, fixed, 5, 48, _COLUMNS)


def norm(rows: int, dim: int) -> Case:
    """Rows with a gap between them."""
    operands = Operands()
    x, x_values = operands.random_floats(rows, dim + 1)
    weight, gain = operands.random_weights(dim)
    y, x_values = operands.room(rows * dim), x_values[:, :dim]
    operands.expect(y, x_values / np.sqrt((x_values**2).mean(axis=1, keepdims=True) + 1e-5) * gain)
    return Case("norm", operands, {"x": x, "ldx": dim + 1, "weight": weight, "dim": dim, "y": y, "ldy": dim}, rows)


def product(operation: str, m: int, n: int, k: int, *, has_residual: bool = False, x_values: npt.ArrayLike | None = None) -> Case:
    """y = x W^T (+ residual) with gaps between rows; x and the weights are the last tensors of their arenas."""
    operands, ldy = Operands(), n + 3
    y, residual, expected = operands.room(m * ldy), -1, np.zeros((m, n))
    if has_residual:
        residual, residual_values = operands.random_floats(m, ldy)
        expected += residual_values[:, :n]
    weight, weight_values = operands.random_weights(n, k, scale=k**-0.5)
    rows = operands.random.standard_normal((m, k + 4)).astype(np.float32)
    if x_values is not None:
        rows[:, :k] = x_values
    operands.expect_rows(y, ldy, expected + rows[:, :k].astype(np.float64) @ weight_values.T)
    fixed = {"x": operands.floats(rows), "ldx": k + 4, "weight": weight, "k": k, "y": y, "ldy": ldy, "residual": residual}
    return Case(operation, operands, fixed, m, n, ("n_first", "n"), ("m_first", "m"))


def rotary(rows: int, tokens: int, position: int, *, head_dim: int = 16, in_place: bool = False) -> Case:
    """Three heads of each row, turned by the position of the row."""
    operands, half = Operands(), head_dim // 2
    x, x_values = operands.random_floats(rows, 3, head_dim)
    y = x if in_place else operands.room(rows * 3 * head_dim)
    positions = position + np.arange(rows) % tokens
    turns = np.exp(1j * positions[:, None, None] * 10000.0 ** (-np.arange(half) / half))
    turned = (x_values[..., :half] + 1j * x_values[..., half:]) * turns
    operands.expect(y, np.concatenate([turned.real, turned.imag], axis=2))
    fixed = {"x": x, "ldx": 3 * head_dim, "y": y, "ldy": 3 * head_dim, "head_dim": head_dim, "tokens": tokens, "position_first": position}
    return Case("rotary", operands, fixed, rows, 3, _HEADS)


def kv_append(tokens: int, position: int) -> Case:
    """Six rows of two heads into caches that hold five positions."""
    operands, rows, heads, head_dim, capacity = Operands(), 6, 2, 4, 5
    fixed = {"capacity": capacity, "kv_heads": heads, "head_dim": head_dim, "tokens": tokens, "position_first": position}
    for name in ("k", "v"):
        source, values = operands.random_floats(rows, heads * head_dim + 4)
        cache = operands.room(rows // tokens * heads * capacity * head_dim)
        fixed |= {name: source, f"ld{name}": heads * head_dim + 4, f"{name}_cache": cache}
        for row, head in np.ndindex(rows, heads):
            place = ((row // tokens * heads + head) * capacity + position + row % tokens) * head_dim
            operands.expect(cache + place, values[row, head * head_dim : (head + 1) * head_dim])
    return Case("kv_append", operands, fixed, rows, heads, _HEADS)


def elementwise(function: str, *, in_place: bool = False) -> Case:
    """Large and small values; b lies outside of the arena where the function has none."""
    operands = Operands()
    values = operands.random.standard_normal((5, 37)).astype(np.float32) * np.float32(9)
    a, (b, b_values) = operands.floats(values), operands.random_floats(5, 40)
    y = a if in_place else operands.room(5 * 37)
    operands.expect(y, ELEMENTWISE[function](values.astype(np.float64), b_values[:, :37]))
    is_binary = function in {"add", "silu_mul"}
    fixed = {"a": a, "lda": 37, "b": b if is_binary else 1 << 30, "ldb": 40, "y": y, "ldy": 37, "function": FUNCTIONS[function]}
    return Case("elementwise", operands, fixed, 5, 37, _COLUMNS)


def attention(
    operation: str, sequences: int, keys: int, *, kv_heads: int = 1, group: int = 1, head_dim: int = 16, scale: float = 1.0
) -> Case:
    """Queries of some sequences over caches of *keys* filled rows, poisoned behind: one query each for decode, all for prefill."""
    operands, capacity = Operands(), keys + 3
    tokens = keys if operation == "attention_prefill" else 1
    rows, columns = sequences * tokens, kv_heads * group * head_dim
    y, ldy = operands.room(rows * (columns + 1)), columns + 1
    queries = operands.random.standard_normal((rows, columns + 4)).astype(np.float32) * np.float32(scale)
    caches = operands.random.standard_normal((2, sequences, kv_heads, capacity, head_dim)).astype(np.float32)
    caches[:, :, :, keys:] = np.nan
    for row in range(rows):
        seen = row % tokens + 1 if operation == "attention_prefill" else keys
        k, v = caches[:, row // tokens, :, :seen].astype(np.float64)
        own = queries[row, :columns].astype(np.float64).reshape(kv_heads, group, head_dim)
        scores = np.einsum("hgd,htd->hgt", own, k) / np.sqrt(head_dim)
        weights = np.exp(scores - scores.max(axis=2, keepdims=True))
        operands.expect(y + row * ldy, np.einsum("hgt,htd->hgd", weights / weights.sum(axis=2, keepdims=True), v))
    fixed = {
        "q": operands.floats(queries),
        "ldq": columns + 4,
        "k_cache": operands.floats(caches[0]),
        "v_cache": operands.floats(caches[1]),
    }
    own_length = {"tokens": tokens} if operation == "attention_prefill" else {"kv_tokens": keys}
    shape = {"y": y, "ldy": ldy, "capacity": capacity, "kv_heads": kv_heads, "group": group, "head_dim": head_dim}
    return Case(operation, operands, {**fixed, **shape, **own_length}, rows, kv_heads, _HEADS)


def step(rows: int, heads: int, head_dim: int, states: int) -> Case:
    """One token of a state-space layer for each of *rows* sequences."""
    operands, width = Operands(), heads * head_dim
    x, x_rows = operands.random_floats(rows, width + 1)
    b, b_values = operands.random_floats(rows, states)
    c, c_values = operands.random_floats(rows, states + 2)
    dt, dt_values = operands.random_floats(rows, heads)
    (a_log, log_rates), (d, skips), (dt_bias, biases) = (operands.random_weights(heads) for _ in range(3))
    state, states_before = operands.random_floats(rows, heads, head_dim, states)
    y, x_values = operands.room(rows * width), x_rows[:, :width].reshape(rows, heads, head_dim)
    steps = np.log1p(np.exp(dt_values + biases))
    decay = np.exp(-steps * np.exp(log_rates))[:, :, None, None]
    states_after = states_before * decay + np.einsum("rh,rhp,rn->rhpn", steps, x_values, b_values)
    operands.expect(state, states_after)
    operands.expect(y, np.einsum("rhpn,rn->rhp", states_after, c_values[:, :states]) + skips[:, None] * x_values)
    matrices = {"x": x, "ldx": width + 1, "b": b, "ldb": states, "c": c, "ldc": states + 2, "dt": dt, "lddt": heads, "y": y, "ldy": width}
    layer = {"a_log": a_log, "d": d, "dt_bias": dt_bias, "state": state, "heads": heads, "head_dim": head_dim, "states": states}
    return Case("step", operands, {**matrices, **layer}, rows, heads, ("head_first", "head_count"))


def conv_transpose1d(sequences: int, t_in: int, *, kernel: int, stride: int, c_in: int, c_out: int) -> Case:
    """A transposed convolution, each input element added where it reaches; x and the weights are the last of their arenas."""
    operands, rows, ldy = Operands(), sequences * t_in * stride, c_out + 1
    bias, bias_values = operands.random_weights(c_out)
    weight, weight_values = operands.random_weights(kernel, c_out, c_in, scale=c_in**-0.5)
    y = operands.room(rows * ldy)
    x, x_values = operands.random_floats(sequences, t_in, c_in)
    expected = np.zeros((sequences, t_in * stride + kernel, c_out)) + bias_values
    for s, j in np.ndindex(t_in, kernel):
        expected[:, s * stride + j] += x_values[:, s] @ weight_values[j].T
    operands.expect_rows(y, ldy, expected[:, : t_in * stride].reshape(rows, c_out))
    shape = {"c_in": c_in, "c_out": c_out, "kernel": kernel, "stride": stride, "t_in": t_in}
    fixed = {"x": x, "ldx": c_in, "weight": weight, "bias": bias, "y": y, "ldy": ldy, **shape}
    return Case("conv_transpose1d", operands, fixed, rows, c_out, _COLUMNS)


def sampling(rows: npt.ArrayLike, expected: npt.ArrayLike) -> Case:
    """Logits and the token that each row must give, in every second id."""
    operands, logits = Operands(), np.asarray(rows, np.float32)
    ids = operands.ids(np.full(2 * len(logits), 99))
    for row, token in enumerate(np.asarray(expected).tolist()):
        operands.expect_id(ids + 2 * row, token)
    fixed = {"x": operands.floats(logits), "ldx": logits.shape[1], "dim": logits.shape[1], "ids_first": ids, "ids_stride": 2}
    return Case("sampling", operands, fixed, len(logits))


def every_operation() -> list[Case]:
    """Return one case of each operator, large enough for several warps."""
    logits = np.random.default_rng(0).standard_normal((4, 300)).astype(np.float32)
    return [
        embedding(),
        norm(5, 300),
        product("matmul", 17, 16, 160),
        product("matvec", 3, 17, 264),
        rotary(6, 3, 0),
        kv_append(3, 0),
        attention("attention_prefill", 2, 35, group=2),
        attention("attention_decode", 2, 150, group=5),
        elementwise("silu_mul"),
        step(2, 3, 5, 16),
        conv_transpose1d(2, 5, kernel=8, stride=4, c_in=16, c_out=6),
        sampling(logits, logits.argmax(axis=1)),
    ]
