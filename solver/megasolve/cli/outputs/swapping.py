"""Swapping what stands at a place for what was written beside it, and back."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TypeVar

_Self = TypeVar("_Self", bound="Swap")

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


class Swap:
    """A file or a folder written beside *top*, with *files* in it and without those of *stale*; what else is in the folder is kept.

    Inside the block it is put in place; unless it is kept there, leaving the block puts back what stood there.
    """

    def __init__(self, top: Path, files: Mapping[Path, bytes], stale: Collection[Path]) -> None:
        from megasolve.contracts.files.disk.whole_files import Part

        self.is_folder = set(files) != {top}
        self._top = Path(os.path.realpath(top))
        self._refuse_other_kind()
        self._was_there = self._top.exists()
        self._is_put = self._is_kept = False
        self._known: set[Path] = set()
        self._part = Part(self._top, is_folder=self.is_folder)
        try:
            self._fill({path.relative_to(top): content for path, content in files.items()}, stale, top)
        except OSError as error:
            self._drop()
            # By a name that the person knows, not by that of what is written beside.
            raise OSError(error.errno, error.strerror or str(error), str(top)) from None
        except BaseException:
            self._drop()
            raise

    def put(self) -> None:
        """Let what was written stand in its place, in one step."""
        if self._was_there:
            _exchange(self._part.path, self._top)
        else:
            self._part.path.rename(self._top)
        self._is_put = True

    def keep(self) -> None:
        """Let it stay there. What others put into the folder since it was copied is taken along."""
        self._is_kept = True
        if self.is_folder and self._was_there:
            for path in sorted(set(_inside(self._part.path)) - self._known):
                if os.path.lexists(self._top / path):
                    continue
                (self._top / path).parent.mkdir(parents=True, exist_ok=True)
                (self._part.path / path).rename(self._top / path)

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._is_put and not self._is_kept:
            with suppress(OSError):
                self._take_back()
        self._drop()

    def _take_back(self) -> None:
        if self._was_there:
            _exchange(self._part.path, self._top)
        else:
            self._top.rename(self._part.path)

    def _drop(self) -> None:
        self._part.discard()
        self._part.close()

    def _refuse_other_kind(self) -> None:
        if self.is_folder and self._top.exists() and not self._top.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(self._top))
        if not self.is_folder and self._top.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(self._top))

    def _fill(self, files: Mapping[Path, bytes], stale: Collection[Path], top: Path) -> None:
        if not self.is_folder:
            (content,) = files.values()
            self._part.write(content)
            return
        if self._was_there:
            shutil.copystat(self._top, self._part.path)
            self._known = set(_inside(self._top))
            for path in sorted(self._known):
                if path not in files and top / path not in stale:
                    _copy(self._top / path, self._part.path / path)
        for path, content in files.items():
            if (self._top / path).is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            written = self._part.path / path
            written.parent.mkdir(parents=True, exist_ok=True)
            written.write_bytes(content)
            if (self._top / path).is_file():
                shutil.copymode(self._top / path, written)


def _inside(folder: Path) -> Iterator[Path]:
    """Yield every file, link and empty folder below *folder*, by its path from there."""
    for above, folders, names in os.walk(folder, onerror=_raise):
        links = [name for name in folders if Path(above, name).is_symlink()]
        here = Path(above).relative_to(folder)
        yield from (here / name for name in (*names, *links))
        if not folders and not names and above != str(folder):
            yield here


def _raise(error: OSError) -> None:
    raise error


def _copy(source: Path, target: Path) -> None:
    """Let *target* be the same file as *source*, or where that cannot be, an equal one."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir() and not source.is_symlink():
        target.mkdir()
        return
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)


def _exchange(one: Path, other: Path) -> None:
    """Let each of two paths lead to what the other one leads to, in one step where the system can."""
    if sys.platform == "linux" and _exchanged(one, other):
        return
    aside = other.with_name(f"{one.name}.old")
    other.rename(aside)
    one.rename(other)
    aside.rename(one)


def _exchanged(one: Path, other: Path) -> bool:
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except AttributeError:
        return False
    return bool(rename(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0)
