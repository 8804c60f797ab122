"""A project: the folders that a spec may name files in, whoever wrote it.

A spec may come from a stranger, as those of a pull request do. What it names is read and quoted, so it must not lead anywhere else.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PurePath

from ...model.errors import MegasolveError

_MARK = ".git"


class OutsideRoot(MegasolveError):
    """A root that is asked for does not hold the file that names others below it, or is no folder."""


@dataclass(frozen=True, slots=True)
class Project:
    """Where names in a file of *folder* lead: to what lies below *root* and is not hidden. Both are real paths."""

    folder: str
    root: str

    def why_not(self, path: str) -> str | None:
        """Return why the file at *path*, relative to the folder, is not to be read; None where it may be, or is not there."""
        named = PurePath(path)
        if not named.is_absolute() and any(map(is_hidden, named.parts)):
            return "is hidden"
        return self.why_not_at(PurePath(self.folder, named))

    def why_not_at(self, path: str | os.PathLike[str]) -> str | None:
        """Return the same of a *path* as a command finds it, not as a file names it."""
        try:
            real = PurePath(os.path.realpath(path))
        except (OSError, ValueError):
            return "cannot be the path of a file"
        if not real.is_relative_to(self.root):
            return f"leads out of the project of the spec ({os.path.relpath(self.root)}); --root DIR widens it"
        # A spec may itself lie in a hidden folder: what counts is where its names lead from there.
        below = real.relative_to(os.path.commonpath([real, self.folder]))
        return "leads to a hidden file" if any(map(is_hidden, below.parts)) else None


def is_hidden(name: str) -> bool:
    """Whether *name*, one part of a path, is that of a hidden file or folder."""
    return name.startswith(".") and name != ".."


def project_of(file: str | os.PathLike[str], root: str | os.PathLike[str] | None = None) -> Project:
    """Return the project of the spec in *file*, as `project_in` does of its folder."""
    return project_in(Path(file).parent, root)


def project_in(folder: str | os.PathLike[str], root: str | os.PathLike[str] | None = None) -> Project:
    """Return the project of the files in *folder*: all below the nearest folder above them that holds `.git`, else below *folder* itself.

    *root* widens that.

    Raises
    ------
    OutsideRoot
        *folder* is not below *root*.
    """
    real = PurePath(os.path.realpath(folder))
    own = next((above for above in (real, *real.parents) if os.path.lexists(above / _MARK)), real)
    if root is not None:
        wide = PurePath(os.path.realpath(root))
        if not real.is_relative_to(wide) or not Path(wide).is_dir():
            raise OutsideRoot(f"the root {os.fspath(root)} is no folder that holds {os.fspath(folder)}")
        own = min(own, wide, key=lambda above: len(above.parts))
    return Project(str(real), str(own))
