"""Loads the compiled kernel, once in a process: from the user's cache where it is there and whole, else compiled anew and kept."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

from megasolve.contracts.files.disk.cache_root import cache_root

from .folder import Unusable, digest_of, is_whole, own_folder, publish, seal

SWITCH = "MEGASOLVE_NUMBA"
"""The environment variable that has tiles scheduled in Python (0), or everything compiled, however small (1)."""

FOLDER = "compiled"


@dataclass(frozen=True, slots=True)
class Loaded:
    """The compiled kernel, if there is one, and in one line what went wrong on the way to it, if anything did."""

    run: Callable[..., int] | None
    problem: str | None = None


def switch() -> str:
    """Return what the environment says of compiled code: `0`, `1` or nothing."""
    return os.environ.get(SWITCH, "").strip()


@cache
def loaded() -> Loaded:
    """Return the compiled kernel; without numba there is none, and nothing is said of it."""
    try:
        import numba
    except ImportError:
        return Loaded(None)
    except (AttributeError, OSError, RuntimeError, SystemError) as error:
        return Loaded(None, f"tiles are scheduled in Python, which is slower: numba does not load: {error}")
    root = cache_root(os.environ)
    if root is None:
        return _uncached(numba, "there is no home folder; name one in MEGASOLVE_CACHE_DIR")
    try:
        return _cached(numba, own_folder(root / FOLDER))
    except Unusable as reason:
        return _uncached(numba, str(reason))
    except OSError as error:
        return _uncached(numba, f"cannot write below {root}: {error.strerror or error}")


@cache
def is_kept() -> bool:
    """Return whether the compiled kernel lies in the user's cache, so that it is loaded in no time."""
    root = cache_root(os.environ)
    try:
        # A name that no file system takes raises here already.
        if root is None or not (root / FOLDER).is_dir():
            return False
        import numba

        return is_whole(root / FOLDER / _digest(numba)[:32])
    except (ImportError, AttributeError, OSError, RuntimeError, SystemError):
        return False


def _uncached(numba: ModuleType, because: str) -> Loaded:
    from .code import compiled_run

    return Loaded(compiled_run(numba, is_cached=False, is_kept=False), f"compiled code is not kept, so each run compiles it: {because}")


def _cached(numba: ModuleType, root: Path) -> Loaded:
    from .code import compiled_run

    folder = root / _digest(numba)[:32]
    if is_whole(folder):
        with _cache_in(numba, folder):
            return Loaded(compiled_run(numba, is_cached=True, is_kept=True))
    problem = f"compiled code in {folder} was damaged, and is made again" if folder.exists() else None
    made = Path(tempfile.mkdtemp(prefix=".", dir=root))
    try:
        with _cache_in(numba, made):
            run = compiled_run(numba, is_cached=False, is_kept=True)
        seal(made)
        publish(made, folder)
    except OSError:
        shutil.rmtree(made, ignore_errors=True)
        raise
    return Loaded(run, problem)


@contextmanager
def _cache_in(numba: ModuleType, folder: Path) -> Iterator[None]:
    """Let numba keep compiled code in *folder* for now."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


def _digest(numba: ModuleType) -> str:
    """Return a digest of all that decides the compiled code: its source as it lies there, the compilers, and the processor."""
    import llvmlite
    import numpy as np
    from llvmlite import binding

    room = Path(__file__).parents[1]
    sources = sorted(path for part in ("kernel", "compiled") for path in (room / part).glob("*.py"))
    versions = (sys.version, numba.__version__, llvmlite.__version__, np.__version__)
    processor = (binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten())
    places = (f"{path} {path.stat().st_mtime_ns}" for path in sources)
    return digest_of([*versions, *processor, *places, *(path.read_bytes() for path in sources)])
