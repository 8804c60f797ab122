"""The launches of one device in order of start, each with its share of the device's span."""

from __future__ import annotations

from dataclasses import dataclass

from ...model.wording import counted
from ...profiles.errors import ProfileRefused
from ...profiles.execution import Execution, Granularity, Kernel, KernelShape, ObservedDevice
from ...profiles.wording import listed, microseconds
from .gaps import Share, shares


@dataclass(frozen=True, slots=True)
class Timeline:
    """What ran on *device*, in order of start; ``shares[n]`` belongs to ``kernels[n]``. Launches without a positive time are left out."""

    device: int | None
    kernels: tuple[Kernel, ...]
    shares: tuple[Share, ...]
    untimed: int

    def start_ps(self, launch: int) -> int:
        """When a launch starts."""
        return _start_ps(self.kernels[launch])

    def end_ps(self, launch: int) -> int:
        """When a launch ends."""
        kernel = self.kernels[launch]
        return _start_ps(kernel) + (kernel.duration_ps or 0)


def devices(execution: Execution) -> tuple[int | None, ...]:
    """Return the numbers of the devices that ran kernels or graphs, in order; None stands for a device that the file does not name."""
    numbers = {kernel.site.device for kernel in execution.kernels} | {replay.site.device for replay in execution.replays}
    return tuple(sorted(numbers, key=lambda number: (number is not None, number or 0)))


def described(execution: Execution, device: int | None) -> ObservedDevice | None:
    """Return what the profiler says about *device*; the only device that it describes stands in where kernels name none."""
    matching = [known for known in execution.devices if device in (None, known.number)]
    return matching[0] if len(matching) == 1 else None


def timeline(execution: Execution, device: int | None = None) -> Timeline:
    """Return the launches on *device*, or on the only one.

    Raises
    ------
    ProfileRefused
        There are several devices and none is chosen, the chosen one ran nothing, kernels hide in graph replays, there are no
        kernels, or one of them never took a positive time.
    """
    chosen = _chosen(execution, device)
    _refuse_hidden_kernels(execution, chosen)
    launches = sorted((kernel for kernel in execution.kernels if kernel.site.device == chosen), key=_order)
    timed = [kernel for kernel in launches if kernel.start_ps is not None and kernel.duration_ps]
    _refuse_timeless(execution, launches, timed)
    intervals = ((_start_ps(kernel), _start_ps(kernel) + (kernel.duration_ps or 0)) for kernel in timed)
    return Timeline(chosen, tuple(timed), tuple(shares(intervals)), len(launches) - len(timed))


def _order(kernel: Kernel) -> tuple[int, int]:
    return _start_ps(kernel), kernel.row


def _start_ps(kernel: Kernel) -> int:
    return kernel.start_ps or 0


def _chosen(execution: Execution, device: int | None) -> int | None:
    known = devices(execution)
    if device in known:
        return device
    numbers = listed(str(number) for number in known)
    if device is not None:
        raise ProfileRefused(execution.file, f"device {device} ran no kernel; found devices: {numbers or 'none'}")
    if len(known) > 1:
        several = f"kernels ran on {len(known)} devices ({numbers}), which are never added up"
        raise ProfileRefused(execution.file, f"{several}; choose one with --gpu N (in a spec: attribution.gpu)")
    if not known:
        raise ProfileRefused(execution.file, "holds no kernel that ran; record again around the work on the GPU")
    return known[0]


def _refuse_hidden_kernels(execution: Execution, device: int | None) -> None:
    hidden = [replay for replay in execution.replays if replay.site.device == device]
    if not hidden and execution.granularity is not Granularity.GRAPH:
        return
    taken = microseconds(sum(replay.duration_ps for replay in hidden))
    raise ProfileRefused(
        execution.file,
        f"graph-level trace: {counted(len(hidden), 'graph replay')} ({taken}) without its kernels, so neither those nor their launch "
        "cost can be learnt; record again with --cuda-graph-trace=node",
    )


def _refuse_timeless(execution: Execution, launches: list[Kernel], timed: list[Kernel]) -> None:
    known = {kernel.shape for kernel in timed}
    for kernel in launches:
        if kernel.shape not in known:
            raise ProfileRefused(execution.file, _never_timed(kernel.shape, kernel, launches))


def _never_timed(shape: KernelShape, first: Kernel, launches: list[Kernel]) -> str:
    times = counted(sum(kernel.shape == shape for kernel in launches), "launch", "launches")
    return f"row {first.row}: kernel '{shape.name}' has no positive duration in {times}, so it has no service time; record it again"
