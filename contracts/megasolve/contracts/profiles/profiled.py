"""The profiles that a study is compared with: those that could be read, and what became of the others."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePath

from .._wording import KeyPath
from ..existence import is_folder
from .errors import ProfileRefused
from .execution import Execution, KernelShape
from .reading import read_profile


@dataclass(frozen=True)
class Profiled:
    """What ran, as far as profiles tell. *absent* has the patterns of a spec that match no file, *refused* why a file tells nothing.

    Both go by the path of the pattern in the spec.
    """

    executions: tuple[Execution, ...]
    absent: tuple[tuple[KeyPath, str], ...] = ()
    refused: tuple[tuple[KeyPath, ProfileRefused], ...] = ()

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

    def matching(self, patterns: Iterable[str], folder: str) -> Profiled:
        """Return the profiles that the *patterns* of a spec in *folder* match."""
        executions: dict[str, Execution] = {}
        absent: list[tuple[KeyPath, str]] = []
        refused: list[tuple[KeyPath, ProfileRefused]] = []
        for index, pattern in enumerate(patterns):
            files = _matches(pattern, folder)
            if not files:
                absent.append((("profiles", index), pattern))
            for file in files:
                outcome = self._execution(file)
                if isinstance(outcome, Execution):
                    executions.setdefault(os.path.realpath(file), outcome)
                else:
                    refused.append((("profiles", index), outcome))
        return Profiled(tuple(executions.values()), tuple(absent), tuple(refused))

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


def _matches(pattern: str, folder: str) -> list[str]:
    # The glob module, because patterns may be absolute and hidden files never match.
    found = (Path(folder, name) for name in sorted(glob.glob(pattern, root_dir=folder, recursive=True)))  # noqa: PTH207
    return [str(file) for file in found if not is_folder(file)]
