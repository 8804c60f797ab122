"""A pool: tasks side by side, in processes that are started once they pay, for all that one command has to do."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from .cores import usable_cores
from .executor import Lost
from .turns import in_runs

if TYPE_CHECKING:
    from .crew import Crew

Task = TypeVar("Task")
Found = TypeVar("Found")

SECONDS_TO_START = {"fork": 0.25, "spawn": 4.0}
"""What starting processes costs, and a little more: those that are spawned load everything once more."""


class ProcessPool:
    """At most *jobs* tasks at a time, by default one for each core that may be used; *warn* is told in one line what went wrong.

    The first tasks are done in this process, and the time that they take says whether others pay for those that are left. Where a task
    takes those others along, the rest is done in this process, and so is all that comes later, unless somebody hears of lost tasks.
    """

    def __init__(self, jobs: int | None = None, *, warn: Callable[[str], None] | None = None) -> None:
        self.jobs = usable_cores() if jobs is None else jobs
        self._warn = warn
        self._crew: Crew | None = None
        self._is_alone = self.jobs < 2

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the processes that were started; from then on everything is done in this one."""
        self._is_alone = True
        if self._crew is not None:
            self._crew.dismiss()

    def run(
        self,
        work: Callable[[Task], Found],
        tasks: Sequence[Task],
        finished: Callable[[int, Found], None],
        kinds: Callable[[Task], Hashable] = type,
        prepare: Callable[[float], None] | None = None,
        *,
        lost: Lost | None = None,
    ) -> None:
        """Do *work* on every one of *tasks*, as every `Executor` does."""
        waiting = deque(number for run in in_runs(range(len(tasks)), lambda number: kinds(tasks[number])) for number in run)
        begun = time.perf_counter()
        while waiting and not self._pays(len(tasks) - len(waiting), len(waiting), time.perf_counter() - begun):
            number = waiting.popleft()
            finished(number, work(tasks[number]))
        if prepare and waiting and self._crew is None:
            prepare((time.perf_counter() - begun) / (len(tasks) - len(waiting)) * len(waiting))
        for number in self._left(work, {number: tasks[number] for number in waiting}, finished, kinds, lost):
            finished(number, work(tasks[number]))

    def _pays(self, done: int, left: int, seconds: float) -> bool:
        """Whether other processes would have done what is *left* so much sooner that starting them pays."""
        at_once = min(self.jobs, left)
        if self._is_alone or at_once < 2:
            return False
        if self._crew is not None:
            return True
        gain = seconds / done * left * (1 - 1 / at_once) if done else 0.0
        # What pays in no way of starting processes need not load what starts them.
        if gain <= min(SECONDS_TO_START.values()):
            return False
        from .crew import start_method

        return gain > SECONDS_TO_START[start_method()]

    def _left(
        self,
        work: Callable[[Task], Found],
        tasks: dict[int, Task],
        finished: Callable[[int, Found], None],
        kinds: Callable[[Task], Hashable],
        lost: Lost | None,
    ) -> Iterable[int]:
        """Do *tasks* in other processes, as far as those can, and return the numbers of those that are left."""
        if not tasks:
            return ()
        from .crew import Crew, CrewLost

        left = dict(tasks)

        def done(number: int, found: Found) -> None:
            del left[number]
            finished(number, found)

        def gone(number: int, fate: str) -> None:
            del left[number]
            if lost is not None:
                lost(number, fate)

        try:
            self._crew = self._crew or Crew(self._say)
            self._crew.grow(min(self.jobs, len(tasks)))
            self._crew.work_off(work, tasks, done, kinds, gone if lost is not None else None)
        except CrewLost as why:
            self.close()
            self._say(f"{why}; what is left is done in this process alone, which takes longer")
        except BaseException:
            # Nothing goes on behind the back of one who handles this.
            self.close()
            raise
        return left

    def _say(self, line: str) -> None:
        if self._warn:
            self._warn(line)
