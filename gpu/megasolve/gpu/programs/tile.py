"""One tile of an operation: its arguments by name, and the elements of the arenas that it reads and writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from .arenas import ArenaName


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
class TileArguments:
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
        # Caches lie as sequence, kv head, position and element of the head.
        start = self[name] + (sequence * self["kv_heads"] + self["head_first"]) * per_head + first * self["head_dim"]
        return ArenaRegion("floats", start, per_head, self["heads"], (end - first) * self["head_dim"])

    def ids(self, *, writes: bool = False) -> Access:
        """Return the tokens of the tile's rows."""
        stride = self["ids_stride"]
        return Access("ids_first", ArenaRegion("ids", self["ids_first"] + self["row_first"] * stride, stride, self["rows"], 1), writes)


def weights(argument: str, offset: int, length: int, stride: int = 0, runs: int = 1) -> Access:
    """Return weights that a tile reads."""
    return Access(argument, ArenaRegion("weights", offset, stride, runs, length))
