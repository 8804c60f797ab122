"""Loads the compiled kernel, once in a process: from the user's cache where it is there and whole, else compiled anew and kept."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from megasolve.contracts.files.disk.cache_root import cache_root

from .folder import Unusable, digest_of, own_folder, read_code, write_code

SWITCH = "MEGASOLVE_COMPILED"
"""The environment variable that has tiles scheduled in Python (0), or everything compiled, however small (1)."""

FOLDER = "compiled"

BROKEN = (AttributeError, OSError, RuntimeError, SystemError)
"""What a compiler raises that is there, but does not work here."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The compiled kernel, if there is one, and in one line what went wrong on the way to it, if anything did."""

    run: Callable[[Any], int] | None
    warning: str | None = None


def switch() -> str:
    """Return what the environment says of compiled code: `0`, `1` or nothing."""
    return os.environ.get(SWITCH, "").strip()


@cache
def loaded() -> Loaded:
    """Return the compiled kernel; without llvmlite there is none, and nothing is said of it."""
    try:
        return _loaded()
    except ImportError:
        return Loaded(None)
    except BROKEN as error:
        return Loaded(None, f"tiles are scheduled in Python, which is slower: they cannot be compiled here: {error}")


@cache
def is_kept() -> bool:
    """Return whether the compiled kernel lies in the user's cache, so that it is loaded in no time."""
    root = cache_root(os.environ)
    try:
        # A name that no file system takes raises here already.
        if root is None or not (root / FOLDER).is_dir():
            return False
        made_for = _digest()
        return read_code(_file(own_folder(root / FOLDER), made_for), made_for) is not None
    except (ImportError, Unusable, *BROKEN):
        return False


def _loaded() -> Loaded:
    from .code import CompiledRun, machine_code

    root = cache_root(os.environ)
    if root is None:
        return Loaded(CompiledRun(machine_code()), _unkept("there is no home folder; name one in MEGASOLVE_CACHE_DIR"))
    made_for = _digest()
    try:
        file = _file(own_folder(root / FOLDER), made_for)
    except Unusable as reason:
        return Loaded(CompiledRun(machine_code()), _unkept(str(reason)))
    if (code := read_code(file, made_for)) is not None:
        return Loaded(CompiledRun(code))
    warning = f"compiled code in {file} was damaged, and is made again" if file.exists() else None
    code = machine_code()
    try:
        write_code(file, made_for, code)
    except OSError as error:
        warning = _unkept(f"cannot write to {file}: {error.strerror or error}")
    return Loaded(CompiledRun(code), warning)


def _file(folder: Path, made_for: str) -> Path:
    return folder / f"{made_for[:32]}.o"


def _unkept(because: str) -> str:
    return f"compiled code is not kept, so each run compiles it: {because}"


def _digest() -> str:
    """Return a digest of all that decides the compiled code: its source as it lies there, the compiler, and the processor."""
    import llvmlite
    from llvmlite import binding

    room = Path(__file__).parents[1]
    sources = sorted(path for part in ("kernel", "compiled") for path in (room / part).glob("*.py"))
    versions = (sys.version, llvmlite.__version__, binding.get_process_triple())
    processor = (binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten())
    return digest_of([*versions, *processor, *(path.read_bytes() for path in sources)])
