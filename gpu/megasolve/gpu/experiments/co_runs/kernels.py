"""The kernels of a co-run: an entry that meets the other side before it begins, and the clock of the other side."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files

from megasolve.contracts import Contract

from ...compile.build import build_of, symbols_of
from ...compile.code import KernelCode
from ...compile.kernels_source import kernel_sources

CLOCK = "ms_clock"
_SOURCE = "meeting.cu"


def meeting_kernels(contract: Contract) -> KernelCode:
    """Return what must be compiled so that the persistent entry of *contract* can meet another one.

    Raises
    ------
    GpuError
        The kernels cannot be what the contract declares.
    """
    text = (files(__package__) / _SOURCE).read_text(encoding="utf-8")
    texts = {**kernel_sources(), _SOURCE: text}
    return KernelCode(replace(build_of(contract), source=_SOURCE), texts, (meeting_symbol(contract),), is_portable=True)


def meeting_symbol(contract: Contract) -> str:
    """Return the name of that kernel in the cubin."""
    return f"{symbols_of(contract)[0]}_met"
