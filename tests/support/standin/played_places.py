"""Places for experiments in tests: the stand-in with another device, planted faults, or kernels that compute something else."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from megasolve.contracts import Contract, Study
from megasolve.gpu.compile.build import build_of, compile_build
from megasolve.gpu.compile.kernels_source import kernel_sources
from megasolve.gpu.harness.counts import ON_CPU
from megasolve.gpu.harness.places.places import OnCpu
from megasolve.gpu.standin.host_build import build_kernels

FEW = replace(ON_CPU, kernel_wait_ns=10**8, wait_s=120.0)
"""Counts for tests: kernels give up soon, on the virtual clock."""


@dataclass(frozen=True, slots=True)
class FaultyPlace(OnCpu):
    """The stand-in with planted faults, and with *wrong* entries whose sources have a text replaced."""

    faults: tuple[str, ...] = ()
    wrong: tuple[tuple[str, str, str, str], ...] = ()

    @contextmanager
    def environment(self, study: Study, contracts: Mapping[str, Contract]) -> Iterator[Mapping[str, str]]:
        """Add the faults and the wrong twins, which come first, to what the stand-in is told."""
        with (
            tempfile.TemporaryDirectory() as scratch,
            OnCpu(self.device, others=self.others, seed=self.seed).environment(study, contracts) as given,
        ):
            settings = Path(given["MEGASOLVE_STAND_IN"])
            twins = [self._twin(contracts[entry], Path(scratch), changed) for entry, *changed in self.wrong if entry in contracts]
            added = [*(f"fault = {fault}" for fault in self.faults), *(f"twin = {cubin} {library}" for cubin, library in twins)]
            settings.write_text("".join(f"{line}\n" for line in [*added, *settings.read_text(encoding="utf-8").splitlines()]))
            yield given

    def _twin(self, contract: Contract, folder: Path, changed: list[str]) -> tuple[Path, Path]:
        file, old, new = changed
        sources = kernel_sources()
        assert sources[file].count(old) == 1
        build = build_of(contract)
        cubin = compile_build(build, self.device.compute_capability)
        path = folder / f"{contract.entry}.cubin"
        path.write_bytes(cubin.image)
        return path, build_kernels(build.source, {**sources, file: sources[file].replace(old, new)}, defines=build.defines)
