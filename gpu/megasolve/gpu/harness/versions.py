"""Versions: what a measurement was taken with, as records state it."""

from __future__ import annotations

import platform
from importlib import metadata

from ..compile.compiler import compiler_build
from ..driver import Context, ask, gpu_state

_BINDINGS = "cuda-bindings"


def driver_versions(context: Context) -> dict[str, str]:
    """Return the versions of the driver, its bindings, the compiler and Python."""
    version = int(ask("cuDriverGetVersion"))
    release = gpu_state(context.device.uuid).driver
    return {
        # The driver tells its version as 1000 * major + 10 * minor.
        "driver": f"CUDA {version // 1000}.{version % 1000 // 10}{'' if release is None else f', release {release}'}",
        "cuda-bindings": _installed(_BINDINGS),
        "nvrtc": compiler_build(),
        "python": platform.python_version(),
    }


def _installed(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "unknown"
