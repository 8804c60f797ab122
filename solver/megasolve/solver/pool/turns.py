"""Whose turn is which task: those that are alike go to one process, as far as that keeps nobody waiting."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Generic, TypeVar

Task = TypeVar("Task")


def in_runs(numbers: Iterable[int], kind_of: Callable[[int], Hashable]) -> list[deque[int]]:
    """Return *numbers* in runs of those of one kind, which stand where the first of them did."""
    runs: dict[Hashable, deque[int]] = {}
    for number in numbers:
        runs.setdefault(kind_of(number), deque()).append(number)
    return [*runs.values()]


class TaskTurns(Generic[Task]):
    """The *tasks* that nobody has begun; two with equal *kinds* are alike."""

    def __init__(self, tasks: Mapping[int, Task], kinds: Callable[[Task], Hashable]) -> None:
        self._tasks = tasks
        self._untouched = deque(in_runs(tasks, lambda number: kinds(tasks[number])))
        self._begun: dict[Hashable, deque[int]] = {}
        self._again = deque[int]()
        self.left = len(tasks)

    def take(self, worker: Hashable) -> tuple[int, Task]:
        """Take the number of a task and the task, of which some are left: one like the last one of *worker*, if there is any."""
        run = self._begun.get(worker)
        if not run:
            # Whoever has nothing of its own helps where most is left.
            run = self._untouched.popleft() if self._untouched else max(self._begun.values(), key=len, default=self._again) or self._again
            self._begun[worker] = run
        self.left -= 1
        number = run.popleft()
        return number, self._tasks[number]

    def put_back(self, number: int) -> None:
        """Let the task of *number*, which was taken and not done, be taken after all that nobody has begun.

        What ended the first attempt may be none of its fault, such as a lack of memory, and has the longest time to pass.
        """
        self._again.append(number)
        self.left += 1
