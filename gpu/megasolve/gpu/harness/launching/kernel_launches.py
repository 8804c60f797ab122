"""Conventional launches on the device: the kernels of a call in order, or those of one contract alone."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...driver import DriverLaunch
from ...workloads.streamlet.conventional import KernelLaunch
from ..model_session import ArenaMemory, ModelSession
from .kernels import Kernels


@dataclass(frozen=True, slots=True)
class LaunchShape:
    """The shape of a launch, for one of the empty kernel beside it."""

    ctas: int
    threads: int
    shared_bytes: int


@dataclass(frozen=True, slots=True)
class CallLaunches:
    """The launches of one call with each set of arenas, in order, and their shapes."""

    by_arenas: tuple[tuple[DriverLaunch, ...], ...]
    shapes: tuple[LaunchShape, ...]

    def calls(self, count: int) -> list[DriverLaunch]:
        """Return the launches of *count* calls one after the other, which take the sets of arenas in turn."""
        return [launch for number in range(count) for launch in self.by_arenas[number % len(self.by_arenas)]]


def call_launches(session: ModelSession, kernels: Mapping[str, Kernels], wanted: Sequence[KernelLaunch]) -> CallLaunches:
    """Return *wanted* with the *kernels* of their contracts, by entry."""
    tables = session.holding(np.concatenate([launch.table.reshape(-1) for launch in wanted]))
    starts = np.cumsum([0, *(launch.table.nbytes for launch in wanted)]).tolist()
    shapes = tuple(_shape(kernels[launch.entry], launch) for launch in wanted)
    placed = list(zip(wanted, shapes, (tables.address + start for start in starts), strict=False))
    by_arenas = tuple(
        tuple(_launch(kernels[launch.entry], launch, shape, table, arenas) for launch, shape, table in placed) for arenas in session.arenas
    )
    return CallLaunches(by_arenas, shapes)


def _shape(kernels: Kernels, launch: KernelLaunch) -> LaunchShape:
    return LaunchShape(launch.grid_ctas, kernels.threads, kernels.contract.launch.shared_bytes)


def _launch(kernels: Kernels, launch: KernelLaunch, shape: LaunchShape, table: int, arenas: ArenaMemory) -> DriverLaunch:
    function = kernels.functions[f"k_{launch.operation.name}"]
    return DriverLaunch(
        function,
        [arenas.floats, arenas.weights, arenas.ids, ctypes.c_void_p(table)],
        grid_ctas=shape.ctas,
        block_threads=shape.threads,
        shared_bytes=shape.shared_bytes - function.shared_bytes,
    )
