"""From CUDA C++ to a cubin through NVRTC, on any machine: no GPU, driver or toolkit is needed.

The compiler is pinned to CUDA 13.0, because a newer one compiles for drivers that users may not have. Its version, the architecture and
the launch bounds change registers and spills, so all three belong to the context of a timing.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from ..errors import GpuError
from .resources import Resources, resources_in

# -v is always there: leaving it out changes the bytes of the cubin, and with them its hash.
_COMMON = ("--std=c++17", "--ptxas-options=-v")
_LOG_PLACE = re.compile(r"^(?P<file>[^\s(:]+)\((?P<line>\d+)\): (?P<what>(?:catastrophic )?error.*)$", re.MULTILINE)
_DISTRIBUTION = "nvidia-cuda-nvrtc"


class CompileFailed(GpuError):
    """A kernel does not compile; *log* is all that the compiler says, the message its first error with file and line."""

    def __init__(self, name: str, architecture: str, log: str) -> None:
        super().__init__(f"{name} does not compile for {architecture}: {_first_error(log)}")
        self.log = log


@dataclass(frozen=True, slots=True)
class Cubin:
    """One compiled program: its bytes, its options, the compiler, and what each kernel in it needs."""

    image: bytes
    architecture: str
    options: tuple[str, ...]
    compiler: str
    resources: Mapping[str, Resources]

    @property
    def sha256(self) -> str:
        """The hash of the bytes; equal input gives equal bytes."""
        return hashlib.sha256(self.image).hexdigest()


def options_of(architecture: str, defines: Sequence[str] = (), flags: Sequence[str] = ()) -> tuple[str, ...]:
    """Return all options of the compiler, in order: *defines* are macros, each as `NAME` or `NAME=VALUE`, *flags* further options."""
    macros = (f"--define-macro={define}" for define in defines)
    return (f"--gpu-architecture={architecture}", *_COMMON, *macros, *flags)


def compile_cubin(
    name: str, sources: Mapping[str, str], architecture: str, defines: Sequence[str] = (), flags: Sequence[str] = ()
) -> Cubin:
    """Compile the source *name* for *architecture*; every file that it includes is in *sources*, by the name in its `#include`.

    Raises
    ------
    CompileFailed
        With the compiler's log.
    GpuError
        NVRTC is not installed.
    """
    nvrtc = _nvrtc()
    options = options_of(architecture, defines, flags)
    headers = {header.encode(): text.encode() for header, text in sources.items() if header != name}
    source = sources[name].encode()
    program = _asked(nvrtc, nvrtc.nvrtcCreateProgram(source, name.encode(), len(headers), list(headers.values()), list(headers)))
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


def compiler_build() -> str:
    """Return the version of the compiler to the patch, which the compiler itself does not tell: that of its package, if there is one."""
    try:
        return f"{compiler_version()} ({_DISTRIBUTION} {metadata.version(_DISTRIBUTION)})"
    except metadata.PackageNotFoundError:
        return compiler_version()


def _compiled(nvrtc: Any, program: Any, name: str, architecture: str, options: tuple[str, ...]) -> Cubin:
    # Not by `_asked`: after a failure the log says more than the code, and it is there as well.
    code, *_ = nvrtc.nvrtcCompileProgram(program, len(options), [option.encode() for option in options])
    log = _text(nvrtc, program, nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog)
    if code != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise CompileFailed(name, architecture, log or code.name)
    # The bindings write into the bytes that they are handed, so there must be as many.
    image = b" " * _asked(nvrtc, nvrtc.nvrtcGetCUBINSize(program))
    _asked(nvrtc, nvrtc.nvrtcGetCUBIN(program, image))
    return Cubin(image, architecture, options, compiler_version(), resources_in(log))


def _text(nvrtc: Any, program: Any, size_of: Any, read: Any) -> str:
    buffer: bytes = b" " * _asked(nvrtc, size_of(program))
    _asked(nvrtc, read(program, buffer))
    # The size of a log counts the zero at its end.
    return buffer.rstrip(b"\0 ").decode("utf-8", "replace")


def _first_error(log: str) -> str:
    """Return the first error in *log* with its file and line; one of the assembler has no place in a source."""
    if place := _LOG_PLACE.search(log):
        return f"{place['file']}:{place['line']}: {place['what']}"
    lines = log.strip().splitlines()
    return next((line for line in lines if "error" in line), lines[0] if lines else "the compiler does not say why")


def _asked(nvrtc: Any, answer: tuple[Any, ...]) -> Any:
    """Return what a call of NVRTC gives, or raise what it refuses."""
    code, *values = answer
    if code != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise GpuError(f"NVRTC refuses: {code.name}")
    return values[0] if len(values) == 1 else tuple(values)


def _nvrtc() -> Any:
    try:
        from cuda.bindings import nvrtc

        # Asked at once: the bindings look for the library at their first call, not when they are imported.
        nvrtc.nvrtcVersion()
    except (ImportError, RuntimeError) as error:
        because = str(error).partition("\n")[0]
        raise GpuError(f"the compiler NVRTC is missing ({because}); pip install 'megasolve[gpu]' brings it, on Linux") from None
    return nvrtc
