"""Who does independent work: this process, others beside it, or a cluster. Whoever has tasks asks no more of them than this."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Protocol, TypeVar

Task = TypeVar("Task")
Found = TypeVar("Found")

Lost = Callable[[int, str], None]
"""Hears the number of a task that took every process which tried it along, and how the last of them ended."""


class Executor(Protocol):
    """Does tasks, at most so many at a time; what they give is the same whoever does them."""

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
        """Do *work*, a function of a module, on every one of *tasks*, and call *finished* with the number of each and what it gave.

        They finish in any order; those of which *kinds* says the same follow each other, so that they may share what *work* remembers.
        Before processes are started, which may be copies of this one, *prepare* is told how many seconds what is left would take here.
        A process that dies costs its task a second try; a task that takes a second process along is told to *lost* or, without it, is
        done in this process. Whatever *work* raises is raised here.
        """

    def close(self) -> None:
        """Let go of whoever helped; from then on everything is done in this process."""


def in_order(
    executor: Executor | None, work: Callable[[Task], Found], tasks: Sequence[Task], told: Callable[[int, int], None] | None = None
) -> list[Found]:
    """Return what *work* gives for each of *tasks*, in their order; *told* hears how many are done, of how many.

    Without an *executor* this process does them, one after the other.
    """
    found: dict[int, Found] = {}

    def finished(number: int, answer: Found) -> None:
        found[number] = answer
        if told:
            told(len(found), len(tasks))

    if told and tasks:
        told(0, len(tasks))
    if executor is not None:
        executor.run(work, tasks, finished)
    else:
        for number, task in enumerate(tasks):
            finished(number, work(task))
    return [found[number] for number in range(len(tasks))]
