"""A cache of cubins on disk, addressed by all that decides them. What is damaged is never trusted.

A file is one line of JSON and then the cubin. It is put in its place in one step, so that compilations beside each other, or one that was
interrupted, never leave half a cubin under a name that counts. A disk that is full or read-only costs the caching and nothing else.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .cache_folder import cache_folder
from .compiler import Cubin, compile_cubin, compiler_build, options_of
from .resources import Resources

_KIND = "cubin/v1"


def compile_once(
    name: str,
    sources: Mapping[str, str],
    architecture: str,
    defines: Sequence[str] = (),
    flags: Sequence[str] = (),
    *,
    folder: Path | None = None,
) -> Cubin:
    """Compile as `compile_cubin` does, or recall what equal input was compiled to.

    Parameters
    ----------
    folder
        Where cubins are kept; by default $MEGASOLVE_CACHE_DIR, else `megasolve` in the user's folder for caches.

    Raises
    ------
    CompileFailed, GpuError
        As for `compile_cubin`.
    """
    facts = [compiler_build(), name, options_of(architecture, defines, flags), sorted(sources.items())]
    key = hashlib.sha256(json.dumps(facts).encode()).hexdigest()
    path = (folder or cache_folder("cubins")) / key[:2] / f"{key}.cubin"
    if (kept := _recall(path, key)) is not None:
        return kept
    cubin = compile_cubin(name, sources, architecture, defines, flags)
    with suppress(OSError):
        _keep(path, key, cubin)
    return cubin


def _recall(path: Path, key: str) -> Cubin | None:
    """Return the cubin in *path*; None where there is none, or one that was not written whole for *key*."""
    try:
        head, _, image = path.read_bytes().partition(b"\n")
        return _verified(json.loads(head), key, image)
    except (OSError, ValueError):
        return None


def _verified(head: Any, key: str, image: bytes) -> Cubin | None:
    if not isinstance(head, dict) or (head.get("megasolve"), head.get("key")) != (_KIND, key):
        return None
    resources = {symbol: Resources(**needed) for symbol, needed in head["resources"].items()}
    cubin = Cubin(image, head["architecture"], tuple(head["options"]), head["compiler"], resources)
    return cubin if cubin.sha256 == head["sha256"] else None


def _keep(path: Path, key: str, cubin: Cubin) -> None:
    head = {
        "megasolve": _KIND,
        "key": key,
        "sha256": cubin.sha256,
        "architecture": cubin.architecture,
        "options": cubin.options,
        "compiler": cubin.compiler,
        "resources": {symbol: asdict(needed) for symbol, needed in cubin.resources.items()},
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    # Others may write the same cubin at the same time, so each has a file of its own until it is whole.
    beside = path.with_name(f".{key}.{os.getpid()}.{os.urandom(4).hex()}.part")
    try:
        beside.write_bytes(json.dumps(head).encode() + b"\n" + cubin.image)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
