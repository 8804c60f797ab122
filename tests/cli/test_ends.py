"""Ends: whatever is named, closed, full or interrupted, the process ends with a documented exit code and says so in one line."""

from __future__ import annotations

import random
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.command import CHECKOUT, environment, megasolve, powerless_megasolve
from tests.support.toolchain import needs_full_device, needs_permissions

SPEC = "specs/worked_example.yaml"
LONG = 300 * "A"
DOCUMENTED = {0, 1, 2}


def shell(script: str) -> subprocess.CompletedProcess[bytes]:
    """Run *script*, in which `megasolve` is this checkout."""
    program = f'megasolve() {{ {shlex.quote(sys.executable)} -m megasolve.cli "$@"; }}\n{script}'
    return subprocess.run(["sh", "-c", program], check=False, capture_output=True, env=environment(), cwd=CHECKOUT)


@pytest.mark.parametrize("words", ["--version", "solve --help", "schema spec", f"check {SPEC}"])
@pytest.mark.parametrize(
    ("stream", "why"), [pytest.param("> /dev/full", "No space left on device", marks=needs_full_device), (">&-", "stdout is closed")]
)
def test_a_result_that_cannot_be_written_is_said_in_one_line(words: str, stream: str, why: str) -> None:
    done = shell(f"megasolve {words} {stream}")
    assert (done.returncode, done.stderr.decode()) == (2, f"Error: cannot write the result: {why}\n")


@pytest.mark.parametrize("stream", [pytest.param("2> /dev/full", marks=needs_full_device), "2>&-"])
@pytest.mark.parametrize(("words", "code"), [(f"check {SPEC}", 0), ("check no_file.yaml", 2), ("no_command", 2), ("--version", 0)])
def test_messages_that_nobody_can_read_change_no_exit_code(words: str, code: int, stream: str) -> None:
    done = shell(f"megasolve {words} {stream}")
    assert (done.returncode, bool(done.stdout)) == (code, code == 0)


def test_with_every_stream_closed_there_is_still_an_exit_code(tmp_path: Path) -> None:
    target = tmp_path / "result.txt"
    assert shell("megasolve solve - <&- >&- 2>&-").returncode == 2
    assert shell(f"megasolve {SPEC} -o {target} <&- >&- 2>&-").returncode == 0
    assert target.read_text().startswith("worked_example")


def test_a_reader_that_leaves_before_the_help_is_no_error() -> None:
    done = shell("(megasolve --help; echo $? >&2) | true")
    assert done.stderr == b"0\n"


NAMED = [
    ("solve", LONG),
    (LONG,),
    (f"{LONG}.yaml",),
    ("check", LONG),
    ("check", f"{LONG}/{LONG}.yaml"),
    ("check", SPEC, "--device", LONG),
    ("check", SPEC, "--device", f"{LONG}/x.yaml"),
    ("check", SPEC, "--profile", LONG),
    ("solve", SPEC, "--device", f"{LONG}.yaml"),
    ("explain", LONG, "m:P@serial"),
    ("table", LONG),
    ("import", LONG),
    ("import", LONG, "-o", f"{LONG}.yaml"),
    ("new", f"{LONG}.yaml", "--from", LONG),
    ("new", f"{LONG}/x.yaml", "--from", SPEC),
    ("measure", LONG, "--backend", "cpu"),
    ("measure", SPEC, "--backend", "cpu", "-o", f"{LONG}.jsonl"),
    ("solve", SPEC, "-o", LONG),
    ("schema", "spec", "-o", f"{LONG}/x"),
    ("example", "worked_example", "--to", LONG),
    ("example", LONG),
]


@pytest.mark.parametrize("words", NAMED, ids=lambda words: " ".join(word.replace(LONG, "LONG") for word in words))
def test_a_name_of_any_length_ends_with_usage_or_unusable_input(words: tuple[str, ...]) -> None:
    result = megasolve(*(str(CHECKOUT / word) if word == SPEC else word for word in words))
    assert result.exit_code == 2, result.stderr
    assert "Traceback" not in result.stderr
    assert "internal error" not in result.stderr


