"""The inside of a process of the pool: one task after the other, until nobody asks any more."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import TypeVar

Task = TypeVar("Task")
Found = TypeVar("Found")

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
_PR_SET_PDEATHSIG = 1


def serve(asking: Connection, parent: int, others: Sequence[Connection]) -> None:
    """Answer what comes through *asking*: whether a task was done, and what it gave.

    *others* are ends of the *parent* that a fork has left here: while they are open, nobody can tell that the parent is gone.
    """
    _heed_the_parent_alone(parent)
    for other in others:
        other.close()
    # Without a parent there is nobody to tell.
    with suppress(EOFError, OSError):
        while True:
            asking.send(answer(*asking.recv()))


def answer(work: Callable[[Task], Found], task: Task) -> tuple[bool, Found | None]:
    """Return whether *task* was done, and what it gave."""
    try:
        return True, work(task)
    except Exception:  # noqa: BLE001 - whatever it is, it happens again where it was asked for, and is told there
        return False, None


def _heed_the_parent_alone(parent: int) -> None:
    """Leave interrupts, which a terminal sends to all, to the parent, and end with it, also in the midst of a task."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for signum in SIGNALS[1:]:
        signal.signal(signum, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)
