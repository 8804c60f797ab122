"""Files of MPK: its task graphs, and tables of how long tasks and steps take. They are no profiles; `taskgraphs` reads them."""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import Enum

from ..text.csv_table import header_of
from ..text.source import ProfileSource

_GRAPH = re.compile(rb'\s*\{\s*"(?:all_events|all_tasks|first_tasks)"\s*:\s*(?:\[|null)')
_TIMES = frozenset({"task_type", "name"})
_COUNTS = re.compile(r"n_bs\d+", re.ASCII)
_STEPS = frozenset({"iter", "n_prefill", "n_decode", "iter_us"})

NOT_A_PROFILE = "is a {what} of MPK, not a profile: megasolve new STUDY.yaml --from it makes a study of its tasks"


class TaskFile(Enum):
    """What a file of MPK holds."""

    GRAPH = "task graph"
    TIMES = "table of task times"
    STEPS = "table of steps"


def task_file(source: ProfileSource) -> TaskFile | None:
    """Return what file of MPK *source* is, judged by how it begins; None where it is none."""
    head = source.head.removeprefix(b"\xef\xbb\xbf")
    if _GRAPH.match(head):
        return TaskFile.GRAPH
    first = head.partition(b"\n")[0].decode(errors="ignore")
    return task_table(header_of(first, 1).columns)


def task_table(columns: Collection[str]) -> TaskFile | None:
    """Return what table of MPK has *columns*, None where none has."""
    named = set(columns)
    if named >= _TIMES and any(map(_COUNTS.fullmatch, named)):
        return TaskFile.TIMES
    return TaskFile.STEPS if named >= _STEPS else None


def why_no_profile(what: TaskFile) -> str:
    """Return why a command that reads profiles refuses *what*."""
    return NOT_A_PROFILE.format(what=what.value)
