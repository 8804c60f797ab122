"""A stand-in for the CUDA driver, which plays a device on the CPU, so that the real host code runs from end to end without a GPU.

It is used in child processes, whose library path it stands in. What ran on it was never measured: the name of its device says so, and
`DeviceFacts.fake` with it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from megasolve.contracts import PS_PER_NS, Device, LaunchCost

from .host_build import build_stand_in

_PREFIX = "STAND-IN "
_LIMITS = (
    *("sms", "threads_per_sm", "threads_per_cta", "registers_per_sm", "registers_per_cta", "register_unit_per_warp"),
    *("warp_unit_per_sm", "shared_bytes_per_sm", "shared_bytes_per_cta", "shared_reserve_bytes", "shared_unit_bytes"),
)
# What a stream launch, a graph launch with its gaps, and a cooperative launch cost on the virtual clock where the device file is silent.
_LAUNCH_NS = {"launch_ns": 2000, "graph_launch_ns": 3000, "graph_gap_ns": 500, "cooperative_launch_ns": 5000}


def is_stand_in(device_name: str) -> bool:
    """Return whether a device of this name is played by the stand-in driver."""
    return device_name.startswith(_PREFIX)


@dataclass(frozen=True, slots=True)
class StandIn:
    """What the stand-in plays.

    Parameters
    ----------
    device
        The device file that it follows.
    kernels
        Libraries with the kernels for the CPU, searched in order.
    twins
        Pairs of a cubin file and the library that holds its kernels, for kernels of one name in several cubins.
    seed
        Draws the order of threads.
    driver_version
        In CUDA's form: 13000 is CUDA 13.0.
    memory_bytes
        The device memory; by default that of the device file.
    faults
        Planted failures: `cuMemAlloc 2` fails every call with this code, `cuLaunchKernel#3 719` the third call; `hang` in place of a code
        never returns and `crash` kills the process.
    """

    device: Device
    kernels: tuple[Path, ...] = ()
    twins: tuple[tuple[Path, Path], ...] = ()
    seed: int = 0
    devices: int = 1
    driver_version: int = 13000
    memory_bytes: int | None = None
    launches_cooperatively: bool = True
    faults: tuple[str, ...] = ()

    def environment(self, folder: Path, cache: Path | None = None) -> dict[str, str]:
        """Return the variables that make a child process use the stand-in; its settings are written to *folder*.

        Raises
        ------
        HostCompilerMissing, HostBuildFailed
        """
        settings = folder / "stand_in.ini"
        settings.write_text("".join(f"{key} = {value}\n" for key, value in self._settings()), encoding="utf-8")
        # An empty part would be the folder that the process happens to stand in.
        paths = filter(None, [str(build_stand_in(cache)), *os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)])
        return {"LD_LIBRARY_PATH": os.pathsep.join(paths), "MEGASOLVE_STAND_IN": str(settings)}

    def _settings(self) -> Iterator[tuple[str, object]]:
        device = self.device
        major, _, minor = device.compute_capability.partition(".")
        yield from (("name", f"{_PREFIX}{device.name}"), ("devices", self.devices), ("seed", self.seed))
        yield from (("driver_version", self.driver_version), ("compute_major", major), ("compute_minor", minor))
        yield from (("ctas_per_sm", device.most_ctas_per_sm), *((limit, getattr(device, limit)) for limit in _LIMITS))
        yield from (("shared_bytes_by_default", 48 << 10), ("cooperative_launch", int(self.launches_cooperatively)))
        yield from (("l2_bytes", device.l2_bytes or 0), ("clock_khz", (device.clock_hz or 0) // 1000), ("memory_clock_khz", 0))
        yield "memory_bytes", device.hbm_bytes if self.memory_bytes is None else self.memory_bytes
        # From bytes a second.
        yield "fill_bytes_per_ns", device.hbm_sustained_bytes_per_s // 10**9
        yield from self._launch_costs().items()
        yield from (("kernels", path) for path in self.kernels)
        yield from (("twin", f"{cubin} {library}") for cubin, library in self.twins)
        yield from (("fault", fault) for fault in self.faults)

    def _launch_costs(self) -> dict[str, int]:
        launch = self.device.launch
        costs = dict(_LAUNCH_NS)
        for key, cost in (("launch_ns", launch.stream), ("graph_launch_ns", launch.graph), ("cooperative_launch_ns", launch.cooperative)):
            if (exposed_ps := _exposed_ps(cost)) is not None:
                costs[key] = exposed_ps // PS_PER_NS
        if launch.graph and launch.graph.gap_ps is not None:
            costs["graph_gap_ns"] = launch.graph.gap_ps // PS_PER_NS
        return costs


def _exposed_ps(cost: LaunchCost | None) -> int | None:
    return cost.exposed_ps if cost else None
