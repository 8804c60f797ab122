"""Conventional launches of streamlet on the device, for whole candidates and co-runs."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence

import numpy as np

from ...driver import DriverLaunch
from ...workloads.streamlet.conventional import KernelLaunch
from ..model_session import ModelSession
from .kernels import Kernels


def call_launches(session: ModelSession, kernels: Mapping[str, Kernels], wanted: Sequence[KernelLaunch]) -> tuple[DriverLaunch, ...]:
    """Return *wanted*, in order and on the first arenas, with the *kernels* of their contracts by entry."""
    tables = session.holding(np.concatenate([launch.table.reshape(-1) for launch in wanted]))
    starts = np.cumsum([0, *(launch.table.nbytes for launch in wanted)]).tolist()
    # Not strict: the last of the starts is the end of all tables.
    return tuple(
        _launch(session, kernels[launch.entry], launch, tables.address + start) for launch, start in zip(wanted, starts, strict=False)
    )


def _launch(session: ModelSession, kernels: Kernels, launch: KernelLaunch, table: int) -> DriverLaunch:
    function, arenas = kernels.functions[f"k_{launch.operation.name}"], session.arenas[0]
    return DriverLaunch(
        function,
        [arenas.floats, arenas.weights, arenas.ids, ctypes.c_void_p(table)],
        grid_ctas=launch.grid_ctas,
        block_threads=kernels.threads,
        shared_bytes=kernels.contract.launch.shared_bytes - function.shared_bytes,
    )
