"""What a driver refuses, in the words of somebody who has to repair it. Codes: CUDA Driver API 13.0, `CUresult`."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import GpuError

# An answer of a query and no error: the work is not done yet.
NOT_READY = 600


class NoGpu(GpuError):
    """There is nothing to run on: no bindings, no driver, one that is too old, or no device. The message says how to get it."""


class DriverError(GpuError):
    """A call of the driver failed; *call* is its name, *code* the number and *name* the name of the error.

    After an error with *ends_context* nothing more can be done in this process.
    """

    ends_context = False

    def __init__(self, call: str, code: int, name: str) -> None:
        remedy = _REMEDIES.get(code, "see this code in the CUDA Driver API reference")
        super().__init__(f"{call}: {name} ({code}): {remedy}")
        self.call = call
        self.code = code
        self.name = name


class OutOfMemory(DriverError):
    """The device has not enough memory left."""


class WrongArchitecture(DriverError):
    """The code was compiled for another GPU."""


class LaunchRefused(DriverError):
    """The driver does not take a launch as it is; nothing ran, and the context is well."""


class KernelFailed(DriverError):
    """A kernel ended in a fault, or was ended."""

    ends_context = True


class LaunchTimedOut(KernelFailed):
    """A kernel ran longer than the system allows."""


class IllegalAccess(KernelFailed):
    """A kernel touched memory that is not its own."""


class EntryPointMissing(GpuError):
    """The driver library has no function of this name; it is older than the bindings, or a stand-in that does not play it."""

    def __init__(self, call: str) -> None:
        super().__init__(f"the driver library has no {call}: it is older than CUDA 13.0, or a stand-in that does not play this function")
        self.call = call


class DoesNotFit(GpuError):
    """A launch that this package refuses before the driver sees it, because the device cannot hold it. It is never made smaller."""


_REMEDIES: Mapping[int, str] = {
    1: "an argument of the launch or call is out of range: check grid, block and dynamic shared memory against the device",
    2: "the device has too little memory left: stop other processes (nvidia-smi lists them), or use a smaller batch or shapes",
    3: "the driver was not initialized; open a device first",
    34: "this libcuda.so.1 is the stub of the toolkit: take it off LD_LIBRARY_PATH, so that the one of the driver is found",
    36: "the driver is older than this call: update it to 580 or newer (CUDA 13.0)",
    46: "the device is busy or set exclusive by another process: nvidia-smi -q -d COMPUTE lists its mode",
    100: "no device is visible: check nvidia-smi, CUDA_VISIBLE_DEVICES and, in a container, that it was started with GPUs",
    101: "there is no device of this number; check CUDA_VISIBLE_DEVICES",
    200: "the image is no cubin that this driver reads: compile it with CUDA 13.0 for this device",
    201: "no context is current in this thread: open the device first, and again after a failed kernel in a new process",
    209: "the cubin was compiled for another architecture: compile it for the compute capability of this device",
    214: "memory of the device is faulty (uncorrectable ECC error): reset the GPU, and replace it if it happens again",
    218: "the PTX is not valid for this driver: compile to a cubin with CUDA 13.0",
    222: "the code is newer than the driver: update the driver to 580 or newer, or compile with CUDA 13.0",
    400: "an object was used after it was freed, or on another device",
    500: "the module has no kernel of this name: compare it with the symbols of the cubin",
    700: "a kernel accessed memory outside its buffers: run it on the CPU under the race detector, or under compute-sanitizer",
    701: "one block needs more registers or threads than the kernel allows: compile a variant with launch bounds for this block",
    702: "the kernel ran longer than allowed or waits for ever: verify its program, and read the diagnosis words for who waits",
    710: "an assertion in a kernel failed",
    715: "the kernel holds an instruction that this device lacks: compile for its architecture",
    716: "a kernel made a misaligned access: check the offsets of vector loads",
    719: "a kernel failed: run it alone under compute-sanitizer",
    720: "not all blocks of the cooperative grid can be resident at once: use a budget of at most CTAs per SM x SMs",
    801: "the device or driver does not support this call",
    802: "the system is not ready: on machines with NVSwitch, start nvidia-fabricmanager",
    803: "libcuda.so.1 and the kernel module differ in version: reboot after the update, or match the container to the host",
    804: "the forward-compatible libcuda.so.1 does not support this device: use the driver's own",
    900: "this call cannot be captured in a graph",
    901: "the capture was broken by an earlier error in the stream",
    999: "unknown error of the driver: check dmesg for Xid messages, and that the module nvidia_uvm is loaded",
}

_CLASSES: Mapping[int, type[DriverError]] = {
    2: OutOfMemory,
    200: WrongArchitecture,
    209: WrongArchitecture,
    218: WrongArchitecture,
    222: WrongArchitecture,
    701: LaunchRefused,
    720: LaunchRefused,
    702: LaunchTimedOut,
    700: IllegalAccess,
    716: IllegalAccess,
    717: IllegalAccess,
    **dict.fromkeys((214, 220, 710, 714, 715, 718, 719), KernelFailed),
}


def driver_error(call: str, code: int, name: str) -> DriverError:
    """Return the error to raise for *code*, of the narrowest class."""
    return _CLASSES.get(code, DriverError)(call, code, name)
