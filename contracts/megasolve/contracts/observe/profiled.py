"""The profiles that a study is compared with: those that could be read, and what became of the others."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePath

from ..files.disk.globs import Folders, OutsideProject, PatternRefused, matching
from ..files.study import Study
from ..model.wording import KeyPath
from ..profiles.errors import ProfileRefused
from ..profiles.execution import Execution, KernelShape
from ..profiles.reading import read_profile


@dataclass(frozen=True)
class Profiled:
    """What ran, as far as profiles tell.

    *absent* has the patterns of a spec that match no file, *refused* why a file tells nothing, *unfollowed* why a pattern was not followed.
    All go by the path of the pattern in the spec.
    """

    executions: tuple[Execution, ...]
    absent: tuple[tuple[KeyPath, str], ...] = ()
    refused: tuple[tuple[KeyPath, ProfileRefused], ...] = ()
    unfollowed: tuple[tuple[KeyPath, str, PatternRefused], ...] = ()

    @cached_property
    def launches(self) -> Mapping[KernelShape, int]:
        """How often each shape was launched, in all profiles together.

        Kernels that were profiled one by one count only where nothing else is there: they may be of any run.
        """
        counts: Counter[KernelShape] = Counter()
        ran = [execution for execution in self.executions if not execution.is_profiled]
        for execution in ran or self.executions:
            counts.update(kernel.shape for kernel in execution.kernels)
            for summary in execution.summaries:
                counts[summary.shape] += summary.instances
        return counts

    @property
    def files(self) -> tuple[str, ...]:
        """The files that were read, usable or not."""
        return (*(execution.file for execution in self.executions), *(refused.path for _, refused in self.refused))

    @property
    def names(self) -> str:
        """The names of the files, without their folders."""
        return ", ".join(dict.fromkeys(PurePath(execution.file).name for execution in self.executions))


class ProfileShelf:
    """Reads each profile once, however many specs name it."""

    def __init__(self) -> None:
        self._read: dict[str, Execution | ProfileRefused] = {}

    def named(self, files: Iterable[str]) -> Profiled:
        """Return the profiles in *files*.

        Raises
        ------
        ProfileRefused
            One of them cannot be used.
        """
        found = [self._execution(file) for file in files]
        for outcome in found:
            if isinstance(outcome, ProfileRefused):
                raise outcome
        return Profiled(tuple(outcome for outcome in found if isinstance(outcome, Execution)))

    def matching(self, study: Study, folders: Folders) -> Profiled:
        """Return the profiles that the patterns of *study* match; *folders* are those that were looked into before."""
        executions: dict[str, Execution] = {}
        absent: list[tuple[KeyPath, str]] = []
        refused: list[tuple[KeyPath, ProfileRefused]] = []
        unfollowed: list[tuple[KeyPath, str, PatternRefused]] = []
        for index, pattern in enumerate(study.spec.value.profiles):
            path = ("profiles", index)
            try:
                files = _matches(pattern, study, folders)
            except PatternRefused as error:
                unfollowed.append((path, pattern, error))
                continue
            if not files:
                absent.append((path, pattern))
            for file in files:
                outcome = self._execution(file)
                if isinstance(outcome, Execution):
                    executions.setdefault(os.path.realpath(file), outcome)
                else:
                    refused.append((path, outcome))
        return Profiled(tuple(executions.values()), tuple(absent), tuple(refused), tuple(unfollowed))

    def _execution(self, file: str) -> Execution | ProfileRefused:
        identity = os.path.realpath(file)
        if identity not in self._read:
            self._read[identity] = _read(file)
        return self._read[identity]


def _read(file: str) -> Execution | ProfileRefused:
    try:
        execution = read_profile(file)
    except ProfileRefused as refused:
        return refused
    if not execution.kernels and not execution.summaries:
        what = "hides its kernels in graph replays; record it with --cuda-graph-trace=node" if execution.replays else "shows no kernel"
        return ProfileRefused(file, what)
    return execution


def _matches(pattern: str, study: Study, folders: Folders) -> tuple[str, ...]:
    matched = matching(pattern, study.project, str(Path(study.spec.file).parent), folders)
    if matched.links:
        link, because = matched.links[0]
        raise OutsideProject(f"matches {link}, which {because}")
    return matched.files
