"""A thin, typed layer over the CUDA driver: objects that free themselves, and errors that say what to do.

It needs the bindings and a driver when it is used, not when it is imported.
"""

from __future__ import annotations

from .calls import ask
from .device import Context, DeviceFacts, differences
from .errors import (
    DoesNotFit,
    DriverError,
    EntryPointMissing,
    IllegalAccess,
    KernelFailed,
    LaunchRefused,
    LaunchTimedOut,
    NoGpu,
    OutOfMemory,
    WrongArchitecture,
)
from .graphs import Graph
from .guarded import Guarded
from .launch import Argument, DriverLaunch
from .memory import HostWords, Memory
from .modules import Function, Module
from .nvml import ClockReason, GpuState, gpu_state
from .probe import DriverState, probe
from .streams import Event, Stream
from .surroundings import EXPERIMENT_ENVIRONMENT, serialized_by

__all__ = [
    "EXPERIMENT_ENVIRONMENT",
    "Argument",
    "ClockReason",
    "Context",
    "DeviceFacts",
    "DoesNotFit",
    "DriverError",
    "DriverLaunch",
    "DriverState",
    "EntryPointMissing",
    "Event",
    "Function",
    "GpuState",
    "Graph",
    "Guarded",
    "HostWords",
    "IllegalAccess",
    "KernelFailed",
    "LaunchRefused",
    "LaunchTimedOut",
    "Memory",
    "Module",
    "NoGpu",
    "OutOfMemory",
    "Stream",
    "WrongArchitecture",
    "ask",
    "differences",
    "gpu_state",
    "probe",
    "serialized_by",
]
