"""The inside of a child process: `python -I child_main.py MODULE:FUNCTION PARENT` answers a request in one line of JSON.

The request comes with the folders that the parent imports from, and code is imported from nowhere else.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import signal
import sys
import traceback
from collections.abc import Mapping

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Answer the request on stdin. Nothing else can reach stdout: what the function prints goes to stderr."""
    function, parent = sys.argv[1:]
    # First of all, before anything can be imported that could hang.
    _die_with(int(parent))
    with os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8") as answer:
        # By descriptor, not by name: libraries in C print, too.
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        sys.path[:], request = json.load(sys.stdin)
        answer.write(json.dumps(_answer(function, request)) + "\n")
    # The driver's own end would wait for a kernel that spins; the end of the process does not.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _answer(function: str, request: object) -> Mapping[str, object]:
    module, _, name = function.partition(":")
    try:
        return {"value": getattr(importlib.import_module(module), name)(request)}
    except Exception as error:  # noqa: BLE001 - whatever it is, the parent has to hear of it
        traceback.print_exc()
        return {"error": type(error).__name__, "message": str(error)}


def _die_with(parent: int) -> None:
    """Let the kernel of Linux kill this process when its parent dies: a kernel that spins would hold the GPU for ever."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    # The parent may have died before the wish was known to the kernel of Linux.
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
