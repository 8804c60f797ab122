"""Globs of a spec: which files of its project a pattern matches, in time linear in what lies there.

Hidden names and what is beside evidence match nothing, links are followed to where the project allows, and each folder is entered once
for each part of a pattern.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fnmatch import translate
from functools import lru_cache
from pathlib import Path

from .existence import is_folder
from .no_evidence import REFUSED_SAMPLES
from .project import Project, is_hidden

LONGEST_PATTERN, LONGEST_PART = 4096, 255
MOST_NAMES = 100_000
_MOST_TOGETHER = 3 * MOST_NAMES
_MOST_STEPS = 10 * MOST_NAMES
_ANY_DEPTH = "**"


class PatternRefused(Exception):
    """A pattern that is not followed, with the reason."""


class OutsideProject(PatternRefused):
    """A pattern that leads out of the project, or to something hidden."""


@dataclass(frozen=True, slots=True)
class Matched:
    """The *files* and *folders* that a pattern matches, by name, and the *links* to what lies outside, each with the reason."""

    files: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Folders:
    """What lies in folders: each is listed once for all patterns of a command, and not more than can be listed in a moment."""

    names: int = 0
    steps: int = 0
    names_before: int = 0
    _listed: dict[str, tuple[os.DirEntry[str], ...]] = field(default_factory=dict)

    def entries(self, folder: str) -> tuple[os.DirEntry[str], ...]:
        """Return what is not hidden in *folder*; nothing where it cannot be listed.

        Raises
        ------
        PatternRefused
            There were too many names.
        """
        if folder not in self._listed:
            self._listed[folder] = tuple(self._listing(folder))
        entries = self._listed[folder]
        # To look a folder up costs as much as it is deep.
        self.steps += 1 + len(entries) + folder.count("/")
        self._limit()
        return entries

    def _listing(self, folder: str) -> Iterator[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as listing:
                for entry in listing:
                    self.names += 1
                    self._limit()
                    if not is_hidden(entry.name) and entry.name != REFUSED_SAMPLES:
                        yield entry
        except OSError:
            return

    def _limit(self) -> None:
        # One pattern that is too wide leaves something for the others, but many of them do not.
        of_this = self.names - self.names_before
        if of_this > MOST_NAMES or self.names > _MOST_TOGETHER or self.steps > _MOST_STEPS:
            raise PatternRefused(f"looks at more than {MOST_NAMES:,} names; name the folders that hold the files")


def has_magic(pattern: str) -> bool:
    """Whether *pattern* may match several names."""
    return glob.has_magic(pattern)


def matching(pattern: str, project: Project, folder: str, folders: Folders) -> Matched:
    """Return what *pattern* matches in *project*, each by its path behind *folder*, which is how a person names the project's own.

    Raises
    ------
    PatternRefused
        It is too long, goes up behind a wildcard, or looks at too many names.
    OutsideProject
        It leads out of the project, or names something hidden.
    """
    folders.names_before = folders.names
    parts = [part for part in Path(pattern).parts if part != "."]
    if len(pattern) > LONGEST_PATTERN or any(len(part) > LONGEST_PART for part in parts) or "\0" in pattern:
        raise PatternRefused(f"cannot be a path: at most {LONGEST_PATTERN:,} characters, {LONGEST_PART} from / to /, and no null character")
    plain = next((index for index, part in enumerate(parts) if has_magic(part)), len(parts))
    beginning, rest = parts[:plain], _simplified(parts[plain:])
    if ".." in rest:
        raise PatternRefused("goes up behind a wildcard; name the folder without going through others")
    if any(map(is_hidden, rest)):
        raise OutsideProject("is hidden")
    if because := project.why_not(str(Path(*beginning))):
        raise OutsideProject(because)
    base = str(Path(folder, *beginning))
    return _sorted(_Walk(project, folders).below(base, rest) if rest else _there(base))


def _simplified(parts: list[str]) -> list[str]:
    """Return *parts* with one `**` for several in a row; a last one means every file below."""
    kept = [part for index, part in enumerate(parts) if part != _ANY_DEPTH or parts[index - 1 : index] != [_ANY_DEPTH]]
    return [*kept, "*"] if kept[-1:] == [_ANY_DEPTH] else kept


def _there(path: str) -> Iterator[tuple[str, bool, str | None]]:
    if os.path.lexists(path):
        yield path, is_folder(path), None


def _sorted(found: Iterator[tuple[str, bool, str | None]]) -> Matched:
    every = sorted(found)
    return Matched(
        tuple(path for path, is_folder, because in every if not is_folder and because is None),
        tuple(path for path, is_folder, because in every if is_folder and because is None),
        tuple((path, because) for path, _, because in every if because is not None),
    )


class _Walk:
    """One walk through folders, part by part of a pattern."""

    def __init__(self, project: Project, folders: Folders) -> None:
        self._project = project
        self._folders = folders
        self._entered: set[tuple[int, int, int]] = set()

    def below(self, base: str, parts: list[str]) -> Iterator[tuple[str, bool, str | None]]:
        """Yield each path that *parts* match below *base*: whether it is a folder, and why it is not to be read."""
        waiting = [(base, 0)]
        while waiting:
            folder, index = waiting.pop()
            if not self._enters(folder, index):
                continue
            part, is_last = parts[index], index + 1 == len(parts)
            if part == _ANY_DEPTH:
                waiting.append((folder, index + 1))
                waiting += [(path, index) for path, entry in self._matched(folder, "*") if entry.is_dir(follow_symlinks=False)]
            elif is_last:
                yield from ((path, is_folder(entry), self._why_not(path, entry)) for path, entry in self._matched(folder, part))
            else:
                waiting += [(path, index + 1) for path, entry in self._matched(folder, part) if self._may_enter(path, entry)]

    def _enters(self, folder: str, index: int) -> bool:
        """Whether *folder* was not entered before for the part at *index*: links may lead round in circles."""
        try:
            status = Path(folder).stat()
        except (OSError, ValueError):
            return False
        state = (status.st_dev, status.st_ino, index)
        is_new = state not in self._entered
        self._entered.add(state)
        return is_new

    def _matched(self, folder: str, part: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
        matches = _matcher(part)
        before = "" if folder == "." else f"{folder.rstrip('/')}/"
        return ((before + entry.name, entry) for entry in self._folders.entries(folder) if matches(entry.name))

    def _may_enter(self, path: str, entry: os.DirEntry[str]) -> bool:
        return is_folder(entry) and self._why_not(path, entry) is None

    def _why_not(self, path: str, entry: os.DirEntry[str]) -> str | None:
        return self._project.why_not_at(path) if entry.is_symlink() else None


@lru_cache(maxsize=1024)
def _matcher(part: str) -> Callable[[str], object]:
    return re.compile(translate(part)).match
