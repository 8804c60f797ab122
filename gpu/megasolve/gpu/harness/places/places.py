"""Where experiments run: on a GPU, or on the stand-in that plays the spec's device on the CPU."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from megasolve.contracts import Contract, Device, Study

from ...compile.build import KernelBuild
from ...compile.code import KernelCode
from ...compile.compiler import Cubin
from ...driver import EXPERIMENT_ENVIRONMENT, DeviceFacts, differences, probe
from ...errors import GpuError
from ...standin.cpu_twin import cpu_twin
from ...standin.driver_double import StandIn
from ...standin.host_build import HostCompilerMissing, host_compiler
from ...workloads.named import workload_of
from ..acceptance import DEVICE_LIMITS, STAND_IN_LIMITS, Limits
from ..counts import ON_CPU, ON_GPU, Counts
from ..overlap import require_overlap
from .probes import PROBE_THREADS, probes, wide_probes


class OtherDevice(GpuError):
    """The GPU is not the one that the spec plans for, so its times would be evidence for nothing."""


class MeasuringPlace(Protocol):
    """Where experiments run. As many children run side by side as it has *workers*."""

    @property
    def ordinal(self) -> int:
        """The number of the device."""

    @property
    def counts(self) -> Counts:
        """How often things are launched, unless asked otherwise."""

    @property
    def limits(self) -> Limits:
        """What samples must keep to."""

    @property
    def workers(self) -> int:
        """How many children may run beside each other."""

    def deadline_s(self, experiments: int) -> float:
        """Return when a child with so many experiments is given up."""

    def environment(self, study: Study, contracts: Mapping[str, Contract], /) -> AbstractContextManager[Mapping[str, str]]:
        """Give the variables for a child that runs the kernels of *contracts*, by entry, as long as it runs."""


@dataclass(frozen=True, slots=True)
class OnGpu:
    """The GPU that the spec plans for. One child at a time has it for itself."""

    facts: DeviceFacts
    counts: Counts = ON_GPU
    limits: Limits = DEVICE_LIMITS
    workers: int = 1

    @property
    def ordinal(self) -> int:
        """The number of the device."""
        return self.facts.ordinal

    def deadline_s(self, experiments: int) -> float:
        """Return a minute for the start and the compilation, and half a minute for each experiment."""
        return 60.0 + 30.0 * experiments

    @contextmanager
    def environment(self, _study: Study, _contracts: Mapping[str, Contract]) -> Iterator[Mapping[str, str]]:
        """Give what loads kernels before they are launched."""
        yield EXPERIMENT_ENVIRONMENT


@dataclass(frozen=True, slots=True)
class OnCpu:
    """The stand-in that plays *device*: its clock is virtual, so children do not disturb each other. It knows *others* beside contracts.

    *seed* draws the order of threads on it.
    """

    device: Device
    counts: Counts = ON_CPU
    limits: Limits = STAND_IN_LIMITS
    ordinal: int = 0
    others: tuple[KernelCode, ...] = ()
    seed: int = 0

    @property
    def workers(self) -> int:
        """As many as there are processors."""
        return os.cpu_count() or 1

    def deadline_s(self, experiments: int) -> float:
        """Return time for the slowest calls at the largest batch, which take many minutes."""
        return 600.0 + 1800.0 * experiments

    @contextmanager
    def environment(self, study: Study, contracts: Mapping[str, Contract]) -> Iterator[Mapping[str, str]]:
        """Build the kernels of *contracts* for the GPU and for the CPU, and give what makes a child use the stand-in with them."""
        with tempfile.TemporaryDirectory(prefix="megasolve-") as scratch:
            twins = tuple(self._twins(study, contracts, Path(scratch)))
            yield StandIn(self.device, twins=twins, seed=self.seed).environment(Path(scratch))

    def _twins(self, study: Study, contracts: Mapping[str, Contract], folder: Path) -> Iterator[tuple[Path, Path]]:
        codes = [(contract, workload_of(study, contract).kernels(contract)) for contract in contracts.values()]
        # Contracts of the same code share its twin, which has the kernels of all of them.
        distinct: dict[tuple[KernelBuild, str], tuple[Contract, KernelCode]] = {}
        for contract, code in codes:
            _, shared = distinct.setdefault((code.build, code.sha256), (contract, code))
            symbols = tuple(dict.fromkeys((*shared.symbols, *code.symbols)))
            distinct[code.build, code.sha256] = contract, replace(code, symbols=symbols)
        wide = any((contract.launch.threads or 0) > PROBE_THREADS for contract in contracts.values())
        others = (probes(PROBE_THREADS), *((wide_probes(),) if wide else ()), *self.others)
        capability = self.device.compute_capability
        # The host compiler builds a twin while its cubin is compiled in this thread.
        with ThreadPoolExecutor(2) as pool:
            for contract, code in distinct.values():
                library = pool.submit(cpu_twin, code)
                yield _kept(folder, code.compiled_for(contract, capability)), library.result()
            for other in others:
                library = pool.submit(cpu_twin, other)
                yield _kept(folder, other.compiled(capability)), library.result()


def find_place(study: Study, *, on_cpu: bool) -> OnGpu | OnCpu:
    """Return where experiments run: on the GPU that the spec plans for, or on its stand-in.

    Raises
    ------
    GpuError
        There is no driver, or another GPU, or no compiler for the stand-in.
    """
    return find_stand_in(study) if on_cpu else find_gpu(study, probe(EXPERIMENT_ENVIRONMENT).devices)


def find_gpu(study: Study, devices: Sequence[DeviceFacts]) -> OnGpu:
    """Return the first of *devices* that is the one that *study* plans for.

    Raises
    ------
    OtherDevice
        There are only others.
    GpuError
        Something around this process holds every launch up, so that samples would time the host.
    """
    require_overlap()
    declared = study.device.value
    differing = [(facts, _strange(facts, declared)) for facts in devices]
    for facts, strange in differing:
        if not strange and not facts.fake:
            return OnGpu(facts)
    # There is one: the driver does not even start without a device.
    first, strange = differing[0]
    if not strange:
        raise OtherDevice(f"{first.name} is no GPU but the stand-in that plays one: say --backend cpu")
    raise OtherDevice(
        f"the GPU here is {first.name}, and the spec plans for {declared.name} ({declared.title}): {'; '.join(strange)};"
        " times hold on one device only: plan for this one with --device"
    )


def find_stand_in(study: Study) -> OnCpu:
    """Return the stand-in for the device of *study*.

    Raises
    ------
    HostCompilerMissing
        There is no C++ compiler to build it with.
    """
    if host_compiler() is None:
        raise HostCompilerMissing
    return OnCpu(study.device.value)


def _strange(facts: DeviceFacts, declared: Device) -> tuple[str, ...]:
    names = declared.driver_names
    if names and facts.name not in names and not facts.fake:
        return (f"the driver calls it {facts.name!r}, not {' or '.join(map(repr, names))}", *differences(facts, declared))
    return differences(facts, declared)


def _kept(folder: Path, cubin: Cubin) -> Path:
    path = folder / f"{cubin.sha256}.cubin"
    path.write_bytes(cubin.image)
    return path
