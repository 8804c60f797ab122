"""From CUDA C++ to a cubin through NVRTC, on any machine: no GPU, driver or toolkit is needed.

The compiler is pinned to CUDA 13.0, because a newer one compiles for drivers that users may not have. Its version, the architecture and
the launch bounds change registers and spills, so all three belong to the context of a timing.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import GpuError
from .resources import Resources, resources_in

ARCHITECTURES = ("sm_80", "sm_90a", "sm_100a", "sm_120")

# -v is always there: leaving it out changes the bytes of the cubin, and with them its hash.
_COMMON = ("--std=c++17", "--ptxas-options=-v")
_LOG_PLACE = re.compile(r"^(?P<file>[^\s(:]+)\((?P<line>\d+)\): (?P<what>(?:catastrophic )?error.*)$", re.MULTILINE)


class CompileFailed(GpuError):
    """A kernel does not compile; *log* is all that the compiler says, the message its first error with file and line."""

    def __init__(self, name: str, architecture: str, log: str) -> None:
        place = _LOG_PLACE.search(log)
        first = f"{place['file']}:{place['line']}: {place['what']}" if place else next(iter(log.strip().splitlines()), "no message")
        super().__init__(f"{name} does not compile for {architecture}: {first}")
        self.log = log


@dataclass(frozen=True, slots=True)
class Cubin:
    """One compiled program: its bytes and hash, its options, the compiler, and what each kernel in it needs."""

    image: bytes
    architecture: str
    options: tuple[str, ...]
    compiler: str
    resources: Mapping[str, Resources]

    @property
    def sha256(self) -> str:
        """The hash of the bytes; equal input gives equal bytes."""
        return hashlib.sha256(self.image).hexdigest()


def compile_cubin(name: str, sources: Mapping[str, str], architecture: str, defines: Sequence[str] = ()) -> Cubin:
    """Compile the source *name* for *architecture*; every file that it includes is in *sources*, by the name in its `#include`.

    Parameters
    ----------
    defines
        Macros, each as `NAME` or `NAME=VALUE`.

    Raises
    ------
    CompileFailed
        With the compiler's log.
    GpuError
        NVRTC is not installed.
    """
    nvrtc = _nvrtc()
    options = (f"--gpu-architecture={architecture}", *_COMMON, *(f"--define-macro={define}" for define in defines))
    headers = {header: text for header, text in sources.items() if header != name}
    program = _asked(
        nvrtc,
        nvrtc.nvrtcCreateProgram(
            sources[name].encode(),
            name.encode(),
            len(headers),
            [text.encode() for text in headers.values()],
            [header.encode() for header in headers],
        ),
    )
    try:
        return _compiled(nvrtc, program, name, architecture, options)
    finally:
        nvrtc.nvrtcDestroyProgram(program)


def compiler_version() -> str:
    """Return the name and version of the compiler, as contracts and records state it: `nvrtc 13.0`.

    Raises
    ------
    GpuError
        NVRTC is not installed.
    """
    nvrtc = _nvrtc()
    major, minor = _asked(nvrtc, nvrtc.nvrtcVersion())
    return f"nvrtc {major}.{minor}"


def _compiled(nvrtc: Any, program: Any, name: str, architecture: str, options: tuple[str, ...]) -> Cubin:
    result = nvrtc.nvrtcCompileProgram(program, len(options), [option.encode() for option in options])
    log = _text(nvrtc, program, nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog)
    if result[0] != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise CompileFailed(name, architecture, log)
    size = _asked(nvrtc, nvrtc.nvrtcGetCUBINSize(program))
    image = b" " * size
    _asked(nvrtc, nvrtc.nvrtcGetCUBIN(program, image))
    return Cubin(image, architecture, options, compiler_version(), resources_in(log))


def _text(nvrtc: Any, program: Any, size_of: Any, read: Any) -> str:
    size: int = _asked(nvrtc, size_of(program))
    buffer = b" " * size
    _asked(nvrtc, read(program, buffer))
    return buffer.rstrip(b"\0 ").decode("utf-8", "replace")


def _asked(nvrtc: Any, answer: tuple[Any, ...]) -> Any:
    """Return what a call of NVRTC gives, or raise what it refuses."""
    code, *values = answer
    if code != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise GpuError(f"NVRTC refuses: {code.name}")
    return values[0] if len(values) == 1 else tuple(values)


def _nvrtc() -> Any:
    try:
        from cuda.bindings import nvrtc

        nvrtc.nvrtcVersion()
    except (ImportError, RuntimeError) as error:
        raise GpuError(f"the compiler NVRTC is missing ({error}); pip install 'megasolve[gpu]' brings it, on Linux") from None
    return nvrtc
