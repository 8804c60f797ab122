"""A cache of cubins on disk, addressed by all that decides them. What is damaged is never trusted.

A file is one line of JSON and then the cubin. It is put in its place in one step, so that compilations beside each other, or one that was
interrupted, never leave half a cubin under a name that counts. Only files of this user in a folder of his alone are recalled. A disk that
is full or read-only, and a folder of somebody else, cost the caching and nothing else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from megasolve.contracts.files.disk.whole_files import Part, sweep

from .cache_folder import FolderNotOurs, cache_folder, own_content, private_folder
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
    # The compiler to the patch, as another one may give other bytes for the same sources and options.
    facts = [compiler_build(), name, options_of(architecture, defines, flags), sorted(sources.items())]
    key = hashlib.sha256(json.dumps(facts).encode()).hexdigest()
    path: Path | None = None
    with suppress(OSError, FolderNotOurs):
        # Both levels: whoever may write to one of them could put a kernel of his there.
        path = private_folder(private_folder(folder or cache_folder("cubins")) / key[:2]) / f"{key}.cubin"
    if path is not None and (kept := _recall(path, key)) is not None:
        return kept
    cubin = compile_cubin(name, sources, architecture, defines, flags)
    if path is not None:
        with suppress(OSError):
            _keep(path, key, cubin)
    return cubin


def _recall(path: Path, key: str) -> Cubin | None:
    """Return the cubin in *path*; None where there is none, or one that this user did not write whole for *key*."""
    head, _, image = (own_content(path) or b"").partition(b"\n")
    try:
        return _verified(json.loads(head), key, image)
    # Whatever is wrong with the head, the file counts as damaged and is written anew.
    except (ValueError, KeyError, TypeError, AttributeError):
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
    sweep(path)
    part = Part(path, mode=0o600)
    try:
        # Not synchronized: a cubin that a crash of the machine damages is known by its hash and compiled again.
        part.write(json.dumps(head).encode() + b"\n" + cubin.image, synchronized=False)
        part.put(synchronized=False)
    finally:
        part.discard()
        part.close()
