"""The kernel that meets the other side: made of the code of any workload."""

from __future__ import annotations

from pathlib import Path

import pytest

from megasolve.contracts import Contract, Study
from megasolve.gpu.compile.build import KernelBuild
from megasolve.gpu.compile.code import KernelCode
from megasolve.gpu.errors import GpuError
from megasolve.gpu.experiments.co_runs import kernels
from megasolve.gpu.experiments.co_runs.kernels import meeting_kernels, meeting_symbol
from megasolve.gpu.standin.cpu_twin import cpu_twin
from tests.support.kernels.streamlet import entry_of, shipped
from tests.support.toolchain import needs_host_compiler

SOURCE = """
__device__ void twice(float* x, float by) { x[blockIdx.x * blockDim.x + threadIdx.x] *= 2 * by; }
extern "C" __global__ void __launch_bounds__(128, 2) doubled(float* const x, const float by, int steps, const unsigned* none) {
    extern __shared__ float memory[];
    if (none) return;
    memory[threadIdx.x] = by;
    for (int step = 0; step < steps; ++step) twice(x, memory[threadIdx.x]);
}
extern "C" __global__ void __launch_bounds__(256) other(float* x) { *x = 0; }
"""


def code(*symbols: str) -> KernelCode:
    return KernelCode(KernelBuild("own.cu", ()), {"own.cu": SOURCE}, symbols)


@pytest.fixture
def met(monkeypatch: pytest.MonkeyPatch) -> KernelCode:
    """What meets around a kernel of somebody, in whose file another one stands."""
    return made(monkeypatch, code("doubled"))


def made(monkeypatch: pytest.MonkeyPatch, of: KernelCode, contract: Contract | None = None) -> KernelCode:
    class Played:
        def kernels(self, _contract: Contract) -> KernelCode:
            return of

    def played(_study: Study, _contract: Contract) -> Played:
        return Played()

    monkeypatch.setattr(kernels, "workload_of", played)
    return meeting_kernels(shipped(), contract or entry_of(shipped(), "C"))


def test_it_stands_around_the_kernel_in_one_cubin_with_the_clock(met: KernelCode) -> None:
    assert met.symbols == ("doubled_met", "ms_clock")
    assert meeting_symbol(met) == meeting_symbol(code("doubled")) == "doubled_met"
    # The kernels of the file are functions here, of which only what meets is launched.
    assert set(met.compiled("9.0").resources) == {"doubled_met", "ms_clock"}


@needs_host_compiler
def test_it_has_a_twin_on_the_cpu(met: KernelCode) -> None:
    library: Path = cpu_twin(met)
    content = library.read_bytes()
    assert b"ms_thunk_doubled_met" in content
    assert b"ms_thunk_ms_clock" in content


def test_clusters_cannot_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    contract = entry_of(shipped(), "C")
    launch = contract.launch.model_copy(update={"cluster_ctas": 2})
    with pytest.raises(GpuError, match="entry 'C' has clusters of 2 CTAs, and those cannot meet others yet"):
        made(monkeypatch, code("doubled"), contract.model_copy(update={"launch": launch}))


def test_of_several_kernels_none_can_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(GpuError, match=r"entry 'C' has 2 kernels \(doubled, other\); one that meets others is one"):
        made(monkeypatch, code("doubled", "other"))
