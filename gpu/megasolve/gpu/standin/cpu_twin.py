"""The CPU twin of kernel code: what g++ makes of the same source that NVRTC compiles.

Portable sources say themselves what they are on the CPU. CUDA C++ as it is becomes that by a header with the part of CUDA that the stand-in
knows, and by one line for each kernel that lets it be launched.
"""

from __future__ import annotations

import importlib.resources
import re
from pathlib import Path

from ..compile.code import KernelCode
from .host_build import build_kernels

_TWIN, _HEADER = "twin.cpp", "cuda.h"
# Shared memory of a size that the launch gives is the only kind there is.
_SHARED = re.compile(r"extern\s+__shared__\s+(?:__align__\(\d+\)\s+)?(?P<type>[\w:]+(?:\s+\w+)?)\s+(?P<name>\w+)\s*\[\s*\]\s*;")


def cpu_twin(code: KernelCode) -> Path:
    """Return the library with the kernels of *code* for the CPU.

    Raises
    ------
    HostCompilerMissing, HostBuildFailed
    """
    build = code.build
    if code.is_portable:
        return build_kernels(build.source, code.texts, defines=build.defines)
    texts = {name: _SHARED.sub(r"\g<type>* \g<name> = static_cast<\g<type>*>(ms_shared());", text) for name, text in code.texts.items()}
    exports = "".join(f"MS_EXPORT_NAMED({symbol})\n" for symbol in code.symbols)
    twin = f'#include "{_HEADER}"\n#include "{build.source}"\n{exports}'
    header = (importlib.resources.files(__package__) / "host" / _HEADER).read_text(encoding="utf-8")
    # The header and the exports are sources like the others, so that they decide the name of the library as well.
    return build_kernels(_TWIN, {**texts, _HEADER: header, _TWIN: twin}, defines=build.defines)
