"""Globs on the names of annotations and kernels."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase


class Globs:
    """A few globs, asked about many names of which few differ. A name also matches itself, as kernel names are full of brackets."""

    def __init__(self, globs: Iterable[str]) -> None:
        self._globs = tuple(globs)
        self._answers: dict[str, bool] = {}

    def match(self, name: str) -> bool:
        """Whether one of the globs matches the whole of *name*, in its own case."""
        answer = self._answers.get(name)
        if answer is None:
            answer = self._answers[name] = any(glob == name or fnmatchcase(name, glob) for glob in self._globs)
        return answer
