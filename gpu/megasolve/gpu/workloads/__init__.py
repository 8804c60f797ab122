"""Kernels that can be timed: the protocol of a workload, and streamlet, which comes with kernels of its own."""

from ..compile.code import KernelCode, cuda_code
from ..errors import GpuError
from ..programs.group_calls import Call, Streams
from .calls import (
    Arrays,
    AskedCall,
    Buffer,
    Constant,
    LaunchSet,
    LaunchSide,
    NotOffered,
    Scratch,
    StatedCall,
    StatedLaunch,
    TraceMemory,
    UnclearInputs,
    Word,
)
from .comparing import ArrayComparison, ArrayDifference
from .workload import Workload

__all__ = [
    "ArrayComparison",
    "ArrayDifference",
    "Arrays",
    "AskedCall",
    "Buffer",
    "Call",
    "Constant",
    "GpuError",
    "KernelCode",
    "LaunchSet",
    "LaunchSide",
    "NotOffered",
    "Scratch",
    "StatedCall",
    "StatedLaunch",
    "Streams",
    "TraceMemory",
    "UnclearInputs",
    "Word",
    "Workload",
    "cuda_code",
]
