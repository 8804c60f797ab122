"""Experiments in processes of their own, with a deadline that holds.

A kernel that spins for ever, a driver that hangs and a fault that poisons the context cost one child, never the run. The parent gets a
value or a typed failure, and a child never outlives it.

The rule for what runs in a child beside a spinning kernel: everything is allocated, loaded, created and launched once *before* the kernel
that spins. Allocation, module loading, the first launch of a kernel and the creation of streams may wait for the device to be idle, and
then wait for ever.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from ..compile.cache_folder import inherited

# What a child printed last is what explains it; more than this only hides it.
_STDERR_KEPT = 4000
_SECONDS_TO_DIE = 5.0
_CHILD_MAIN = Path(__file__).with_name("child_main.py")


@dataclass(frozen=True, slots=True)
class Finished:
    """The function returned *value*, which has been through JSON."""

    value: Any


@dataclass(frozen=True, slots=True)
class Failed:
    """The function raised; *error* is the name of the exception's class."""

    error: str
    message: str
    stderr: str

    def __str__(self) -> str:
        return f"{self.error}: {self.message}"


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The child was killed at its deadline. One that is not *dead* hangs inside the driver, and its GPU is lost until it is reset."""

    deadline_s: float
    dead: bool
    stderr: str

    def __str__(self) -> str:
        rest = "" if self.dead else ", and it does not die: the driver hangs; reset the GPU (nvidia-smi --gpu-reset) or reboot"
        return f"killed after {self.deadline_s:g} s{rest}"


@dataclass(frozen=True, slots=True)
class Crashed:
    """The child died without an answer, by the signal *-exit_code* if that is negative."""

    exit_code: int
    stderr: str

    def __str__(self) -> str:
        last = self.stderr.strip().rpartition("\n")[2]
        return f"died of {_cause(self.exit_code)}{f': {last}' if last else ''}"


ChildResult: TypeAlias = Finished | Failed | TimedOut | Crashed


def run_in_child(
    function: str,
    request: Any,
    *,
    deadline_s: float,
    environment: Mapping[str, str] | None = None,
    prefix: Sequence[str] = (),
) -> ChildResult:
    """Call *function* (`package.module:name`) with *request* in a new process and return what became of it.

    Parameters
    ----------
    request
        The one argument, and the function's result, are values of JSON.
    deadline_s
        After this time the child and all that it started are killed.
    environment
        Variables to set in addition to those of this process.
    prefix
        Words before the command, such as a wrapper.
    """
    # Isolated, and by its file: `python -m` would put the current folder first among those that code is imported from.
    command = [*prefix, sys.executable, "-I", str(_CHILD_MAIN), function, str(os.getpid())]
    # No `with`: leaving it would wait for a child that hangs inside the driver and cannot even be killed.
    child = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **inherited(), **(environment or {})},
        # A group of its own: Ctrl-C reaches the parent, which ends the child; and `killpg` reaches all of it.
        start_new_session=True,
    )
    try:
        stdout, stderr = child.communicate(json.dumps([_import_path(), request]).encode(), timeout=deadline_s)
    except subprocess.TimeoutExpired:
        return _killed(child, deadline_s)
    # Also on Ctrl-C: a kernel that spins would hold the GPU after the command is gone.
    except BaseException:
        _kill(child)
        raise
    return _result(child.returncode, stdout, _kept(stderr))


def reason(result: ChildResult) -> str:
    """Return why there is no value: the message of the exception, or how the child died."""
    return result.message if isinstance(result, Failed) else str(result)


def _result(exit_code: int, stdout: bytes, stderr: str) -> ChildResult:
    try:
        # Whatever ended the child, a whole answer counts: the exit code says nothing that the answer does not.
        answer = json.loads(stdout)
    except ValueError:
        return Crashed(exit_code, stderr)
    if "value" in answer:
        return Finished(answer["value"])
    return Failed(answer["error"], answer["message"], stderr)


def _killed(child: subprocess.Popen[bytes], deadline_s: float) -> TimedOut:
    _kill(child)
    stderr = b""
    with suppress(subprocess.TimeoutExpired):
        # SIGKILL does not end a process inside the driver before the driver returns.
        _, stderr = child.communicate(timeout=_SECONDS_TO_DIE)
    return TimedOut(deadline_s, dead=child.poll() is not None, stderr=_kept(stderr))


def _kill(child: subprocess.Popen[bytes]) -> None:
    # The child leads a group of its own, so that what it started goes with it.
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)


def _import_path() -> list[str]:
    """Return where this process imports from, without the folder in which it happens to stand."""
    return [folder for folder in sys.path if Path(folder).is_absolute()]


def _kept(stderr: bytes) -> str:
    return stderr.decode("utf-8", "replace")[-_STDERR_KEPT:]


def _cause(exit_code: int) -> str:
    if exit_code >= 0:
        return f"exit code {exit_code}"
    with suppress(ValueError):
        return f"signal {signal.Signals(-exit_code).name}"
    return f"signal {-exit_code}"
