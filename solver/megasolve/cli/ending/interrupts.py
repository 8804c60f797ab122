"""Interrupts: whenever one comes, what was begun is undone, and the process ends by it.

An exception raised by a signal can get lost: inside a destructor, in a library that catches everything, while C code loads a module.
So it is not raised where that is likely, and it is raised again once nothing holds it any more and the process still runs.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType
from typing import NoReturn
from weakref import ReferenceType, ref

INTERRUPTED = 130

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
_SAID = {signal.SIGINT: b"interrupted\n", signal.SIGTERM: b"terminated\n"}
_SECONDS_UNTIL_AGAIN = 0.02
# Code that an exception must not pass through: a module that is half loaded, or the C++ of a solver that called back.
_IMPORTING = "<frozen importlib"
_CALLED_BACK = "on_solution_callback"


class Interrupted(BaseException):
    """The process was asked to end. No KeyboardInterrupt: libraries have their own ways with those."""


@dataclass(slots=True)
class _State:
    """Which signal came first, what was raised for it, whether it is too late to undo anything, and whether nothing is raised."""

    signum: int | None = None
    raised: ReferenceType[Interrupted] | None = None
    is_over: bool = False
    is_deferred: bool = False


_state = _State()


def die_at_once() -> None:
    """Let an interrupt end the process where it stands; one that the process was started to ignore stays ignored."""
    if _is_ours(signal.SIGINT):
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def unwind_first() -> None:
    """Let an interrupt raise Interrupted, so that what was begun is undone; a second one ends the process where it stands."""
    if threading.current_thread() is not threading.main_thread():
        return
    sys.unraisablehook = _on_lost
    signal.signal(signal.SIGALRM, _on_alarm)
    for signum in _SIGNALS:
        if _is_ours(signum):
            signal.signal(signum, _on_signal)


def no_longer_unwind() -> None:
    """Let an interrupt end the process where it stands again: what was begun is done, or undone."""
    _state.is_over = True
    if threading.current_thread() is not threading.main_thread():
        return
    signal.setitimer(signal.ITIMER_REAL, 0)
    for signum in _SIGNALS:
        if _is_ours(signum):
            signal.signal(signum, signal.SIG_DFL)


@contextmanager
def deferred() -> Iterator[None]:
    """Let an interrupt raise nothing: whoever asks `is_interrupted` ends in time with what there is, and the process by it."""
    _state.is_deferred = True
    try:
        yield
    finally:
        _state.is_deferred = False


def is_interrupted() -> bool:
    """Whether the process was asked to end; whatever goes wrong from then on is a consequence."""
    return _state.signum is not None


def end_if_interrupted() -> None:
    """End the process, with one line, if it was asked to; an interrupt has a documented exit code, other signals have their own."""
    if _state.signum is None:
        return
    with suppress(OSError):
        os.write(2, _SAID.get(signal.Signals(_state.signum), b""))
    if _state.signum == signal.SIGINT:
        # Not by SystemExit: a library that was interrupted while it loaded may not survive the end of the interpreter.
        os._exit(INTERRUPTED)
    _die(_state.signum)


def _is_ours(signum: int) -> bool:
    is_main = threading.current_thread() is threading.main_thread()
    return is_main and signal.getsignal(signum) not in (signal.SIG_IGN, None)


def _on_signal(signum: int, frame: FrameType | None) -> None:
    if _state.is_over or _state.signum is not None:
        _die(signum)
    _state.signum = signum
    if not _state.is_deferred:
        _raise_where_it_arrives(frame)


def _on_alarm(_signum: int, frame: FrameType | None) -> None:
    if _state.is_over:
        return
    if _state.raised is not None and _state.raised() is not None:
        # Still on its way up, through whatever is undone meanwhile.
        signal.setitimer(signal.ITIMER_REAL, _SECONDS_UNTIL_AGAIN)
        return
    _raise_where_it_arrives(frame)


def _on_lost(lost: sys.UnraisableHookArgs) -> None:
    # An interrupt that was lost is raised again; there is nothing to say about it.
    if not issubclass(lost.exc_type, Interrupted):
        sys.__unraisablehook__(lost)


def _raise_where_it_arrives(frame: FrameType | None) -> None:
    signal.setitimer(signal.ITIMER_REAL, _SECONDS_UNTIL_AGAIN)
    if _is_inside_foreign_code(frame):
        return
    error = Interrupted()
    _state.raised = ref(error)
    try:
        raise error
    finally:
        # This frame is part of the traceback, and would keep the exception alive.
        del error


def _is_inside_foreign_code(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith(_IMPORTING) or frame.f_code.co_name == _CALLED_BACK:
            return True
        frame = frame.f_back
    return False


def _die(signum: int) -> NoReturn:
    signal.signal(signum, signal.SIG_DFL)
    os.kill(os.getpid(), signum)
    # Not reached, unless somebody blocks the signal.
    os._exit(128 + signum)
