"""Running the command line: in this process, or as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner, Result

from megasolve.cli.app import program

CHECKOUT = Path(__file__).resolve().parents[2]
FIXTURES = CHECKOUT / "tests/cli/fixtures"
ROOTS = os.pathsep.join(str(CHECKOUT / root) for root in ("contracts", "simulate", "solver", "gpu"))
_POWERLESS = """
import ctypes, os, sys
if os.geteuid() == 0 and ctypes.CDLL(None).capset((ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()):
    # Root may read every file and search every folder, unless it gives up its capabilities: version 3, this process, none.
    raise SystemExit("the capabilities of root cannot be given up")
"""


def megasolve(*words: str, stdin: str | bytes | None = None) -> Result:
    """Run the command line in this process. No exception is ever expected to come through."""
    result = CliRunner(env={"NO_COLOR": None, "FORCE_COLOR": None, "GITHUB_STEP_SUMMARY": None}).invoke(program, words, input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def environment() -> dict[str, str]:
    """Return the environment of a process that runs this checkout."""
    return {**os.environ, "PYTHONPATH": ROOTS}


def megasolve_process(*words: str, stdin: bytes = b"", cwd: Path = CHECKOUT) -> subprocess.CompletedProcess[bytes]:
    """Run the command line as a process of its own."""
    command = [sys.executable, "-m", "megasolve.cli", *words]
    return subprocess.run(command, check=False, input=stdin, capture_output=True, env=environment(), cwd=cwd)


def powerless(program: str, *words: str, cwd: Path = CHECKOUT) -> subprocess.CompletedProcess[bytes]:
    """Run a Python *program* on *words* as a process that may do what permissions say and no more, even where root runs the tests."""
    command = [sys.executable, "-c", f"{_POWERLESS}{program}", *words]
    return subprocess.run(command, check=False, capture_output=True, env=environment(), cwd=cwd)


def powerless_megasolve(*words: str, cwd: Path = CHECKOUT) -> subprocess.CompletedProcess[bytes]:
    """Run the command line as such a process."""
    return powerless("from megasolve.cli.app import program\nprogram.main(sys.argv[1:])\n", *words, cwd=cwd)
