"""Instructions: the form in which the persistent kernels read a program, 32 words each.

A word each for the operation, the first and the count of its waits, the first and the count of its signals, and the number of its
origin; two that are zero; then up to 24 arguments. Waits are pairs of a counter and what it must have reached.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .group_calls import Call
from .operation import MOST_ARGUMENTS, Operation
from .operations import OPERATIONS

WORDS = 32
FIRST_ARGUMENT = 8
_BY_CODE = {operation.code: operation for operation in OPERATIONS.values()}


@dataclass(frozen=True, slots=True)
class Origin:
    """What an instruction is a tile of: an operator in one layer (counted from 0) of one call."""

    call: Call
    operator: str
    layer: int

    def __str__(self) -> str:
        return f"{self.operator} of {self.call} in layer {self.layer}"


@dataclass(frozen=True, slots=True)
class Instruction:
    """One tile: its operation and arguments, the counters that it waits for with their targets, and those that it arrives at."""

    operation: Operation
    arguments: tuple[int, ...]
    waits: tuple[tuple[int, int], ...]
    signals: tuple[int, ...]
    origin: int

    def argument(self, name: str) -> int:
        """Return an argument by its name."""
        return self.arguments[self.operation.arguments.index(name)]


@dataclass(frozen=True, slots=True, eq=False)
class InstructionProgram:
    """Instructions as arrays for the device, *counters* of them in all, and the three streams that they lie in.

    *origins* are by number. The instructions of a stream are taken in order: the common ones by all CTAs, then those of X by the CTAs
    of pool X and those of Y by all others.
    """

    words: NDArray[np.int32]
    waits: NDArray[np.int32]
    signals: NDArray[np.int32]
    counters: int
    origins: tuple[Origin, ...]
    common: range
    x: range
    y: range

    def __len__(self) -> int:
        return len(self.words)

    def streams(self, x_ctas: int = 0) -> NDArray[np.int32]:
        """Return what a launch of all streams is told about them; the first *x_ctas* CTAs are pool X."""
        return _streams(self.common, self.x, self.y, x_ctas)

    def streams_of_pool(self, pool: range, ctas: int) -> NDArray[np.int32]:
        """Return what a launch of its own, with *ctas* CTAs, is told to run only the stream *pool*; the counters are those of all."""
        # All of its CTAs are pool X, so that none of them looks into the empty Y.
        return _streams(range(0), pool, range(0), ctas)

    def origin(self, index: int) -> Origin:
        """Return what the instruction at *index* is a tile of."""
        return self.origins[int(self.words[index, 5])]

    def instruction(self, index: int) -> Instruction:
        """Return the instruction at *index* as a value; a code that no operation has gives an operation without arguments."""
        code, first_wait, wait_count, first_signal, signal_count, origin = map(int, self.words[index, :6])
        operation = _BY_CODE.get(code) or Operation(code, f"code {code}", (), "unknown")
        arguments = self.words[index, FIRST_ARGUMENT : FIRST_ARGUMENT + len(operation.arguments)]
        waits = self.waits[first_wait : first_wait + wait_count]
        signals = self.signals[first_signal : first_signal + signal_count]
        pairs = tuple((int(counter), int(target)) for counter, target in waits)
        return Instruction(operation, tuple(map(int, arguments)), pairs, tuple(map(int, signals)), origin)


def encoded(
    instructions: Sequence[Instruction], counters: int, origins: Sequence[Origin], streams: tuple[range, range, range]
) -> InstructionProgram:
    """Return *instructions* as a program; *streams* are the common one, X and Y."""
    words = np.zeros((len(instructions), WORDS), np.int32)
    waits: list[tuple[int, int]] = []
    signals: list[int] = []
    for row, one in zip(words, instructions, strict=True):
        row[:6] = one.operation.code, len(waits), len(one.waits), len(signals), len(one.signals), one.origin
        row[FIRST_ARGUMENT : FIRST_ARGUMENT + len(one.arguments)] = one.arguments
        waits.extend(one.waits)
        signals.extend(one.signals)
    # Two columns also where nothing waits: the verifier reads the first of them.
    pairs = np.array(waits, np.int32).reshape(-1, 2)
    return InstructionProgram(words, pairs, np.array(signals, np.int32), counters, tuple(origins), *streams)


def argument_table(rows: Sequence[tuple[int, ...]]) -> NDArray[np.int32]:
    """Return the arguments of tiles as a conventional kernel reads them, 24 words each."""
    table = np.zeros((len(rows), MOST_ARGUMENTS), np.int32)
    for line, arguments in zip(table, rows, strict=True):
        line[: len(arguments)] = arguments
    return table


def _streams(common: range, x: range, y: range, x_ctas: int) -> NDArray[np.int32]:
    # Seven words, in the order in which the interpreter reads them.
    return np.array([*(number for part in (common, x, y) for number in (part.start, len(part))), x_ctas], np.int32)
