"""Accesses: which elements of the arenas a tile reads and writes, from its arguments alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from .arenas import ArenaName
from .operations import FUNCTIONS, Operation


class ArenaRegion(NamedTuple):
    """*runs* times *length* elements of an arena, the first at *offset*, each run *stride* behind the one before."""

    arena: ArenaName
    offset: int
    stride: int
    runs: int
    length: int

    @property
    def end(self) -> int:
        """One behind the last element."""
        return self.offset + (self.runs - 1) * self.stride + self.length


@dataclass(frozen=True, slots=True)
class Access:
    """What a tile reads, or *writes*, through the operand *argument*."""

    argument: str
    region: ArenaRegion
    writes: bool = False


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of one tile by name."""

    values: Mapping[str, int]

    def __getitem__(self, name: str) -> int:
        return self.values[name]

    def rows(self, name: str, columns: int, first_column: int = 0) -> ArenaRegion:
        """Return the rows of the tile in the operand *name*, *columns* from *first_column* on."""
        leading = self.values[f"ld{name}"]
        start = self.values[name] + self.values["row_first"] * leading + first_column
        return ArenaRegion("floats", start, leading, self.values["rows"], columns)

    def by_sequence(self, tokens: int) -> Iterator[tuple[int, int, int]]:
        """Yield each sequence that the rows of the tile are of, with its first token and one behind its last."""
        first, end = self.values["row_first"], self.values["row_first"] + self.values["rows"]
        for sequence in range(first // tokens, -(-end // tokens)):
            yield sequence, max(first - sequence * tokens, 0), min(end - sequence * tokens, tokens)

    def cache(self, name: str, sequence: int, first: int, end: int) -> ArenaRegion:
        """Return positions *first* to *end* of one sequence in a cache, for the heads of the tile."""
        per_head = self["capacity"] * self["head_dim"]
        start = self[name] + (sequence * self["kv_heads"] + self["head_first"]) * per_head + first * self["head_dim"]
        return ArenaRegion("floats", start, per_head, self["heads"], (end - first) * self["head_dim"])


def accesses(operation: Operation, arguments: tuple[int, ...]) -> tuple[Access, ...]:
    """Return every access of a tile. An embedding counts as reading the first row of its table: its tokens are not known."""
    return tuple(_ACCESSES[operation.name](named(operation, arguments)))


def named(operation: Operation, arguments: tuple[int, ...]) -> Arguments:
    """Return *arguments* by their names in *operation*."""
    return Arguments(dict(zip(operation.arguments, arguments, strict=True)))


def _weights(argument: str, offset: int, length: int, stride: int = 0, runs: int = 1) -> Access:
    return Access(argument, ArenaRegion("weights", offset, stride, runs, length))


def _ids(tile: Arguments, *, writes: bool = False) -> Access:
    stride = tile["ids_stride"]
    return Access("ids_first", ArenaRegion("ids", tile["ids_first"] + tile["row_first"] * stride, stride, tile["rows"], 1), writes)


def _embedding(tile: Arguments) -> Iterator[Access]:
    yield _ids(tile)
    yield _weights("table", tile["table"] + tile["col_first"], tile["cols"])
    yield Access("y", tile.rows("y", tile["cols"], tile["col_first"]), writes=True)


def _norm(tile: Arguments) -> Iterator[Access]:
    yield Access("x", tile.rows("x", tile["dim"]))
    yield _weights("weight", tile["weight"], tile["dim"])
    yield Access("y", tile.rows("y", tile["dim"]), writes=True)


def _product(tile: Arguments) -> Iterator[Access]:
    m_first, m, n_first, n, k = (tile[name] for name in ("m_first", "m", "n_first", "n", "k"))
    output = m_first * tile["ldy"] + n_first
    yield Access("x", ArenaRegion("floats", tile["x"] + m_first * tile["ldx"], tile["ldx"], m, k))
    yield _weights("weight", tile["weight"] + n_first * k, n * k)
    if tile["residual"] >= 0:
        yield Access("residual", ArenaRegion("floats", tile["residual"] + output, tile["ldy"], m, n))
    yield Access("y", ArenaRegion("floats", tile["y"] + output, tile["ldy"], m, n), writes=True)


def _rotary(tile: Arguments) -> Iterator[Access]:
    first, columns = tile["head_first"] * tile["head_dim"], tile["heads"] * tile["head_dim"]
    yield Access("x", tile.rows("x", columns, first))
    yield Access("y", tile.rows("y", columns, first), writes=True)


def _append(tile: Arguments) -> Iterator[Access]:
    first, columns = tile["head_first"] * tile["head_dim"], tile["heads"] * tile["head_dim"]
    yield from (Access(name, tile.rows(name, columns, first)) for name in ("k", "v"))
    for sequence, start, end in tile.by_sequence(tile["tokens"]):
        places = tile["position_first"] + start, tile["position_first"] + end
        yield from (Access(cache, tile.cache(cache, sequence, *places), writes=True) for cache in ("k_cache", "v_cache"))


def _queries(tile: Arguments) -> Iterator[Access]:
    width = tile["group"] * tile["head_dim"]
    first, columns = tile["head_first"] * width, tile["heads"] * width
    yield Access("q", tile.rows("q", columns, first))
    yield Access("y", tile.rows("y", columns, first), writes=True)


def _attention_prefill(tile: Arguments) -> Iterator[Access]:
    yield from _queries(tile)
    for sequence, _, end in tile.by_sequence(tile["tokens"]):
        yield from (Access(cache, tile.cache(cache, sequence, 0, end)) for cache in ("k_cache", "v_cache"))


def _attention_decode(tile: Arguments) -> Iterator[Access]:
    yield from _queries(tile)
    for row, _, _ in tile.by_sequence(1):
        yield from (Access(cache, tile.cache(cache, row, 0, tile["kv_tokens"])) for cache in ("k_cache", "v_cache"))


def _elementwise(tile: Arguments) -> Iterator[Access]:
    inputs = ("a", "b") if tile["function"] in (FUNCTIONS["add"], FUNCTIONS["silu_mul"]) else ("a",)
    yield from (Access(name, tile.rows(name, tile["cols"], tile["col_first"])) for name in inputs)
    yield Access("y", tile.rows("y", tile["cols"], tile["col_first"]), writes=True)


def _step(tile: Arguments) -> Iterator[Access]:
    first, count, width, states = tile["head_first"], tile["head_count"], tile["head_dim"], tile["states"]
    yield Access("x", tile.rows("x", count * width, first * width))
    yield from (Access(name, tile.rows(name, states)) for name in ("b", "c"))
    yield Access("dt", tile.rows("dt", count, first))
    yield from (_weights(name, tile[name] + first, count) for name in ("a_log", "d", "dt_bias"))
    of_head = width * states
    start = tile["state"] + (tile["row_first"] * tile["heads"] + first) * of_head
    yield Access("state", ArenaRegion("floats", start, tile["heads"] * of_head, tile["rows"], count * of_head), writes=True)
    yield Access("y", tile.rows("y", count * width, first * width), writes=True)


def _conv_transpose1d(tile: Arguments) -> Iterator[Access]:
    stride, t_in, c_in = tile["stride"], tile["t_in"], tile["c_in"]
    for sequence, start, end in tile.by_sequence(stride * t_in):
        first, last = max(-(-(start - tile["kernel"] + 1) // stride), 0), (end - 1) // stride
        at = tile["x"] + (sequence * t_in + first) * tile["ldx"]
        # Where the kernel is shorter than the stride, no input may reach the rows of a tile.
        if first <= last:
            yield Access("x", ArenaRegion("floats", at, tile["ldx"], last + 1 - first, c_in))
    weight = tile["weight"] + tile["col_first"] * c_in
    yield _weights("weight", weight, tile["cols"] * c_in, tile["c_out"] * c_in, tile["kernel"])
    yield _weights("bias", tile["bias"] + tile["col_first"], tile["cols"])
    yield Access("y", tile.rows("y", tile["cols"], tile["col_first"]), writes=True)


def _sampling(tile: Arguments) -> Iterator[Access]:
    yield Access("x", tile.rows("x", tile["dim"]))
    yield _ids(tile, writes=True)


_ACCESSES: Mapping[str, Callable[[Arguments], Iterator[Access]]] = {
    "embedding": _embedding,
    "norm": _norm,
    "matmul": _product,
    "matvec": _product,
    "rotary": _rotary,
    "kv_append": _append,
    "attention_prefill": _attention_prefill,
    "attention_decode": _attention_decode,
    "elementwise": _elementwise,
    "step": _step,
    "conv_transpose1d": _conv_transpose1d,
    "sampling": _sampling,
}
