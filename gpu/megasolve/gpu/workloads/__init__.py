"""Kernels that can be timed: the protocol of a workload, and streamlet, which comes with kernels of its own."""

from ..compile.code import KernelCode, cuda_code
from ..errors import GpuError
from .comparing import ArrayComparison, ArrayDifference
from .workload import Arrays, AskedCall, Buffer, Constant, Scratch, StatedCall, StatedLaunch, UnclearInputs, Word, Workload

__all__ = [
    "ArrayComparison",
    "ArrayDifference",
    "Arrays",
    "AskedCall",
    "Buffer",
    "Constant",
    "GpuError",
    "KernelCode",
    "Scratch",
    "StatedCall",
    "StatedLaunch",
    "UnclearInputs",
    "Word",
    "Workload",
    "cuda_code",
]
