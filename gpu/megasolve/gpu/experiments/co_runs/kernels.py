"""The kernels of a co-run: a persistent kernel that meets the other side before it begins, and the clock of the other side."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files

from megasolve.contracts import Contract, Study

from ...compile.code import KernelCode
from ...errors import GpuError
from ...workloads.named import workload_of

CLOCK = "ms_clock"
_SOURCE, _NAME = "meeting.cu", "megasolve_meeting.cu"


def meeting_kernels(study: Study, contract: Contract) -> KernelCode:
    """Return what must be compiled so that the persistent entry of *contract* can meet another one: its own code, and ours around it.

    Raises
    ------
    GpuError
        The kernels cannot be what the contract declares, or there are several.
    """
    code = workload_of(study, contract).kernels(contract)
    if len(code.symbols) != 1:
        raise GpuError(
            f"entry '{contract.entry}' has {len(code.symbols)} kernels ({', '.join(code.symbols)}); one that meets others is one"
        )
    if contract.launch.cluster_ctas > 1:
        raise GpuError(f"entry '{contract.entry}' has clusters of {contract.launch.cluster_ctas} CTAs, and those cannot meet others yet")
    (symbol,) = code.symbols
    text = (files(__package__) / _SOURCE).read_text(encoding="utf-8")
    own = (
        f'MS_MET_SOURCE="{code.build.source}"',
        f"MS_MET={symbol}",
        f"MS_MET_NAME={meeting_symbol(code)}",
        f"MS_MET_THREADS={contract.launch.threads or 1024}",
        f"MS_MET_CTAS={contract.launch.ctas_per_sm}",
    )
    build = replace(code.build, source=_NAME, defines=(*code.build.defines, *own))
    return replace(code, build=build, texts={**code.texts, _NAME: text}, symbols=(meeting_symbol(code), CLOCK))


def meeting_symbol(code: KernelCode) -> str:
    """Return the name of that kernel in the cubin, where *code* is the workload's or that of `meeting_kernels`."""
    return code.symbols[0] if code.symbols[-1] == CLOCK else f"{code.symbols[0]}_met"
