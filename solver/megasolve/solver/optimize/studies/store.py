"""A store of finished results: one file each, under the digest of everything that decides it, so that a run that ended goes on later.

A result is there whole or not at all, with a checksum; one that is damaged was never finished. Runs side by side may share a store.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from megasolve.contracts import MegasolveError
from megasolve.contracts.files.disk.cache_root import cache_root
from megasolve.contracts.files.disk.existence import is_file, names_in
from megasolve.contracts.files.disk.program import program_version
from megasolve.contracts.files.disk.whole_files import replace_file

from ...evidence.cache import entry_path

STORE_KIND, STORED_KIND = "store/v1", "stored/v1"
MARK = "megasolve-store.json"
_LONGEST_SHOWN = 40


class UnusableStore(MegasolveError):
    """A folder that holds something else, or results of another version; the message says which."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A finished result as it was written, whether it has a design, and whether something is wrong with the best one."""

    line: str
    is_feasible: bool
    has_findings: bool = False


class Store:
    """Finished results in *folder*, which is made where there is none.

    *warning* says in one line what could not be kept, and why; None while all is well.

    Raises
    ------
    UnusableStore
        The folder cannot be made or read, holds something else, or was written by another version.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.warning: str | None = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._claim()
        except OSError as error:
            raise UnusableStore(f"the store {self.folder} cannot be used: {error.strerror or error}") from None

    def recall(self, key: str) -> Stored | None:
        """Return what is kept under *key*; None where nothing is, or not as it was written."""
        try:
            head, _, line = entry_path(self.folder, key).read_bytes().partition(b"\n")
            about = json.loads(head)
        except (OSError, ValueError, RecursionError):
            return None
        expected = {"megasolve": STORED_KIND, "key": key, "sha256": sha256(line).hexdigest()}
        if not isinstance(about, dict) or expected.items() - about.items():
            return None
        said = [about.get(name) for name in ("feasible", "findings")]
        is_feasible, has_findings = (one is True for one in said)
        return Stored(line.decode(), is_feasible, has_findings) if all(isinstance(one, bool) for one in said) else None

    def keep(self, key: str, result: Stored) -> None:
        """Keep *result* under *key*; where that fails *warning* says so, and the run goes on."""
        line = result.line.encode()
        said = {"feasible": result.is_feasible, "findings": result.has_findings}
        head = {"megasolve": STORED_KIND, "key": key, "sha256": sha256(line).hexdigest(), **said}
        path = entry_path(self.folder, key)
        try:
            path.parent.mkdir(exist_ok=True)
            replace_file(path, json.dumps(head).encode() + b"\n" + line, synchronized=False)
        except OSError as error:
            self.warning = f"results are not kept: cannot write to {self.folder}: {error.strerror or error}"

    def _claim(self) -> None:
        """Make the folder a store of this version, or find that it is one."""
        mark = self.folder / MARK
        if not is_file(mark):
            if others := [name for name in names_in(self.folder) if not name.startswith(f".{MARK}.")]:
                raise UnusableStore(f"{self.folder} is no store: it holds {others[0]!r}; name a folder of its own with --store")
            replace_file(mark, json.dumps({"megasolve": STORE_KIND, "version": program_version()}).encode() + b"\n")
        written = _version_of(mark)
        if written != program_version():
            raise UnusableStore(
                f"the store {self.folder} was written by {written}, and this is {program_version()}; name another one with --store, "
                "or remove it"
            )


def default_store(environment: Mapping[str, str]) -> Path | None:
    """Return where results are kept by default: below the folder of the caches, apart for each version; None without a home."""
    root = cache_root(environment)
    return None if root is None else root / "results" / program_version()


def _version_of(mark: Path) -> str:
    try:
        about = json.loads(mark.read_bytes())
    except (ValueError, RecursionError):
        about = None
    kind = about.get("megasolve") if isinstance(about, dict) else None
    version = about.get("version") if isinstance(about, dict) else None
    if kind == STORE_KIND and isinstance(version, str):
        return version[:_LONGEST_SHOWN]
    return "another program" if not isinstance(kind, str) else f"a version whose stores are {kind[:_LONGEST_SHOWN]}"
