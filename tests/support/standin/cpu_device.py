"""Kernels on the CPU: the same source as on a GPU, run by fibers on one thread, in an order drawn from a seed.

Nothing here says how fast a GPU would be. The clock is virtual: it depends on the kernels, the launch and the seed alone.
"""

from __future__ import annotations

import ctypes
import enum
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from megasolve.gpu.errors import GpuError

# An array is passed as the address of its first element, None as a null pointer, a Python integer as 32 bits.
Argument: TypeAlias = "npt.NDArray[Any] | int | ctypes.c_uint64 | ctypes.c_float | None"

_UNLIMITED_STEPS = 2**64 - 1


class _DeviceLimits(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("sms", "ctas_per_sm", "threads", "registers", "shared_bytes")]


class _GridRequest(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("thunk", ctypes.c_void_p),
        ("arguments", ctypes.POINTER(ctypes.c_void_p)),
        ("grid", ctypes.c_uint32 * 3),
        ("block", ctypes.c_uint32 * 3),
        ("shared_bytes", ctypes.c_uint32),
        ("shared_bytes_per_cta", ctypes.c_uint32),
        ("registers_per_cta", ctypes.c_uint32),
        ("stream", ctypes.c_uint32),
        ("cooperative", ctypes.c_uint32),
        ("reversed", ctypes.c_uint32),
        ("delay_ns", ctypes.c_uint32),
    )


class CpuResult(enum.IntEnum):
    """How a run on the CPU ended."""

    DONE = 0
    DEADLOCK = -1
    TOO_LARGE = -2
    STEPS_SPENT = -3
    FAULT = -4


@dataclass(frozen=True, slots=True)
class LaunchTimes:
    """When the first block of a launch started and when its last one ended, on the virtual clock."""

    kernel: str
    began_ns: int
    ended_ns: int


@dataclass(frozen=True, slots=True)
class CpuOutcome:
    """What a run on the CPU came to. *explanation* is empty if it is done; for a deadlock it names who waits for what."""

    result: CpuResult
    explanation: str
    steps: int
    clock_ns: int
    launches: tuple[LaunchTimes, ...]

    @property
    def is_done(self) -> bool:
        """Whether every launch ended."""
        return self.result is CpuResult.DONE


@dataclass(frozen=True, slots=True)
class _Queued:
    kernel: str
    request: _GridRequest
    held: tuple[object, ...]


class CpuDevice:
    """A device of CTA slots that runs the kernels of *libraries* (see `build_kernels`). A process runs one at a time.

    Launches are queued and nothing happens before `run`, as on a GPU that is busy.
    """

    def __init__(self, *libraries: Path) -> None:
        self._libraries = tuple(_loaded(path) for path in libraries)
        self._runtime = self._libraries[0]
        self._queued: list[_Queued] = []

    def launch(
        self,
        kernel: str,
        arguments: Sequence[Argument],
        *,
        grid: int,
        block: int,
        shared_bytes: int = 0,
        cooperative: bool = False,
        stream: int = 0,
        reverse: bool = False,
    ) -> None:
        """Queue *grid* blocks of *block* threads of *kernel* on *stream*; with *reverse* the last block starts first.

        Arrays must be contiguous. The kernel works on their memory itself, so results are in them after `run`.
        """
        values = [_value(argument) for argument in arguments]
        addresses = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        request = _GridRequest(
            name=kernel.encode(),
            thunk=self._thunk(kernel),
            arguments=ctypes.cast(addresses, ctypes.POINTER(ctypes.c_void_p)),
            grid=(grid, 1, 1),
            block=(block, 1, 1),
            shared_bytes=shared_bytes,
            stream=stream,
            cooperative=cooperative,
            reversed=reverse,
        )
        self._queued.append(_Queued(kernel, request, (values, addresses, tuple(arguments))))

    def run(self, slots: int, *, seed: int = 0, most_steps: int | None = None, clock_jumps: int = 0) -> CpuOutcome:
        """Run everything that is queued, on an empty device with room for *slots* blocks, and empty the queue.

        Parameters
        ----------
        seed
            Draws the order of everything that has no order. Equal seeds give equal runs.
        most_steps
            How often threads may be resumed before the run is given up.
        clock_jumps
            How often the clock may jump ahead by a second where all threads poll in vain, for the time limits of kernels. With none, such
            a state is a deadlock.
        """
        queued, self._queued = self._queued, []
        self._runtime.ms_reset(ctypes.byref(_DeviceLimits(sms=slots, ctas_per_sm=1)), seed)
        for launch in queued:
            if self._runtime.ms_launch(ctypes.byref(launch.request)) < 0:
                return self._outcome(CpuResult.TOO_LARGE, ())
        result = CpuResult(self._runtime.ms_run(-1, _UNLIMITED_STEPS if most_steps is None else most_steps, clock_jumps))
        return self._outcome(result, queued)

    def _outcome(self, result: CpuResult, queued: Sequence[_Queued]) -> CpuOutcome:
        runtime = self._runtime
        explanation = "" if result is CpuResult.DONE else runtime.ms_explanation().decode()
        times = tuple(LaunchTimes(launch.kernel, runtime.ms_began_ns(i), runtime.ms_ended_ns(i)) for i, launch in enumerate(queued))
        return CpuOutcome(result, explanation, runtime.ms_steps(), runtime.ms_clock_ns(), times)

    def _thunk(self, kernel: str) -> int:
        for library in self._libraries:
            thunk = getattr(library, f"ms_thunk_{kernel}", None)
            if thunk is not None:
                return ctypes.cast(thunk, ctypes.c_void_p).value or 0
        raise GpuError(f"the library for the CPU has no kernel {kernel!r}")


def _value(argument: Argument) -> Any:
    if argument is None:
        return ctypes.c_void_p(0)
    if isinstance(argument, np.ndarray):
        if not argument.flags.c_contiguous:
            raise ValueError("an array that is passed to a kernel must be contiguous")
        return ctypes.c_void_p(argument.ctypes.data)
    return ctypes.c_int32(argument) if isinstance(argument, int) else argument


def _loaded(path: Path) -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(str(path), mode=os.RTLD_NOW | os.RTLD_LOCAL)
    except OSError as error:
        raise GpuError(f"the library for the CPU cannot be loaded (one that the sanitizer watches, only in run_watched): {error}") from None
    library.ms_reset.argtypes, library.ms_reset.restype = (ctypes.c_void_p, ctypes.c_uint64), None
    library.ms_launch.argtypes, library.ms_launch.restype = (ctypes.c_void_p,), ctypes.c_int64
    library.ms_run.argtypes, library.ms_run.restype = (ctypes.c_int64, ctypes.c_uint64, ctypes.c_uint32), ctypes.c_int
    for name in ("ms_began_ns", "ms_ended_ns"):
        function = getattr(library, name)
        function.argtypes, function.restype = (ctypes.c_int64,), ctypes.c_uint64
    for name in ("ms_steps", "ms_clock_ns"):
        function = getattr(library, name)
        function.argtypes, function.restype = (), ctypes.c_uint64
    library.ms_explanation.restype = ctypes.c_char_p
    return library
