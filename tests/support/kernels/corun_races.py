"""The kernel of a co-run under the race detector: a child process calls this with what its parent asks."""

from __future__ import annotations

import ctypes
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from megasolve.gpu.compile.kernels_source import kernel_sources
from megasolve.gpu.programs.operations import entry_shared_bytes
from megasolve.gpu.standin.host_build import build_kernels
from tests.support.kernels.programs import COMMON, ONLY_OF_LAYER, layer
from tests.support.standin.cpu_device import Argument, CpuDevice

THREADS, ROUNDS, CTAS = 128, 2, (2, 1)
Words: TypeAlias = npt.NDArray[Any]
_OPERATIONS = ("norm", "matmul", "elementwise")
_TIMEOUT_NS = 10**10
_HELD: list[list[Words]] = []


def meeting_library(*bugs: str) -> Path:
    """Return the kernel for the CPU, watched by the race detector, with *bugs* planted."""
    text = (files("megasolve.gpu.experiments.co_runs") / "meeting.cu").read_text(encoding="utf-8")
    met = ('MS_MET_SOURCE="interpreter.cu"', "MS_MET=ms_entry", "MS_MET_NAME=ms_entry_met")
    defines = (f"MS_THREADS={THREADS}", "MS_ENTRY=entry", ONLY_OF_LAYER, *met, *bugs)
    return build_kernels("meeting.cu", {**kernel_sources(), "meeting.cu": text}, defines=defines, sanitizer=True)


def run_rounds(request: dict[str, Any]) -> None:
    """Let two sides with programs of their own meet, run some rounds each, and leave what the programs say."""
    device = CpuDevice(Path(request["library"]))
    between = np.zeros(2, np.uint32)
    sides = [_launched(device, number, ctas, between) for number, ctas in enumerate(CTAS)]
    outcome = device.run(slots=sum(CTAS), seed=1)
    assert outcome.is_done, outcome.explanation
    for seen, ended in sides:
        assert (seen[:, 1] > 0).all()
        assert (ended > 0).all()
    assert between.tolist() == [sum(CTAS), len(CTAS)]


def _launched(
    device: CpuDevice, number: int, ctas: int, between: np.ndarray[Any, Any]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    program = layer()
    instructions = np.array(program.streams[COMMON], np.int32)
    streams = np.array([0, len(instructions), 0, 0, 0, 0, ctas], np.int32)
    lists = [instructions, np.array(program.waits, np.int32).reshape(-1), np.array(program.signals, np.int32), streams]
    counters, tickets = np.zeros((ROUNDS, 1 + max(program.signals)), np.uint32), np.zeros((ROUNDS, 3), np.uint32)
    arenas, stop, said = program.operands.arenas(), np.zeros(1, np.uint32), np.zeros((2, 8), np.uint32)
    seen, ended, turns = np.zeros((ctas, 3), np.uint64), np.zeros(ROUNDS, np.uint64), np.zeros(2, np.uint32)
    # The arguments of the entry itself, a row for each round, which has counters and tickets of its own; there is no trace.
    rows = [[*lists, counters[one], tickets[one], *arenas, stop, said[0]] for one in range(ROUNDS)]
    packed = np.array([[*(array.ctypes.data for array in row), 0, _TIMEOUT_NS] for row in rows], np.uint64)
    # The device holds what it is handed itself, and not what only the words in memory lead to.
    _HELD.append([*lists, counters, tickets, *arenas])
    arguments: list[Argument] = [packed, packed.shape[1], stop, said[1], ctypes.c_uint64(_TIMEOUT_NS), between[:1], sum(CTAS)]
    arguments += [turns, None, between[1:], ROUNDS, seen, ended]
    shared_bytes = entry_shared_bytes(_OPERATIONS, THREADS)
    device.launch("ms_entry_met", arguments, grid=ctas, block=THREADS, shared_bytes=shared_bytes, stream=number, cooperative=True)
    return seen, ended
