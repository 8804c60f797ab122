"""The CPU twins of what a GPU runs: kernels, the fiber runtime and the stand-in driver, built with g++ once for equal input.

A built library lies in the cache under a name that holds the hash of its sources, of the compiler and of its flags. It is put there in
one step, so that builds beside each other are safe and an interrupted one leaves nothing that counts. Behind what the loader reads
stands the hash of what was built: a library that is another one, or that somebody else wrote, is built again and never loaded.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.resources
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from megasolve.contracts.files.disk.whole_files import Part, sweep

from ..compile.cache_folder import cache_folder, own_content, private_folder
from ..errors import GpuError

RUNTIME_HEADER = "host/runtime.h"
RUNTIME_SOURCE = "host/runtime_library.cpp"
STAND_IN_SOURCE = "host/driver_library.cpp"
_SEAL = b"\nmegasolve sha256 "
_FLAGS = ("-std=c++17", "-O2", "-fPIC", "-shared", "-Wall", "-Wno-unknown-pragmas", "-DMS_HOST", "-x", "c++")


class HostCompilerMissing(GpuError):
    """There is no C++ compiler, or no Linux, so no kernel runs on the CPU."""

    def __init__(self) -> None:
        named = os.environ.get("CXX")
        super().__init__(
            "running kernels on the CPU needs a C++ compiler, on Linux: install g++ (Debian, Ubuntu: apt-get install g++), or set CXX"
            + (f", which is '{named}' and names no program" if named else "")
        )


class HostBuildFailed(GpuError):
    """The C++ compiler refuses a source; *log* is all that it says, the message its first error with file and line."""

    def __init__(self, source: str, log: str) -> None:
        first = next((line for line in log.splitlines() if "error" in line), log.strip().partition("\n")[0])
        super().__init__(f"{source} does not compile for the CPU: {first}")
        self.log = log


def host_compiler() -> str | None:
    """Return the path of the C++ compiler, $CXX before g++; None where there is none, or no Linux for what it would build."""
    return shutil.which(os.environ.get("CXX") or "g++") if sys.platform == "linux" else None


def build_runtime(cache: Path | None = None) -> Path:
    """Return the library of the fiber runtime. There is one in a process, and never an instrumented one."""
    return _built(RUNTIME_SOURCE, _host_sources(), (), cache)


def build_stand_in(cache: Path | None = None) -> Path:
    """Return a folder with the stand-in driver as `libcuda.so.1`, for the search path of a child process."""
    runtime = build_runtime(cache)
    library = _built(STAND_IN_SOURCE, _host_sources(), ("-O1", str(runtime), "-Wl,-rpath,$ORIGIN/..", "-ldl"), cache)
    folder = private_folder(library.with_suffix(""))
    _link(folder / "libcuda.so.1", library)
    return folder


def build_kernels(
    name: str, sources: Mapping[str, str], *, defines: Sequence[str] = (), sanitizer: bool = False, cache: Path | None = None
) -> Path:
    """Return a library with the kernels of the source *name* for the CPU.

    Parameters
    ----------
    sources
        The texts of *name* and of what it includes, by the names in the `#include`s; `runtime.h` is there anyway.
    defines
        Macros, each as `NAME` or `NAME=VALUE`.
    sanitizer
        Whether ThreadSanitizer watches every access to memory. The process that loads the library must then have been started under
        `sanitizer.run_watched`.
    cache
        Where libraries are kept; by default `cache_folder("host")`.

    Raises
    ------
    HostCompilerMissing, HostBuildFailed
    """
    watched = ("-fsanitize=thread", "-g1") if sanitizer else ()
    flags = (*watched, *(f"-D{define}" for define in defines), str(build_runtime(cache)), "-Wl,-rpath,$ORIGIN")
    return _built(name, {**sources, RUNTIME_HEADER: _host_sources()[RUNTIME_HEADER]}, flags, cache)


def _host_sources() -> dict[str, str]:
    folder = importlib.resources.files(__package__).joinpath("host")
    return {f"host/{file.name}": file.read_text(encoding="utf-8") for file in folder.iterdir() if file.name.endswith((".cpp", ".h"))}


def _built(source: str, sources: Mapping[str, str], flags: Sequence[str], cache: Path | None) -> Path:
    compiler = host_compiler()
    if compiler is None:
        raise HostCompilerMissing
    folder = cache or cache_folder("host")
    stem = source.rpartition("/")[2].partition(".")[0]
    library = folder / f"{stem}-{_digest(compiler, source, sources, flags)}.so"
    try:
        private_folder(folder)
        if not _is_sealed(library):
            _build(compiler, source, sources, flags, library)
    except OSError as error:
        raise GpuError(f"{folder} cannot hold libraries ({error.strerror}): set MEGASOLVE_CACHE_DIR to a folder that can") from error
    return library


def _build(compiler: str, source: str, sources: Mapping[str, str], flags: Sequence[str], library: Path) -> None:
    sweep(library)
    part = Part(library, is_folder=True)
    try:
        made = _made(compiler, source, sources, (*flags, f"-Wl,-soname,{library.name}"), part.path)
        made.write_bytes(_sealed(made.read_bytes(), library.name))
        # Whatever the mask of this process is: what others may write to is not loaded.
        made.chmod(0o700)
        made.replace(library)
    finally:
        part.discard()
        part.close()


def _made(compiler: str, source: str, sources: Mapping[str, str], flags: Sequence[str], scratch: Path) -> Path:
    for name, text in sources.items():
        path = scratch / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    made = scratch / "made.so"
    # Libraries stand behind the source that needs them, and -x none makes them libraries again.
    inputs = [source, "-x", "none", *flags]
    # The name of the scratch folder must not reach the library: equal input gives equal bytes.
    command = [compiler, *_FLAGS, *inputs, "-I.", "-Ihost", f"-ffile-prefix-map={scratch}=."]
    run = subprocess.run([*command, "-o", str(made)], cwd=scratch, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise HostBuildFailed(source, run.stderr)
    return made


def _sealed(content: bytes, name: str) -> bytes:
    """Return *content* with a line behind it that only this content of the library *name* has; the loader reads no further than it must."""
    return content + _SEAL + hashlib.sha256(name.encode() + b"\0" + content).hexdigest().encode() + b"\n"


def _is_sealed(library: Path) -> bool:
    kept = own_content(library) or b""
    content, seal, _ = kept.rpartition(_SEAL)
    return bool(seal) and kept == _sealed(content, library.name)


def _digest(compiler: str, source: str, sources: Mapping[str, str], flags: Sequence[str]) -> str:
    told = hashlib.sha256()
    for part in (_version(compiler), source, *_FLAGS, *flags, *(text for named in sorted(sources.items()) for text in named)):
        told.update(part.encode() + b"\0")
    return told.hexdigest()[:24]


@functools.cache
def _version(compiler: str) -> str:
    run = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise GpuError(f"{compiler} --version fails (exit code {run.returncode}), so it is no C++ compiler; set CXX to g++ or another one")
    return run.stdout


def _link(link: Path, library: Path) -> None:
    target = Path("..", library.name)
    if link.is_symlink() and link.readlink() == target:
        return
    fresh = link.with_name(f"{link.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(target)
    # In one step: another process may be about to load through the link.
    fresh.replace(link)
