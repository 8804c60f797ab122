"""CUDA C++ as it is, on the CPU: each thing that the stand-in knows of it does what it does on a GPU."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from megasolve.gpu.compile.build import KernelBuild
from megasolve.gpu.compile.code import KernelCode
from megasolve.gpu.standin.cpu_twin import cpu_twin
from megasolve.gpu.standin.host_build import HostBuildFailed
from tests.support.standin.cpu_device import CpuDevice
from tests.support.toolchain import needs_host_compiler, needs_nvrtc

pytestmark = needs_host_compiler

SYMBOLS = ("reverse", "shuffles", "atomics", "in_turn")
TEXT = (Path(__file__).parents[1] / "fixtures/plain.cu").read_text(encoding="utf-8")


def code(text: str = TEXT, symbols: tuple[str, ...] = SYMBOLS) -> KernelCode:
    return KernelCode(KernelBuild("plain.cu", ()), {"plain.cu": text}, symbols)


@cache
def device() -> CpuDevice:
    return CpuDevice(cpu_twin(code()))


@needs_nvrtc
def test_nvrtc_takes_the_same_source_as_it_is() -> None:
    assert set(code().compiled("9.0").resources) == set(SYMBOLS)


def test_dynamic_shared_memory_and_barriers() -> None:
    given, taken = np.arange(128, dtype=np.int32), np.zeros(128, np.int32)
    device().launch("reverse", [given, taken], grid=2, block=64, shared_bytes=256)
    assert device().run(2).is_done
    assert np.array_equal(taken, given.reshape(2, 64)[:, ::-1].ravel())


def test_shuffles_and_votes_of_a_warp() -> None:
    given, sums, votes = np.arange(64, dtype=np.float32), np.zeros(2, np.float32), np.zeros(2, np.uint32)
    device().launch("shuffles", [given, sums, votes], grid=1, block=64)
    assert device().run(1).is_done
    assert sums.tolist() == [496.0, 1520.0]
    assert votes.tolist() == [0xAAAAAAAA] * 2


def test_atomics() -> None:
    added, most, floats, turns = np.zeros(1, np.int32), np.zeros(1, np.uint32), np.zeros(1, np.float32), np.zeros(1, np.uint64)
    device().launch("atomics", [added, most, floats, turns], grid=3, block=64)
    assert device().run(3).is_done
    assert (added[0], most[0], floats[0], turns[0]) == (384, 191, 96.0, 7)


@pytest.mark.parametrize("seed", range(3))
def test_a_loop_that_polls_lets_the_others_run(seed: int) -> None:
    arrived, order = np.zeros(1, np.uint32), np.zeros(5, np.uint32)
    device().launch("in_turn", [arrived, order], grid=5, block=64)
    assert device().run(5, seed=seed).is_done
    assert order.tolist() == [0, 1, 2, 3, 4]


def test_static_shared_memory_is_refused_by_the_compiler_with_what_to_write() -> None:
    text = 'extern "C" __global__ void fixed() {\n    __shared__ int held[64];\n}\n'
    with pytest.raises(HostBuildFailed, match="extern__shared__with_empty_brackets"):
        cpu_twin(code(text, ("fixed",)))
