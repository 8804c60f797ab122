"""An interpreter of instruction programs in numpy: what the kernels do, without any of their code, one tile after the other.

Workers take tickets as the blocks of a launch do and wait for counters; which worker goes on is drawn from a seed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from megasolve.gpu.programs.arenas import Arenas, from_bfloat16
from megasolve.gpu.programs.instructions import InstructionProgram
from megasolve.gpu.programs.operation import Operation
from megasolve.gpu.workloads.streamlet.conventional import KernelLaunch

Array = NDArray[np.float32]


class Stuck(AssertionError):
    """No worker can go on."""


@dataclass
class _Tile:
    """The arguments of one tile by name, and the arenas that they point into."""

    arenas: Arenas
    arguments: Mapping[str, int]

    def __getattr__(self, name: str) -> int:
        return self.arguments[name]

    def matrix(self, offset: int, leading: int, rows: int, columns: int) -> Array:
        """A writable view of a matrix in the floats; it must lie inside them."""
        floats = self.arenas.floats
        assert offset >= 0
        assert offset + (rows - 1) * leading + columns <= len(floats)
        return as_strided(floats[offset:], (rows, columns), (leading * floats.itemsize, floats.itemsize))

    def rows_of(self, name: str, columns: int, first_column: int = 0) -> Array:
        """The rows of the tile in the operand *name*."""
        leading = self.arguments[f"ld{name}"]
        return self.matrix(self.arguments[name] + self.row_first * leading + first_column, leading, self.rows, columns)

    def weight(self, offset: int, *shape: int) -> NDArray[np.float64]:
        size = int(np.prod(shape))
        assert offset >= 0
        assert offset + size <= len(self.arenas.weights)
        return from_bfloat16(self.arenas.weights[offset : offset + size]).reshape(shape)

    @property
    def row_numbers(self) -> range:
        return range(self.row_first, self.row_first + self.rows)


def _embedding(tile: _Tile) -> None:
    y = tile.rows_of("y", tile.cols, tile.col_first)
    for line, row in zip(y, tile.row_numbers, strict=True):
        token = int(tile.arenas.ids[tile.ids_first + row * tile.ids_stride])
        line[:] = tile.weight(tile.table + token * tile.dim + tile.col_first, tile.cols)


def _norm(tile: _Tile) -> None:
    x = tile.rows_of("x", tile.dim).astype(np.float64)
    scale = 1 / np.sqrt((x**2).mean(axis=1, keepdims=True) + 1e-5)
    tile.rows_of("y", tile.dim)[:] = x * scale * tile.weight(tile.weight_, tile.dim)


def _product(tile: _Tile) -> None:
    x = tile.matrix(tile.x + tile.m_first * tile.ldx, tile.ldx, tile.m, tile.k).astype(np.float64)
    weight = tile.weight(tile.weight_ + tile.n_first * tile.k, tile.n, tile.k)
    at = tile.m_first * tile.ldy + tile.n_first
    out = x @ weight.T
    if tile.residual >= 0:
        out += tile.matrix(tile.residual + at, tile.ldy, tile.m, tile.n)
    tile.matrix(tile.y + at, tile.ldy, tile.m, tile.n)[:] = out


def _rotary(tile: _Tile) -> None:
    half = tile.head_dim // 2
    for head in range(tile.head_first, tile.head_first + tile.heads):
        x = tile.rows_of("x", tile.head_dim, head * tile.head_dim).astype(np.float64)
        positions = tile.position_first + np.arange(tile.row_first, tile.row_first + tile.rows) % tile.tokens
        angle = positions[:, None] * 10000.0 ** (-np.arange(half) / half)
        turned = x[:, :half] + 1j * x[:, half:]
        turned = turned * np.exp(1j * angle)
        tile.rows_of("y", tile.head_dim, head * tile.head_dim)[:] = np.hstack([turned.real, turned.imag])


def _cache_row(tile: _Tile, cache: str, at: tuple[int, int, int], rows: int = 1) -> Array:
    sequence, head, position = at
    offset = ((sequence * tile.kv_heads + head) * tile.capacity + position) * tile.head_dim
    assert position + rows <= tile.capacity
    return tile.matrix(tile.arguments[cache] + offset, tile.head_dim, rows, tile.head_dim)


def _append(tile: _Tile) -> None:
    for row in tile.row_numbers:
        sequence, token = divmod(row, tile.tokens)
        for head in range(tile.head_first, tile.head_first + tile.heads):
            for source, cache in (("k", "k_cache"), ("v", "v_cache")):
                at = tile.arguments[source] + row * tile.arguments[f"ld{source}"] + head * tile.head_dim
                _cache_row(tile, cache, (sequence, head, tile.position_first + token))[:] = tile.matrix(at, tile.head_dim, 1, tile.head_dim)


def _attention(tile: _Tile, seen: Callable[[int], tuple[int, int]]) -> None:
    for row in tile.row_numbers:
        sequence, keys = seen(row)
        for kv_head in range(tile.head_first, tile.head_first + tile.heads):
            cached = [_cache_row(tile, cache, (sequence, kv_head, 0), keys).astype(np.float64) for cache in ("k_cache", "v_cache")]
            for head in range(kv_head * tile.group, (kv_head + 1) * tile.group):
                at = head * tile.head_dim
                query = tile.matrix(tile.q + row * tile.ldq + at, tile.ldq, 1, tile.head_dim)[0].astype(np.float64)
                scores = cached[0] @ query / tile.head_dim**0.5
                weights = np.exp(scores - scores.max())
                tile.matrix(tile.y + row * tile.ldy + at, tile.ldy, 1, tile.head_dim)[0] = weights / weights.sum() @ cached[1]


def _prefill(tile: _Tile) -> None:
    _attention(tile, lambda row: (row // tile.tokens, row % tile.tokens + 1))


def _decode(tile: _Tile) -> None:
    _attention(tile, lambda row: (row, tile.kv_tokens))


def _elementwise(tile: _Tile) -> None:
    a = tile.rows_of("a", tile.cols, tile.col_first).astype(np.float64)
    b = tile.rows_of("b", tile.cols, tile.col_first).astype(np.float64)
    functions = (lambda: a + b, lambda: a / (1 + np.exp(-a)) * b, lambda: np.tanh(a), lambda: a + np.sin(a) ** 2)
    tile.rows_of("y", tile.cols, tile.col_first)[:] = functions[tile.function]()


def _step(tile: _Tile) -> None:
    for row in tile.row_numbers:
        b, c = (tile.matrix(tile.arguments[name] + row * tile.arguments[f"ld{name}"], 0, 1, tile.states)[0] for name in ("b", "c"))
        for head in range(tile.head_first, tile.head_first + tile.head_count):
            x = tile.matrix(tile.x + row * tile.ldx + head * tile.head_dim, 0, 1, tile.head_dim)[0].astype(np.float64)
            raw = float(tile.arenas.floats[tile.dt + row * tile.lddt + head]) + tile.weight(tile.dt_bias + head, 1)[0]
            dt = np.logaddexp(0, raw)
            at = tile.state + (row * tile.heads + head) * tile.head_dim * tile.states
            state = tile.matrix(at, tile.states, tile.head_dim, tile.states)
            state[:] = state * np.exp(-dt * np.exp(tile.weight(tile.a_log + head, 1)[0])) + np.outer(dt * x, b)
            y = tile.matrix(tile.y + row * tile.ldy + head * tile.head_dim, 0, 1, tile.head_dim)[0]
            y[:] = state.astype(np.float64) @ c + tile.weight(tile.d + head, 1)[0] * x


def _conv_transpose1d(tile: _Tile) -> None:
    period = tile.stride * tile.t_in
    weight = tile.weight(tile.weight_, tile.kernel, tile.c_out, tile.c_in)[:, tile.col_first : tile.col_first + tile.cols]
    for row in tile.row_numbers:
        sequence, time = divmod(row, period)
        total = tile.weight(tile.bias + tile.col_first, tile.cols).copy()
        for s in range(tile.t_in):
            if 0 <= time - tile.stride * s < tile.kernel:
                x = tile.matrix(tile.x + (sequence * tile.t_in + s) * tile.ldx, tile.ldx, 1, tile.c_in)[0]
                total += weight[time - tile.stride * s] @ x.astype(np.float64)
        tile.matrix(tile.y + row * tile.ldy + tile.col_first, tile.ldy, 1, tile.cols)[0] = total


def _sampling(tile: _Tile) -> None:
    for line, row in zip(tile.rows_of("x", tile.dim), tile.row_numbers, strict=True):
        tile.arenas.ids[tile.ids_first + row * tile.ids_stride] = np.argmax(line)


_OPERATIONS: Mapping[str, Callable[[_Tile], None]] = {
    "embedding": _embedding,
    "norm": _norm,
    "matmul": _product,
    "matvec": _product,
    "rotary": _rotary,
    "kv_append": _append,
    "attention_prefill": _prefill,
    "attention_decode": _decode,
    "elementwise": _elementwise,
    "step": _step,
    "conv_transpose1d": _conv_transpose1d,
    "sampling": _sampling,
}


def run_tile(arenas: Arenas, operation: Operation, arguments: Iterable[int]) -> None:
    """Compute one tile in place."""
    named = dict(zip(operation.arguments, map(int, arguments), strict=False))
    # `weight` is also what reads a weight.
    _OPERATIONS[operation.name](_Tile(arenas, {**named, "weight_": named.get("weight", 0)}))


def run_launches(arenas: Arenas, launches: Iterable[KernelLaunch], seed: int = 0) -> None:
    """Run conventional launches one after the other, the tiles of each in an order drawn from *seed*."""
    order = random.Random(seed)
    for launch in launches:
        tiles = list(launch.table)
        order.shuffle(tiles)
        for arguments in tiles:
            run_tile(arenas, launch.operation, arguments)


@dataclass
class _Worker:
    pool: int
    held: int | None = None
    stream: int = 0


@dataclass
class _State:
    program: InstructionProgram
    counters: list[int]
    tickets: list[int] = field(default_factory=lambda: [0, 0, 0])


def run_program(arenas: Arenas, program: InstructionProgram, *, ctas: int = 1, x_ctas: int = 0, seed: int = 0) -> list[int]:
    """Run *program* with *ctas* workers, of which the first *x_ctas* are pool X, and return the counters."""
    order = random.Random(seed)
    state = _State(program, [0] * program.counters)
    workers = [_Worker(1 if worker < x_ctas else 2) for worker in range(ctas)]
    while workers:
        going = [worker for worker in workers if _may_go(state, worker)]
        if not going:
            held = [f"{worker.held} ({program.origin(worker.held)})" for worker in workers if worker.held is not None]
            raise Stuck(f"all wait: instructions {', '.join(held)}")
        worker = order.choice(going)
        if worker.held is None:
            if not _take(state, worker):
                workers.remove(worker)
            continue
        one = program.instruction(worker.held)
        run_tile(arenas, one.operation, one.arguments)
        for counter in one.signals:
            state.counters[counter] += 1
        worker.held = None
    return state.counters


def _may_go(state: _State, worker: _Worker) -> bool:
    if worker.held is None:
        return True
    waits = state.program.instruction(worker.held).waits
    return all(state.counters[counter] >= target for counter, target in waits)


def _take(state: _State, worker: _Worker) -> bool:
    """Take the next ticket of the worker's stream, or of its pool's behind it; false if there is none."""
    streams = (state.program.common, state.program.x, state.program.y)
    for stream in (0, worker.pool):
        if worker.stream <= stream:
            ticket = state.tickets[stream]
            state.tickets[stream] += 1
            if ticket < len(streams[stream]):
                worker.held, worker.stream = streams[stream][ticket], stream
                return True
    return False
