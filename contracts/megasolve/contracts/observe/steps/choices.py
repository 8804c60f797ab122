"""What a profile offers as steps where the user chose none; said, never taken."""

from __future__ import annotations

import re
from collections import Counter

from ...model.wording import counted
from ...profiles.execution import Span
from ...profiles.wording import listed
from ..timelines.timeline import Timeline
from .repeating import best_repetition, is_most

_NUMBERS = re.compile(r"\d+")


def step_choices(ran: Timeline) -> tuple[str, ...]:
    """Return sentences on the annotations and repetitions that hold at least half of what *ran* and could be its steps."""
    return (*_marks(ran), *_period(ran))


def _marks(ran: Timeline) -> list[str]:
    instances: dict[str, set[Span]] = {}
    launches: Counter[str] = Counter()
    for kernel in ran.kernels:
        for glob, span in {_glob(span.name): span for span in kernel.ranges}.items():
            instances.setdefault(glob, set()).add(span)
            launches[glob] += 1
    wide = [glob for glob, number in launches.most_common() if 2 * number >= len(ran.kernels) and len(instances[glob]) > 1]
    several = [f"marks:{glob} ({len(instances[glob])} instances)" for glob in wide]
    return [f"the whole profile counts as one step; its annotations offer others: {listed(several, at_most=4)}"] if several else []


def _period(ran: Timeline) -> list[str]:
    main, found, _ = best_repetition(ran)
    if found is None or not is_most(found, main):
        return []
    times = f"{len(found.starts)} times, every {counted(found.period, 'kernel')}"
    return [f"the whole profile counts as one step; its kernels repeat {times}: period:{found.period} if that is a step, and not a layer"]


def _glob(name: str) -> str:
    """Return a glob for *name* with any numbers; a bracket would open a set of characters."""
    return _NUMBERS.sub("*", name).replace("[", "?")
