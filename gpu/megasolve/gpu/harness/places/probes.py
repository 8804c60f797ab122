"""The probes: small kernels that say what a launch and a wait cost, beside which the times of other kernels stand."""

from __future__ import annotations

from importlib.resources import files

from ...compile.build import KernelBuild
from ...compile.code import KernelCode
from ...compile.kernels_source import kernel_sources

PROBE_THREADS = 256
"""The threads of a block up to which the probes are launched."""

EMPTY, TURNS, WIDE_EMPTY = "ms_empty", "ms_turns", "empty_of_any_width"
_SOURCE, _WIDE_SOURCE = "probes.cu", "wide.cu"
_WIDE = f'extern "C" __global__ void {WIDE_EMPTY}(const unsigned*) {{}}\n'


def probes(threads: int) -> KernelCode:
    """Return the code of the probes in blocks of *threads*."""
    texts = {**kernel_sources(), _SOURCE: (files(__package__) / _SOURCE).read_text(encoding="utf-8")}
    return KernelCode(KernelBuild(_SOURCE, (f"MS_THREADS={threads}",)), texts, (EMPTY, TURNS), is_portable=True)


def wide_probes() -> KernelCode:
    """Return the code of the empty kernel that stands in beside blocks of more threads."""
    return KernelCode(KernelBuild(_WIDE_SOURCE, ()), {_WIDE_SOURCE: _WIDE}, (WIDE_EMPTY,))
