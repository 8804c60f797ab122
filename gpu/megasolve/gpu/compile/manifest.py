"""The manifest of the kernel sources: one hash for all that a kernel is compiled from, so that an old timing is known to be old.

A line per file in the format of `sha256sum`, under the name in its `#include`; the generated header is one of them. Contracts name the
manifest as their source, whose own hash stands in `sources.sha256` beside it. `python -m megasolve.gpu.compile.resource_table SPEC` writes
both beside the resource table.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from megasolve.contracts.files.listed_sources import MANIFEST as SOURCES

from .kernels_source import kernel_sources

MANIFEST = "kernels.sha256"


def manifest_text() -> str:
    """Return the manifest of the kernel sources as they are now."""
    return listed(kernel_sources())


def manifests() -> dict[str, str]:
    """Return the texts of the files that stand beside contracts: the manifest and, with its hash for all of them, the list of sources."""
    return {MANIFEST: manifest_text(), SOURCES: listed({MANIFEST: manifest_text()})}


def listed(texts: Mapping[str, str]) -> str:
    """Return a line for each of *texts*, by name."""
    # By name, so that the hash does not depend on the order of a folder.
    return "".join(f"{_sha256(text)}  {name}\n" for name, text in sorted(texts.items()))


def sources_sha256() -> str:
    """Return the hash of the manifest, which contracts, tables and records state as the hash of their source."""
    return _sha256(manifest_text())


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
