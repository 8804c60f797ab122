"""The hashes of sources that contracts leave to the manifest beside them: `sources.sha256`, a list as `sha256sum` writes it.

One list for many contracts, so that a kernel that changes is one line that changes. A hash in a contract counts alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from ..model.base import NotKnown
from ..model.contract import Contract, Source
from ..model.errors import UnreadableFile
from .disk.existence import is_file
from .disk.project import Project
from .documents import Document
from .text import read_text

MANIFEST = "sources.sha256"
_LINE = re.compile(r"(?P<sha256>[0-9a-f]{64}) [ *](?:\./)?(?P<name>.+)")


def with_listed_hashes(contracts: tuple[Document[Contract], ...], project: Project) -> tuple[Document[Contract], ...]:
    """Return *contracts* with the hashes of those sources that state none but are listed, as far as the lists lie in *project*."""
    listed = cache(lambda folder: _listed(folder, project))
    return tuple(_with_hash(one, listed(manifest_of(one))) if _lacks_hash(one) else one for one in contracts)


def manifest_of(contract: Document[Contract]) -> Path:
    """Return where the manifest for the source of *contract* lies, be there one or not."""
    source = contract.value.source
    return Path(contract.file).parent / Path("" if source is None else source.file).with_name(MANIFEST)


def is_listed(contract: Document[Contract]) -> bool:
    """Whether the hash of its source is one of the manifest, and not its own."""
    # What is not in the file stands where the value around it does.
    return contract.place(("source", "sha256")) == contract.place(("source",))


def _lacks_hash(contract: Document[Contract]) -> bool:
    try:
        source: Source | None = contract.value.source
        return source is not None and source.sha256 is None and bool(source.file)
    except NotKnown:
        return False


def _with_hash(contract: Document[Contract], listed: Mapping[str, str]) -> Document[Contract]:
    source = contract.value.source
    sha256 = None if source is None else listed.get(Path(source.file).name)
    if source is None or sha256 is None:
        return contract
    return replace(contract, value=contract.value.model_copy(update={"source": source.model_copy(update={"sha256": sha256})}))


def _listed(manifest: Path, project: Project) -> dict[str, str]:
    """Return the hashes in *manifest* by the names of files beside it; a name with two hashes has none."""
    if project.why_not_at(manifest) or not is_file(manifest):
        return {}
    try:
        found: dict[str, set[str]] = {}
        for name, sha256 in _lines(read_text(manifest)):
            found.setdefault(name, set()).add(sha256)
    except UnreadableFile:
        return {}
    return {name: min(hashes) for name, hashes in found.items() if len(hashes) == 1}


def _lines(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        if match := _LINE.fullmatch(line):
            yield match["name"], match["sha256"]
