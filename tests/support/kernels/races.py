"""The kernels under the race detector: a child process calls these with what its parent asks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.kernels.cases import every_operation
from tests.support.kernels.programs import COMMON, ROWS, layer
from tests.support.standin.cpu_device import CpuDevice

THREADS = 128


def run_every_operation(request: dict[str, Any]) -> None:
    """Run a case of every operator in two tiles, and compare the results; each thread of a tile takes the detector a millisecond."""
    device = CpuDevice(Path(request["library"]))
    for case in every_operation():
        case.check((case.rows + 1) // 2, threads=THREADS, device=device)


def run_layer(request: dict[str, Any]) -> None:
    """Run a small program on the interpreter; where `drops_waits` is set, its products wait for nothing."""
    program = layer()
    for words in program.streams[COMMON][ROWS : ROWS + 4] if request["drops_waits"] else []:
        words[2] = 0
    launched = program.launch(3, threads=THREADS, device=CpuDevice(Path(request["library"])), is_traced=False)
    assert launched.outcome.is_done, launched.outcome.explanation
