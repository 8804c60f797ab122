"""Race reports: a run on the CPU under ThreadSanitizer, which sees every GPU thread as a thread.

What it sees: two accesses to one place, at least one a write, that no barrier, acquire or release orders. Numbers may be right all the
same; a dropped dependency is often found here only. What it cannot see: memory that is reordered or stale, asynchronous copies, and
anything between two launches, which the runtime orders.
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..children.child import ChildResult, Crashed, run_in_child
from ..errors import GpuError
from .host_build import HostCompilerMissing, host_compiler

_REPORT = re.compile(
    r"WARNING: ThreadSanitizer: (?P<kind>[^(\n]+).*?"
    r"SUMMARY: ThreadSanitizer: [^\n]*?(?P<place>\S+:\d+)?(?: in (?P<where>[^\n]+))?\n",
    re.DOTALL,
)
# The pause at exit is for daemon threads, which there are none of.
_OPTIONS = "report_thread_leaks=0 history_size=4 exitcode=0 atexit_sleep_ms=0"


@dataclass(frozen=True, slots=True)
class Race:
    """One report: *kind* is `data race` as a rule, *place* the file and line, *where* the function, *text* the whole report."""

    kind: str
    place: str
    where: str
    text: str

    def __str__(self) -> str:
        return f"{self.place}: {self.kind} in {self.where}"


@dataclass(frozen=True, slots=True)
class WatchedRun:
    """What became of the child, and every race in it."""

    result: ChildResult
    races: tuple[Race, ...]


def run_watched(function: str, request: Any, *, deadline_s: float) -> WatchedRun:
    """Call *function* in a child under ThreadSanitizer (see `run_in_child`); libraries that it loads are built with `sanitizer=True`.

    Raises
    ------
    GpuError
        There is no C++ compiler, or it comes without libtsan.
    """
    library = _libtsan()
    watched = _run(function, request, deadline_s, library, ())
    if _needs_fixed_addresses(watched.result) and (wrapper := shutil.which("setarch")):
        # -R leaves addresses where they are without randomization.
        return _run(function, request, deadline_s, library, (wrapper, platform.machine(), "-R"))
    return watched


def _run(function: str, request: Any, deadline_s: float, library: str, prefix: tuple[str, ...]) -> WatchedRun:
    with tempfile.TemporaryDirectory(prefix="megasolve-races-") as folder:
        log = Path(folder, "report")
        environment = {"LD_PRELOAD": library, "TSAN_OPTIONS": f"{_OPTIONS} log_path={log}"}
        result = run_in_child(function, request, deadline_s=deadline_s, environment=environment, prefix=prefix)
        text = "".join(path.read_text(encoding="utf-8", errors="replace") for path in sorted(Path(folder).iterdir()))
    return WatchedRun(_with_log(result, text), tuple(_race(found) for found in _REPORT.finditer(text)))


def _with_log(result: ChildResult, log: str) -> ChildResult:
    """What the sanitizer says when it cannot even start is in its log."""
    return Crashed(result.exit_code, result.stderr + log) if isinstance(result, Crashed) else result


def _race(found: re.Match[str]) -> Race:
    return Race(found["kind"].strip(), found["place"] or "unknown place", found["where"] or "unknown function", found[0])


def _needs_fixed_addresses(result: ChildResult) -> bool:
    """Libtsan has a fixed map of memory, which the random addresses of some systems do not fit."""
    return isinstance(result, Crashed) and "unexpected memory mapping" in result.stderr


def _libtsan() -> str:
    compiler = host_compiler()
    if compiler is None:
        raise HostCompilerMissing
    run = subprocess.run([compiler, "-print-file-name=libtsan.so"], capture_output=True, text=True, check=False)
    library = Path(run.stdout.strip())
    # The compiler repeats the bare name of what it does not find; one that is not of GNU's kind says nothing.
    if not library.is_absolute():
        raise GpuError("the C++ compiler comes without ThreadSanitizer: install libtsan (Debian, Ubuntu: it belongs to g++)")
    return str(library.resolve())
