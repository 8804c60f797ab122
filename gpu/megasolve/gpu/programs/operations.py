"""The operators that the kernels know: one table for the C++ headers, the instruction compiler and the launches.

Operands are element offsets into three arenas in device memory: `floats` (float32: activations, caches, states, outputs), `weights`
(bfloat16: `table`, `weight`, `bias`, `a_log`, `d`, `dt_bias`) and `ids` (int32: `ids_first`, for tokens). Matrices are row-major with a
leading dimension; a weight matrix has one row of `k` per output column. Rows, columns and heads are counted in the whole matrices, not in
the tile: row r of x stands at x + r * ldx in every tile. A tile works on the rows and columns that its instruction names and on nothing
else, and writes no element that another tile of the same operator writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

MOST_ARGUMENTS = 24

INSTRUCTION_BYTES = 128
"""Shared memory that the interpreter needs beside its operators: the instruction that it runs."""

FUNCTIONS: Mapping[str, int] = {"add": 0, "silu_mul": 1, "tanh": 2, "snake": 3}
"""The functions of `elementwise` by name: a + b, silu(a) * b, tanh(a), a + sin(a) ** 2."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operator of the kernels: its *code* in an instruction, and the names of its *arguments* in order, all 32-bit integers.

    *name* is also the suffix of its conventional kernel (`k_norm`); *meaning* says what one tile computes. A block needs
    *block_shared_bytes* of dynamic shared memory and *warp_shared_bytes* more for each warp, whatever the tile.
    """

    code: int
    name: str
    arguments: tuple[str, ...]
    meaning: str
    block_shared_bytes: int = 0
    warp_shared_bytes: int = 0

    def shared_bytes(self, threads: int) -> int:
        """Return the dynamic shared memory of a block of *threads*."""
        return self.block_shared_bytes + self.warp_shared_bytes * (threads // 32)


_ALL = (
    Operation(
        1,
        "embedding",
        ("ids_first", "ids_stride", "table", "dim", "y", "ldy", "row_first", "rows", "col_first", "cols"),
        "y[r, c] = table[ids[ids_first + r * ids_stride], c]",
    ),
    Operation(
        2,
        "norm",
        ("x", "ldx", "weight", "dim", "y", "ldy", "row_first", "rows"),
        "y[r, :] = x[r, :] / rms(x[r, :]) * weight, with 1e-5 added to the mean square",
        warp_shared_bytes=4,
    ),
    Operation(
        3,
        "matmul",
        ("x", "ldx", "weight", "k", "y", "ldy", "residual", "m_first", "m", "n_first", "n"),
        "y[m, n] = sum over k of x[m, k] * weight[n, k], plus residual[m, n] where residual >= 0 (leading dimension of y); at most 64 rows",
        warp_shared_bytes=2048,
    ),
    Operation(
        4,
        "matvec",
        ("x", "ldx", "weight", "k", "y", "ldy", "residual", "m_first", "m", "n_first", "n"),
        "as matmul, a warp per two output columns, without tensor cores; at most 8 rows",
    ),
    Operation(
        5,
        "rotary",
        ("x", "ldx", "y", "ldy", "head_dim", "tokens", "position_first", "row_first", "rows", "head_first", "heads"),
        "pairs (i, i + head_dim / 2) of each head are turned by position * 10000 ** (-2 i / head_dim);"
        " row r is at position_first + r % tokens",
    ),
    Operation(
        6,
        "kv_append",
        (
            *("k", "ldk", "v", "ldv", "k_cache", "v_cache", "capacity", "kv_heads", "head_dim", "tokens", "position_first"),
            *("row_first", "rows", "head_first", "heads"),
        ),
        "cache[sequence, head, position, :] = k and v [r, head, :]; row r is token r % tokens of sequence r // tokens",
    ),
    Operation(
        7,
        "attention_prefill",
        (
            *("q", "ldq", "k_cache", "v_cache", "capacity", "kv_heads", "group", "head_dim", "y", "ldy", "tokens"),
            *("row_first", "rows", "head_first", "heads"),
        ),
        "causal attention of each query row (token t = r % tokens of sequence r // tokens) over positions 0 to t of its cache;"
        " heads are kv heads, each serves the query heads group * head to group * head + group - 1",
        block_shared_bytes=43520,
    ),
    Operation(
        8,
        "attention_decode",
        (
            *("q", "ldq", "k_cache", "v_cache", "capacity", "kv_heads", "group", "head_dim", "y", "ldy", "kv_tokens"),
            *("row_first", "rows", "head_first", "heads"),
        ),
        "attention of row r, the one query of sequence r, over the first kv_tokens of its cache; heads as in attention_prefill",
        block_shared_bytes=2048,
        warp_shared_bytes=2080,
    ),
    Operation(
        9,
        "elementwise",
        ("a", "lda", "b", "ldb", "y", "ldy", "function", "row_first", "rows", "col_first", "cols"),
        "y = a + b (function 0), silu(a) * b (1), tanh(a) (2), a + sin(a) ** 2 (3); b is not read where the function has none",
    ),
    Operation(
        10,
        "step",
        (
            *("x", "ldx", "b", "ldb", "c", "ldc", "dt", "lddt", "a_log", "d", "dt_bias", "state", "heads", "head_dim", "states"),
            *("y", "ldy", "row_first", "rows", "head_first", "head_count"),
        ),
        "one token of a state-space layer (Mamba-2, one group):"
        " state[r, h, p, n] = state * exp(-dt * exp(a_log[h])) + dt * x[r, h, p] * b[r, n] and"
        " y[r, h, p] = sum over n of state * c[r, n] + d[h] * x[r, h, p], with dt = softplus(dt[r, h] + dt_bias[h])",
    ),
    Operation(
        11,
        "conv_transpose1d",
        ("x", "ldx", "weight", "bias", "c_in", "c_out", "kernel", "stride", "t_in", "y", "ldy", "row_first", "rows", "col_first", "cols"),
        "y[t, o] = bias[o] + sum over s, i with 0 <= t - stride * s < kernel of x[s, i] * weight[t - stride * s, o, i];"
        " row r is time r % (stride * t_in) of sequence r // (stride * t_in)",
    ),
    Operation(
        12,
        "sampling",
        ("x", "ldx", "dim", "ids_first", "ids_stride", "row_first", "rows"),
        "ids[ids_first + r * ids_stride] = index of the largest x[r, :dim], the lowest of equal ones",
        warp_shared_bytes=8,
    ),
)

OPERATIONS: Mapping[str, Operation] = {operation.name: operation for operation in _ALL}


def shared_bytes(operation: str, threads: int) -> int:
    """Return the dynamic shared memory of a block of *threads* in the conventional kernel of *operation*."""
    return OPERATIONS[operation].shared_bytes(threads)


def entry_shared_bytes(operations: Iterable[str], threads: int) -> int:
    """Return the dynamic shared memory of a block of *threads* in a persistent entry that holds *operations*."""
    return INSTRUCTION_BYTES + max(shared_bytes(operation, threads) for operation in operations)


def operations_mask(operations: Iterable[str]) -> int:
    """Return `MS_OPERATIONS` of an entry that holds *operations*: a bit per code."""
    return sum(1 << OPERATIONS[operation].code for operation in set(operations))
