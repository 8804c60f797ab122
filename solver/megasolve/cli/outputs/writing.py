"""Writing several files as one: all of them are there, or everything is as it was, also where the command is killed.

Everything is written beside its place: a file, or a folder with all that is in it already. Then the places are swapped, one by one, folders
before files, so that a spec comes to stand where its contracts already do.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path

from .swapping import Swap


def write_together(wanted: Mapping[Path, bytes], stale: Iterable[Path], accept: Callable[[], None]) -> None:
    """Write every file of *wanted* and remove those of *stale*; where anything fails, *accept* included, nothing has changed.

    Raises what writing or *accept* raises.
    """
    from megasolve.contracts.files.disk.whole_files import sweep

    every, gone = _tops(wanted), frozenset(path.absolute() for path in stale)
    for top in every:
        sweep(top)
    with ExitStack() as undone:
        swaps = [undone.enter_context(Swap(top, files, gone)) for top, files in every.items() if not _is_as_wanted(top, files)]
        for swap in sorted(swaps, key=lambda swap: not swap.is_folder):
            swap.put()
        accept()
        for swap in swaps:
            swap.keep()


def _tops(wanted: Mapping[Path, bytes]) -> dict[Path, dict[Path, bytes]]:
    """Return the files by what has to be put in place: each a file or a folder in the innermost folder of all that is there already."""
    if not wanted:
        return {}
    base = Path(os.path.commonpath([path.absolute().parent for path in wanted]))
    while not base.is_dir() and base != base.parent:
        base = base.parent
    tops: dict[Path, dict[Path, bytes]] = {}
    for path, content in wanted.items():
        first = path.absolute().relative_to(base).parts[0]
        tops.setdefault(base / first, {})[path.absolute()] = content
    return tops


def _is_as_wanted(top: Path, files: Mapping[Path, bytes]) -> bool:
    return files.keys() == {top} and top.is_file() and top.read_bytes() == files[top]
