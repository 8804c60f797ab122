"""The state of a GPU beside a measurement: clocks, temperature, power, and what holds the clocks back. NVML calls it management."""

from __future__ import annotations

import enum
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

_Value = TypeVar("_Value")


class ClockReason(enum.IntFlag):
    """Why clocks are not higher. Names and bits: NVML API reference, `nvmlClocksEventReasons`."""

    GPU_IDLE = 0x1
    APPLICATION_CLOCKS = 0x2
    SOFTWARE_POWER_CAP = 0x4
    HARDWARE_SLOWDOWN = 0x8
    SYNC_BOOST = 0x10
    SOFTWARE_THERMAL = 0x20
    HARDWARE_THERMAL = 0x40
    HARDWARE_POWER_BRAKE = 0x80
    DISPLAY_CLOCKS = 0x100


SLOWING_REASONS = (
    ClockReason.SOFTWARE_POWER_CAP
    | ClockReason.HARDWARE_SLOWDOWN
    | ClockReason.SOFTWARE_THERMAL
    | ClockReason.HARDWARE_THERMAL
    | ClockReason.HARDWARE_POWER_BRAKE
)


@dataclass(frozen=True, slots=True)
class GpuState:
    """One reading. A field that this GPU or driver does not report is None; *unavailable* says why there is no reading at all."""

    unavailable: str | None = None
    driver: str | None = None
    sm_clock_mhz: int | None = None
    memory_clock_mhz: int | None = None
    temperature_c: int | None = None
    power_mw: int | None = None
    reasons: int | None = None
    compute_processes: int | None = None

    @property
    def slowed_by(self) -> tuple[str, ...]:
        """The names of the reasons that slow clocks below what was asked for."""
        slowing = ClockReason(self.reasons or 0) & SLOWING_REASONS
        return tuple(reason.name.lower() for reason in ClockReason if reason in slowing and reason.name)


def gpu_state(uuid: str) -> GpuState:
    """Return the state of the GPU of this *uuid*. NVML numbers devices in another order than CUDA, so a number would not do."""
    try:
        # It comes without types.
        pynvml: Any = importlib.import_module("pynvml")
    except ImportError:
        return GpuState(unavailable="nvidia-ml-py is not installed")
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        return GpuState(unavailable=f"NVML: {error}")
    try:
        return _reading(pynvml, pynvml.nvmlDeviceGetHandleByUUID(uuid))
    except pynvml.NVMLError as error:
        return GpuState(unavailable=f"NVML: {error}")
    finally:
        pynvml.nvmlShutdown()


def _reading(nvml: Any, handle: Any) -> GpuState:
    def read(question: Callable[[], _Value]) -> _Value | None:
        try:
            return question()
        except nvml.NVMLError:
            return None

    return GpuState(
        driver=read(lambda: str(nvml.nvmlSystemGetDriverVersion())),
        sm_clock_mhz=read(lambda: int(nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM))),
        memory_clock_mhz=read(lambda: int(nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_MEM))),
        temperature_c=read(lambda: int(nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU))),
        power_mw=read(lambda: int(nvml.nvmlDeviceGetPowerUsage(handle))),
        reasons=read(lambda: int(nvml.nvmlDeviceGetCurrentClocksEventReasons(handle))),
        compute_processes=read(lambda: len(nvml.nvmlDeviceGetComputeRunningProcesses(handle))),
    )