def test_a_long_name_inside_a_file_is_a_finding_or_no_fault(tmp_path: Path) -> None:
    folder = shutil.copytree(CHECKOUT / "specs/worked_example", tmp_path / "worked_example").parent
    text = (CHECKOUT / SPEC).read_text()
    device = next(line for line in text.splitlines() if line.startswith("device:"))
    spec = folder / "worked_example.yaml"
    for name, code in ((LONG, "FIL-01"), (f"{LONG}.yaml", "FIL-01"), ('"a\\0b"', "FIL-04"), (f"{LONG}/x.yaml", "FIL-01")):
        spec.write_text(text.replace(device, f"device: {name}"))
        result = megasolve("check", str(spec))
        assert (result.exit_code, code in result.stdout) == (1, True)
    spec.write_text(text)
    contract = min((folder / "worked_example").rglob("*.yaml"))
    contract.write_text(f"{contract.read_text()}\nsource: {{file: {LONG}.cu, symbol: x, sha256: {64 * '0'}}}\n")
    assert megasolve("check", str(spec)).exit_code in DOCUMENTED


def test_a_spec_from_stdin_may_be_said_to_stand_anywhere() -> None:
    result = megasolve("solve", "-", "--stdin-filename", f"{LONG}/x.yaml", stdin=(CHECKOUT / SPEC).read_text())
    assert result.exit_code == 2
    assert "internal error" not in result.stderr


def test_a_cache_folder_of_any_name_costs_the_caching_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEGASOLVE_CACHE_DIR", f"/{LONG}")
    result = megasolve("table", str(CHECKOUT / "specs/llama_1b.yaml"), "--group", "D", "--batch", "1")
    assert result.exit_code == 0
    assert "derived values are not kept" in result.stderr


def test_a_current_folder_that_is_gone_is_said_in_one_line(tmp_path: Path) -> None:
    done = shell(f"mkdir {tmp_path}/gone && cd {tmp_path}/gone && rmdir ../gone && megasolve check x.yaml")
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    assert b"the current folder cannot be used" in done.stderr


@needs_permissions
@pytest.mark.parametrize(
    "words",
    [
        ("check", "closed/x.yaml"),
        ("closed/x",),
        ("closed/x.yaml",),
        ("check", "closed"),
        ("import", "closed/x"),
        ("new", "closed/x.yaml", "--from", "trace.json"),
        ("new", "other.yaml", "--from", "closed/trace.json"),
        ("example", "worked_example", "--to", "closed/there"),
        ("check", "device.yaml"),
        ("schema", "spec", "-o", "closed/schema.json"),
    ],
    ids=" ".join,
)
def test_a_folder_that_may_not_be_searched_ends_with_a_documented_code(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o700)
    (tmp_path / "closed/x.yaml").write_text("megasolve: spec/v1\n")
    (tmp_path / "device.yaml").write_text("megasolve: spec/v1\nname: x\ndevice: closed/device.yaml\n")
    (tmp_path / "trace.json").write_text("{}")
    (tmp_path / "closed").chmod(0)
    done = powerless_megasolve(*words, cwd=tmp_path)
    (tmp_path / "closed").chmod(0o700)
    assert done.returncode in ({1} if words == ("check", "device.yaml") else {2}), done.stderr
    assert b"Traceback" not in done.stderr
    assert b"internal error" not in done.stderr


def interrupted(words: tuple[str, ...], after_s: float, signum: int = signal.SIGINT) -> tuple[int | None, bytes]:
    """Send *signum* to the program itself after *after_s*; None where it had ended before."""
    command = [sys.executable, "-m", "megasolve.cli", *words]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment(), cwd=CHECKOUT, start_new_session=True
    ) as run:
        time.sleep(after_s)
        was_running = run.poll() is None
        run.send_signal(signum)
        _, told = run.communicate(timeout=120)
    return (run.returncode if was_running else None), told


