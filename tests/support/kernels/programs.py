"""Small programs for the persistent interpreter, written by hand: instructions with waits and signals, in three streams."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from megasolve.gpu.programs.operations import OPERATIONS, entry_shared_bytes, operations_mask
from megasolve.gpu.programs.operators.elementwise import FUNCTIONS
from tests.support.kernels.host_build import persistent_kernel
from tests.support.kernels.operands import Operands, Tile, argument_words
from tests.support.standin.cpu_device import CpuDevice, CpuOutcome

COMMON, POOL_X, POOL_Y = range(3)
NORMED, MULTIPLIED, DONE = range(3)
ONLY_OF_LAYER = f"MS_OPERATIONS={operations_mask(['norm', 'matmul', 'elementwise'])}"
ROWS, DIM = 3, 32
_SECOND_NS = 10**9


@dataclass(frozen=True, slots=True)
class Launched:
    """What a launch of the interpreter left behind: its outcome, every arena and every word that it wrote."""

    outcome: CpuOutcome
    floats: npt.NDArray[np.float32]
    ids: npt.NDArray[np.int32]
    counters: npt.NDArray[np.uint32]
    stop: int
    diagnosis: tuple[int, ...]
    trace: npt.NDArray[np.uint64]


@dataclass
class HandMadeProgram:
    """Instructions by stream; `add` returns the number of the instruction within its stream."""

    operands: Operands
    streams: tuple[list[list[int]], list[list[int]], list[list[int]]] = field(default_factory=lambda: ([], [], []))
    waits: list[tuple[int, int]] = field(default_factory=list)
    signals: list[int] = field(default_factory=list)

    def add(
        self, operation: str, tile: Tile, *, waits: Sequence[tuple[int, int]] = (), signals: Sequence[int] = (), stream: int = COMMON
    ) -> None:
        """Append one tile that waits for (counter, target) pairs and signals counters."""
        head = [OPERATIONS[operation].code, len(self.waits), len(waits), len(self.signals), len(signals), 0, 0, 0]
        self.streams[stream].append(head + argument_words(operation, tile))
        self.waits += waits
        self.signals += signals

    def launch(
        self,
        ctas: int,
        *,
        threads: int = 256,
        x_ctas: int = 0,
        slots: int | None = None,
        seed: int = 0,
        stop: int = 0,
        timeout_ns: int = 2 * _SECOND_NS,
        clock_jumps: int = 0,
        is_traced: bool = True,
        device: CpuDevice | None = None,
        **how: Any,
    ) -> Launched:
        """Run the program on *ctas* blocks, the first *x_ctas* of which form pool X."""
        floats, weights, ids = self.operands.arenas()
        instructions = np.array([words for stream in self.streams for words in stream], np.int32)
        counters = np.zeros(max([0, *self.signals, *(counter for counter, _ in self.waits)]) + 1, np.uint32)
        words = {name: np.zeros(size, np.uint32) for name, size in (("tickets", 3), ("stop", 1), ("diagnosis", 8))}
        words["stop"][0] = stop
        trace = np.zeros((len(instructions), 4), np.uint64)
        program = [instructions, _int32(self.waits), _int32(self.signals), _int32(self._bounds(x_ctas)), counters, words["tickets"]]
        guards = [words["stop"], words["diagnosis"], trace if is_traced else None, ctypes.c_uint64(timeout_ns)]
        shared_bytes = entry_shared_bytes(OPERATIONS, threads)
        kernel = device or persistent_kernel(threads, ONLY_OF_LAYER)
        kernel.launch("ms_entry", [*program, floats, weights, ids, *guards], grid=ctas, block=threads, shared_bytes=shared_bytes, **how)
        outcome = kernel.run(slots=slots or ctas, seed=seed, clock_jumps=clock_jumps)
        return Launched(outcome, floats, ids, counters, int(words["stop"][0]), tuple(words["diagnosis"].tolist()), trace)

    def _bounds(self, x_ctas: int) -> list[int]:
        lengths = [len(stream) for stream in self.streams]
        return [value for i, length in enumerate(lengths) for value in (sum(lengths[:i]), length)] + [x_ctas]


def layer(*, first: int = COMMON, second: int = COMMON) -> HandMadeProgram:
    """Return norm, product and sum of a few rows; the product and the sum are in the stream *second*, the norm in *first*."""
    operands = Operands()
    x, x_values = operands.random_floats(ROWS, DIM)
    gain, gain_values = operands.random_weights(DIM)
    weight, weight_values = operands.random_weights(DIM, DIM, scale=DIM**-0.5)
    h, y, z = (operands.room(ROWS * DIM) for _ in range(3))
    h_values = x_values / np.sqrt((x_values**2).mean(axis=1, keepdims=True) + 1e-5) * gain_values
    for place, values in ((h, h_values), (y, h_values @ weight_values.T), (z, h_values @ weight_values.T + x_values)):
        operands.expect(place, values)
    program = HandMadeProgram(operands)
    for row in range(ROWS):
        norm = {"x": x, "ldx": DIM, "weight": gain, "dim": DIM, "y": h, "ldy": DIM, "row_first": row, "rows": 1}
        program.add("norm", norm, signals=[NORMED], stream=first)
    product = {"x": h, "ldx": DIM, "weight": weight, "k": DIM, "y": y, "ldy": DIM, "residual": -1, "m_first": 0, "m": ROWS}
    for column in range(0, DIM, 8):
        tile = {**product, "n_first": column, "n": 8}
        program.add("matmul", tile, waits=[(NORMED, ROWS)], signals=[MULTIPLIED], stream=second)
    total = {"a": y, "lda": DIM, "b": x, "ldb": DIM, "y": z, "ldy": DIM, "function": FUNCTIONS["add"], "col_first": 0, "cols": DIM}
    for row in range(ROWS):
        program.add("elementwise", {**total, "row_first": row, "rows": 1}, waits=[(MULTIPLIED, 4)], signals=[DONE], stream=second)
    return program


def _int32(values: Sequence[Any]) -> npt.NDArray[np.int32]:
    return np.array(values, np.int32).ravel() if values else np.zeros(1, np.int32)
