"""A crew: the processes of a pool, each with a line to it, and the tasks that they are at."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Literal, TypeVar

from .turns import TaskTurns
from .worker import SIGNALS, serve

Task = TypeVar("Task")
Found = TypeVar("Found")
LEAST = 2
SECONDS_TO_DIE = 1
MOST_DEATHS = 2
"""So many processes may die at one task. A machine that lacks memory kills whoever has most of it, which is not always the task's fault."""


class CrewLost(Exception):
    """A task takes every process along, or there are none."""


class Crew:
    """Processes that wait for tasks. They end when they are dismissed, and with the process that started them, however that ends.

    *warn* is told of each way in which processes end too soon, once.
    """

    def __init__(self, warn: Callable[[str], None]) -> None:
        self._method = start_method()
        self._processes: dict[Connection, BaseProcess] = {}
        self._at: dict[Connection, int] = {}
        self._size = 0
        self._warn = warn
        self._told: set[str] = set()

    def grow(self, size: int) -> None:
        """Start processes until there are *size*, or as many as the system gives.

        Raises
        ------
        CrewLost
            It gives so few that this process alone does as well.
        """
        self._size = max(self._size, size)
        try:
            while len(self._processes) < size:
                self._start()
        except OSError as error:
            if len(self._processes) < min(LEAST, size):
                raise CrewLost(f"no further process can be started: {error.strerror or error}") from None

    def work_off(
        self,
        work: Callable[[Task], Found],
        tasks: Mapping[int, Task],
        finished: Callable[[int, Found], None],
        kinds: Callable[[Task], Hashable],
        lost: Callable[[int, str], None] | None = None,
    ) -> None:
        """Do *work* on *tasks*, and call *finished* with the number of each that could be done and what it gave; `TaskTurns` has *kinds*.

        A process that dies is replaced, and its task is done again. One that takes `MOST_DEATHS` of them along is told to *lost*.

        Raises
        ------
        CrewLost
            There is a task like that and nobody to tell, or no process is left.
        """
        turns = TaskTurns(tasks, kinds)
        deaths = Counter[int]()

        def died(line: Connection) -> None:
            number, fate = self._at.pop(line), self._buried(line)
            deaths[number] += 1
            if deaths[number] < MOST_DEATHS:
                self._say(f"{fate}; its task is done again")
                turns.put_back(number)
            elif lost is None:
                raise CrewLost(fate)
            else:
                lost(number, fate)
            self.grow(min(self._size, len(self._processes) + turns.left))

        while turns.left or self._at:
            for line in [line for line in self._processes if line not in self._at][: turns.left]:
                self._at[line], task = turns.take(line)
                try:
                    line.send((work, task))
                except OSError:
                    died(line)
            for line in self._answering():
                try:
                    is_done, found = line.recv()
                except (EOFError, OSError):
                    died(line)
                    continue
                number = self._at.pop(line)
                if is_done:
                    finished(number, found)

    def _say(self, line: str) -> None:
        if line not in self._told:
            self._told.add(line)
            self._warn(line)

    def dismiss(self) -> None:
        """End all processes where they stand: what they are at can be done again."""
        for line, process in self._processes.items():
            process.kill()
            line.close()
        for process in self._processes.values():
            process.join()
        self._processes.clear()
        self._at.clear()

    def _start(self) -> None:
        context = multiprocessing.get_context("fork") if self._method == "fork" else multiprocessing.get_context("spawn")
        own, other = context.Pipe()
        inherited = (*self._processes, own) if self._method == "fork" else ()
        process = context.Process(target=serve, args=(other, os.getpid(), inherited), daemon=True)
        try:
            with _uninterrupted(), warnings.catch_warnings():
                # Python 3.12 warns of every thread; those that are left are numpy's, which know of copies.
                warnings.simplefilter("ignore", DeprecationWarning)
                process.start()
                self._processes[own] = process
        finally:
            other.close()

    def _answering(self) -> list[Connection]:
        """Wait until a process has answered, or has died, and return the lines to all that have."""
        ready = {*wait([*self._at])}
        return [line for line in self._at if line in ready]

    def _buried(self, line: Connection) -> str:
        """Forget the process behind *line*, which is dead, and return how it ended."""
        process = self._processes.pop(line)
        line.close()
        process.join(SECONDS_TO_DIE)
        code = process.exitcode
        # It may be alive, with its end of the line closed.
        process.kill()
        if code is not None and -code in {*signal.Signals}:
            return f"a process that worked beside this one was killed by {signal.Signals(-code).name}"
        return f"a process that worked beside this one ended with exit code {code}"


def start_method() -> Literal["fork", "spawn"]:
    """Return how processes start: as copies of this one, with all that it has loaded, where that is safe.

    It is not beside threads, which are not copied, while the locks that they hold are, and not with the libraries of macOS.
    """
    return "fork" if sys.platform == "linux" and threading.active_count() == 1 else "spawn"


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let interrupts wait until a process that is being started is known here, and heeds its parent."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
