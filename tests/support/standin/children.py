"""What child processes do in tests."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from megasolve.gpu.compile.cache_folder import cache_folder


def talkative(request: Any) -> dict[str, Any]:
    """Write where the answer must not go."""
    os.write(1, b"this is not the answer\n")
    sys.stdout.write('{"value": "nor this"}\n')
    return {"asked": request}


def failing(request: Any) -> None:
    """Raise."""
    raise KeyError(request)


def dying(request: Any) -> None:
    """Die as asked."""
    if request == "exit":
        sys.stderr.write("first words\nlast words\n")
        sys.stderr.flush()
        os._exit(3)
    os.kill(os.getpid(), signal.Signals[request])


def spinning(request: Any) -> None:
    """Start a process, note both, and never end."""
    with subprocess.Popen(["sleep", "600"]) as other:
        Path(request).write_text(f"{os.getpid()} {other.pid}")


def kept_in(request: Any) -> str:
    """Return where things of the name *request* are kept."""
    return str(cache_folder(request))
