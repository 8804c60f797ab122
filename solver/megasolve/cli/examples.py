"""The examples that come with megasolve: each spec with every file that it needs to be solved by itself."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from megasolve.contracts import Study


@dataclass(frozen=True, slots=True)
class Example:
    """A shipped spec; its *name* is its path below the shipped specs, without the suffix."""

    name: str
    title: str
    path: Path

    @property
    def spec_name(self) -> str:
        """The name of the copied spec file."""
        return self.path.name

    @property
    def files(self) -> Mapping[Path, Path]:
        """Where each file of a copy comes from, by its path in the copy."""
        from megasolve.contracts import load_spec

        study = load_spec(self.path)
        return dict(_files(study, self.path.parent))


def shipped_examples() -> tuple[Example, ...]:
    """Return the shipped specs, by name."""
    from megasolve.contracts import shipped_specs

    root = shipped_specs()
    return tuple(_examples(root))


def _examples(root: Path) -> Iterator[Example]:
    from megasolve.contracts import Spec, read_document

    for path in sorted((*root.glob("*.yaml"), *root.glob("published/*.yaml"))):
        document, _ = read_document(path)
        if document is not None and isinstance(document.value, Spec):
            name = path.relative_to(root).with_suffix("").as_posix()
            yield Example(name, document.value.title or "", path)


def _files(study: Study, folder: Path) -> Iterator[tuple[Path, Path]]:
    for document in (study.spec, *study.all_contracts, *study.records, *study.compiled, *study.measured):
        yield Path(document.file).relative_to(folder), Path(document.file)
    for source in _sources(study):
        yield source.relative_to(folder), source
    for device in (study.device, *study.other_devices):
        yield Path("devices", Path(device.file).name), Path(device.file)
    about = Path(study.spec.file).with_suffix("") / "README.md"
    if about.is_file():
        yield about.relative_to(folder), about


def _sources(study: Study) -> Iterator[Path]:
    """Yield each file that a contract names as its source, and the manifest beside it, that lies there."""
    from megasolve.contracts.files.listed_sources import manifest_of

    contracts = [contract for contract in study.all_contracts if contract.value.source]
    named = (Path(contract.file).parent / contract.value.source.file for contract in contracts if contract.value.source)
    for source in dict.fromkeys(Path(os.path.normpath(file)) for file in (*named, *map(manifest_of, contracts))):
        if source.is_file():
            yield source
