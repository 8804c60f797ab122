"""The stand-in driver with the probes, for tests: what a child process does on a device that does not exist."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from megasolve.gpu.children.child import ChildResult, Finished, run_in_child
from megasolve.gpu.standin.driver_double import StandIn
from tests.support.standin.probes import probe_cubin, probe_library, rules_library, shipped_device


def stand_in(device: str = "h200", *, faults: tuple[str, ...] = (), **changes: Any) -> StandIn:
    """Return a stand-in that plays a shipped device with *changes*, and knows the probes."""
    return StandIn(shipped_device(device, **changes), kernels=(probe_library(), rules_library()), faults=faults)


def in_child(function: str, folder: Path, played: StandIn, *, deadline_s: float = 60.0, **request: Any) -> ChildResult:
    """Call a function of `tests.support.standin.gpu_children` on the stand-in, with the cubin of the probes."""
    cubin = folder / "probe.cubin"
    cubin.write_bytes(probe_cubin())
    asked = {"cubin": str(cubin), **request}
    return run_in_child(
        f"tests.support.standin.gpu_children:{function}", asked, deadline_s=deadline_s, environment=played.environment(folder)
    )


def value_of(result: ChildResult) -> Any:
    """Return what a child came to, which must have finished."""
    assert isinstance(result, Finished), f"{result}\n{getattr(result, 'stderr', '')}"
    return result.value
