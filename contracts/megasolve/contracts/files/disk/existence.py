"""What stands at a path that a person or a file names: a plain answer for every name, also for one that no file can have.

The questions of `pathlib` raise for a name that is too long and for a folder that may not be searched. Whoever then opens the path
hears why it cannot be used; whoever only asks needs no more than a no.
"""

from __future__ import annotations

import os


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether a regular file stands at *path*, as far as can be seen."""
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether a folder stands at *path*, as far as can be seen."""
    return os.path.isdir(path)  # noqa: PTH112


def is_there(path: str | os.PathLike[str]) -> bool:
    """Whether anything stands at *path*, as far as can be seen; a link counts as what it leads to."""
    return os.path.exists(path)  # noqa: PTH110


def names_in(folder: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the names in *folder*, sorted; none where there is no folder, or none that may be listed."""
    try:
        return tuple(sorted(os.listdir(folder)))  # noqa: PTH208
    except (OSError, ValueError):
        return ()
