"""As a process: exit codes, pipes, interrupts, and no traceback whatever the input is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command import CHECKOUT, environment, megasolve_process, powerless_megasolve
from tests.support.toolchain import needs_full_device, needs_permissions

SPEC = "specs/worked_example.yaml"


def _missing(_: Path) -> None: ...


def _folder(path: Path) -> None:
    path.mkdir()


def _wrong_kind(path: Path) -> None:
    path.write_bytes((CHECKOUT / "specs/devices/h200.yaml").read_bytes())


def _written(content: bytes) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_bytes(content)

    return write


RUBBISH: dict[str, tuple[Callable[[Path], None], int, int]] = {
    "missing": (_missing, 2, 2),
    "empty": (_written(b""), 2, 2),
    "binary": (_written(bytes(range(256)) * 8), 2, 2),
    "not UTF-8": (_written(b"name: \xe9\n"), 2, 2),
    "folder": (_folder, 2, 2),
    "broken YAML": (_written(b"a: [1, {b: ]\n"), 2, 1),
    "garbage": (_written(b"%%% @@ : : - ?\n\t!!x\n"), 2, 1),
    "a number": (_written(b"42\n"), 2, 1),
    "a list": (_written(b"- 1\n- 2\n"), 2, 1),
    "deep": (_written(b"[" * 5000), 2, 1),
    "wrong kind": (_wrong_kind, 2, 0),
}


@pytest.mark.parametrize("name", RUBBISH)
def test_rubbish_gives_an_exit_code_and_no_traceback(name: str, tmp_path: Path) -> None:
    make, solve_code, check_code = RUBBISH[name]
    path = tmp_path / "rubbish.yaml"
    make(path)
    for words, code in ((("solve", str(path)), solve_code), (("check", str(path)), check_code), (("explain", str(path), "x"), solve_code)):
        done = megasolve_process(*words)
        told = done.stdout + done.stderr
        assert (done.returncode, b"Traceback" in told, b"internal error" in told) == (code, False, False), (words, told)
        assert told


@needs_permissions
def test_a_file_without_permission_is_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "secret.yaml"
    path.write_text("megasolve: spec/v1\n")
    path.chmod(0)
    done = powerless_megasolve("solve", str(path))
    assert (done.returncode, done.stderr) == (2, f"Error: {path}: no permission to read it\n".encode())


def test_the_bare_form_works_as_a_process() -> None:
    done = megasolve_process(SPEC)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"worked_example on h100_nvl")


def test_a_reader_that_leaves_early_is_no_error() -> None:
    command = [sys.executable, "-m", "megasolve.cli", "specs/nh_tts.yaml", "--format", "json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), cwd=CHECKOUT) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@needs_full_device
def test_a_full_device_is_said_in_one_line() -> None:
    with Path("/dev/full").open("wb") as stream:
        command = [sys.executable, "-m", "megasolve.cli", SPEC]
        done = subprocess.run(command, check=False, stdout=stream, stderr=subprocess.PIPE, env=environment(), cwd=CHECKOUT)
    assert (done.returncode, done.stderr) == (2, b"Error: cannot write the result: No space left on device\n")


def test_progress_is_for_a_terminal_on_stderr_and_not_for_the_result() -> None:
    master, slave = os.openpty()
    command = [sys.executable, "-m", "megasolve.cli", SPEC]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=slave, env=environment(), cwd=CHECKOUT)
    os.close(slave)
    assert os.read(master, 1000) == b"solving batch 32 ...\r\n"
    os.close(master)
    assert done.stdout == megasolve_process(SPEC).stdout


def test_an_interrupt_exits_with_130_and_no_traceback() -> None:
    # The program reads stdin when the interrupt comes: the pipe stays open, and the imports before it are done.
    program = "import sys, megasolve.contracts, megasolve.cli.app; print(flush=True); megasolve.cli.main(['solve', '-'])"
    command, pipe = [sys.executable, "-c", program], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment()) as process:
        assert process.stdout is not None
        process.stdout.readline()
        _wait_until_reading(process.pid)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    assert (process.returncode, told) == (130, b"interrupted\n")


def _wait_until_reading(pid: int) -> None:
    """Wait until the process sleeps, which it first does when it reads; where nobody can tell, wait for a second."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        time.sleep(1)
        return
    while "S (sleeping)" not in status.read_text():
        time.sleep(0.01)


def test_a_closed_stdin_is_said_in_one_line() -> None:
    script = f"exec {sys.executable} -m megasolve.cli solve - <&-"
    done = subprocess.run(["sh", "-c", script], check=False, capture_output=True, env=environment(), cwd=CHECKOUT)
    assert (done.returncode, done.stderr) == (2, b"Error: stdin is closed: there is no spec to read\n")