def _began(words: tuple[str, ...]) -> float:
    """Return how long the whole command takes."""
    begun = time.monotonic()
    subprocess.run([sys.executable, "-m", "megasolve.cli", *words], check=True, capture_output=True, env=environment(), cwd=CHECKOUT)
    return time.monotonic() - begun


def test_an_interrupt_at_any_moment_ends_the_program_by_it() -> None:
    words = ("solve", SPEC, "--no-cache")
    whole_s, draw = _began(words), random.Random(9)
    for _ in range(10):
        # The interpreter itself starts first, and has its own way to say that it was interrupted.
        code, told = interrupted(words, draw.uniform(0.3, 0.9) * whole_s)
        assert code in (None, 130, -signal.SIGINT), (code, told)
        assert b"Traceback" not in told
        assert told.count(b"\n") <= 1


def test_a_request_to_terminate_ends_the_program_by_it() -> None:
    words = ("solve", SPEC, "--no-cache")
    code, told = interrupted(words, 0.7 * _began(words), signal.SIGTERM)
    assert code in (None, -signal.SIGTERM)
    assert told in (b"", b"terminated\n")


LOST = """
import os, signal, sys, time
import megasolve.cli.ending.interrupts as interrupts

class Lossy:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0)

class Swallows:
    def __enter__(self): ...
    def __exit__(self, *_): return True

interrupts.unwind_first()
try:
    if sys.argv[1] == "destructor":
        Lossy()
    else:
        with Swallows():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0)
    end = time.monotonic() + 300
    while time.monotonic() < end:
        time.sleep(0.01)
    print("swallowed")
except interrupts.Interrupted:
    interrupts.no_longer_unwind()
interrupts.end_if_interrupted()
"""


@pytest.mark.parametrize("where", ["destructor", "swallowed"])
def test_an_interrupt_that_gets_lost_is_raised_again(where: str) -> None:
    done = subprocess.run([sys.executable, "-c", LOST, where], check=False, capture_output=True, env=environment())
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"interrupted\n")


IMPORTING = """
import os, signal, sys, time
import megasolve.cli.ending.interrupts as interrupts
sys.path.insert(0, sys.argv[1])
interrupts.unwind_first()
try:
    import slow
    print("loaded", flush=True)
    time.sleep(30)
except interrupts.Interrupted:
    interrupts.no_longer_unwind()
interrupts.end_if_interrupted()
"""


def test_an_interrupt_waits_until_a_module_is_whole(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(0.2)\nWHOLE = True\n")
    done = subprocess.run([sys.executable, "-c", IMPORTING, str(tmp_path)], check=False, capture_output=True, env=environment())
    assert (done.returncode, done.stderr) == (130, b"interrupted\n")


def test_what_was_begun_is_undone_before_the_end(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys, time\n"
        "from pathlib import Path\n"
        "import megasolve.cli.ending.interrupts as interrupts\n"
        "interrupts.unwind_first()\n"
        "try:\n"
        "    try:\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        time.sleep(30)\n"
        "    finally:\n"
        "        time.sleep(0.3)\n"
        "        Path(sys.argv[1]).write_text('undone')\n"
        "except interrupts.Interrupted:\n"
        "    interrupts.no_longer_unwind()\n"
        "interrupts.end_if_interrupted()\n"
    )
    mark = tmp_path / "mark"
    done = subprocess.run([sys.executable, "-c", program, str(mark)], check=False, capture_output=True, env=environment())
    assert (done.returncode, mark.read_text()) == (130, "undone")


CODE = (
    "import os, signal, megasolve.cli.ending.interrupts as i; i.die_at_once(); i.unwind_first(); "
    "os.kill(os.getpid(), signal.SIGINT); i.end_if_interrupted(); print('went on')"
)


def test_an_ignored_interrupt_stays_ignored() -> None:
    program = f"import os, signal; signal.signal(signal.SIGINT, signal.SIG_IGN); os.execv({sys.executable!r}, ['python', '-c', {CODE!r}])"
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, env=environment())
    assert (done.returncode, done.stdout) == (0, b"went on\n")
