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


def meeting_library(*bugs: str) -> Path:
    """Return the kernel for the CPU, watched by the race detector, with *bugs* planted."""
    text = (files("megasolve.gpu.experiments.co_runs") / "meeting.cu").read_text(encoding="utf-8")
    defines = (f"MS_THREADS={THREADS}", "MS_ENTRY=entry", ONLY_OF_LAYER, *bugs)
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
    counters = 1 + max(program.signals)
    words, turns = np.zeros(ROUNDS * counters, np.uint32), np.zeros(2, np.uint32)
    seen, ended = np.zeros((ctas, 3), np.uint64), np.zeros(ROUNDS, np.uint64)
    lists = [np.array(program.waits, np.int32).reshape(-1), np.array(program.signals, np.int32), np.array([0, len(instructions)], np.int32)]
    guards: list[Argument] = [np.zeros(1, np.uint32), np.zeros(8, np.uint32), ctypes.c_uint64(_TIMEOUT_NS)]
    arguments: list[Argument] = [instructions, *lists, words, np.zeros(ROUNDS, np.uint32), *program.operands.arenas(), *guards]
    arguments += [counters, between[:1], sum(CTAS), turns, None, between[1:], ROUNDS, ctas, seen, ended]
    shared_bytes = entry_shared_bytes(_OPERATIONS, THREADS)
    device.launch("ms_entry_met", arguments, grid=ctas, block=THREADS, shared_bytes=shared_bytes, stream=number, cooperative=True)
    return seen, ended
