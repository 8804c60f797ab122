"""Is there a GPU to run on? Answered in well under a second where there is none, and never by hanging where there is a broken one."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import TypeAdapter

from ..children.child import Failed, Finished, run_in_child
from .calls import ask
from .device import DeviceFacts, device_facts
from .errors import NoGpu

# Code for CUDA 13.0 needs a driver of this version (in CUDA's form); its first release is 580.
NEEDED_DRIVER_VERSION = 13000
_NEEDED_RELEASE = "580"
_PROBE_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class DriverState:
    """A driver that works: its *version* in CUDA's form (13000 is CUDA 13.0), and the devices that it shows."""

    version: int
    devices: tuple[DeviceFacts, ...]


_DRIVER_STATE = TypeAdapter(DriverState)


def probe(environment: Mapping[str, str] | None = None, *, deadline_s: float = _PROBE_SECONDS) -> DriverState:
    """Return what the driver shows, asked in a child process, because a driver that is ill may never answer.

    Parameters
    ----------
    environment
        Variables of the child in addition to those of this process.
    deadline_s
        When a driver that does not answer is given up; a sound one with many devices may take some seconds.

    Raises
    ------
    NoGpu
        In one line: what is missing, and how to get it.
    """
    _require_bindings()
    _require_library(environment or {})
    result = run_in_child(f"{__name__}:answer_probe", None, deadline_s=deadline_s, environment=environment)
    if isinstance(result, Finished):
        return _DRIVER_STATE.validate_python(result.value)
    if isinstance(result, Failed):
        raise NoGpu(result.message)
    raise NoGpu(f"the NVIDIA driver does not answer ({result}): check nvidia-smi and dmesg for Xid messages")


def answer_probe(_request: object) -> object:
    """Answer a probe in its child."""
    # It needs no cuInit, so that a driver which is too old can still say so.
    version = ask("cuDriverGetVersion")
    if version < NEEDED_DRIVER_VERSION:
        raise NoGpu(
            f"the NVIDIA driver is for CUDA {_shown(version)}, and kernels compiled for CUDA {_shown(NEEDED_DRIVER_VERSION)}"
            f" need release {_NEEDED_RELEASE} or newer: update the driver"
        )
    ask("cuInit", 0)
    devices = tuple(device_facts(ordinal) for ordinal in range(ask("cuDeviceGetCount")))
    return _DRIVER_STATE.dump_python(DriverState(version, devices), mode="json")


def _require_bindings() -> None:
    if sys.platform != "linux":
        raise NoGpu(f"measuring needs Linux and an NVIDIA GPU, and this is {sys.platform}")
    if importlib.util.find_spec("cuda") is None or importlib.util.find_spec("cuda.bindings") is None:
        raise NoGpu("the CUDA bindings are missing: pip install 'megasolve[gpu]'")


def _require_library(environment: Mapping[str, str]) -> None:
    """A child that would only find that there is no library is not worth its start."""
    # The child looks elsewhere, so what this process finds says nothing of it.
    if environment.get("LD_LIBRARY_PATH"):
        return
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise NoGpu(_without_library(str(error))) from None


def _without_library(reason: str) -> str:
    if "cannot open shared object file" not in reason:
        return f"the NVIDIA driver cannot be loaded: {reason}"
    hint = " (in a container: start it with GPUs)" if os.path.exists("/.dockerenv") else ""  # noqa: PTH110 - a plain question
    return f"no NVIDIA driver: libcuda.so.1 is not found; install release {_NEEDED_RELEASE} or newer on a machine with a GPU{hint}"


def _shown(version: int) -> str:
    return f"{version // 1000}.{version % 1000 // 10}"
