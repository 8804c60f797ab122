"""Running the command line in this process: what it answered, and what no answer may look like."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from click.testing import CliRunner

from megasolve.cli.app import program

CPU_SECONDS = 20
WALL_SECONDS = 120
LONGEST_LINE = 3000

_RUNNER = CliRunner(env={"NO_COLOR": None, "FORCE_COLOR": None, "GITHUB_STEP_SUMMARY": None})
_OURS = re.compile(
    r"""
      Error:\ \S.*
    | Warning:\ \S.*
    | Usage:\ megasolve.*
    | \ +[\[{(].* | \t\S+
    | Try\ 'megasolve.*--help'\ for\ help\.
    | .+:\d+:\d+:\ [A-Z]{3}-\d\d\ .+\ \ \[.*\](\ \ \(\d[\d,]*\ times\b.*\))?
    | NOTE:\ \S.*
    | (no\ findings|\d[\d,]*\ errors?,\ \d[\d,]*\ warnings?)\ in\ .+
    | \d.*not\ shown.*
    """,
    re.VERBOSE,
)
_FOREIGN = re.compile(
    r"Traceback|internal error|object at 0x|pydantic|<class |NoneType|\[Errno|Exception\b|(Key|Value|Type|Index|Attribute|Recursion"
    r"|Overflow|Memory|Unicode\w*|OS|Assertion)Error|validation error|Input should be|codec can't|\bDecimal\(|\bFraction\("
)
_COLOR = re.compile(r"\x1b\[[0-9;]*m")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Broken(Exception):
    """An invariant does not hold; *signature* is the same for the same fault."""

    def __init__(self, signature: str, detail: str) -> None:
        super().__init__(f"{signature}: {detail}")
        self.signature = signature


class TooLong(BaseException):
    """A command ran longer than any should; no handler of the program may catch it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command answered."""

    words: tuple[str, ...]
    exit_code: int
    out: bytes
    err: str

    @property
    def is_to_a_file(self) -> bool:
        """Whether the result goes to a file, and with it what the exit code is about."""
        return any(word.startswith(("-o", "--o")) for word in self.words)

    @property
    def lines(self) -> list[str]:
        """Everything that was printed."""
        return [*self.out.decode("utf-8", "replace").split("\n"), *self.err.split("\n")]


def answer(*words: str, stdin: bytes | None = None) -> Answer:
    """Run the command line and return its answer, which has passed what holds of every answer.

    Raises
    ------
    Broken
        An exception came through, the exit code is none of ours, or a refusal says nothing, or says what is no word of ours.
    """
    try:
        with _limited():
            result = _RUNNER.invoke(program, list(words), input=stdin, prog_name="megasolve")
    except TooLong:
        raise Broken(f"hang of {words[0]}", f"megasolve {' '.join(words)} took more than {CPU_SECONDS} s") from None
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise Broken(f"exception {type(result.exception).__name__} of {words[0]}", str(result.exception))
    try:
        err = result.stderr_bytes.decode() if result.stderr_bytes else ""
        result.stdout_bytes.decode()
    except UnicodeDecodeError as error:
        raise Broken(f"not UTF-8 from {words[0]}", str(error)) from None
    given = Answer(words, result.exit_code, result.stdout_bytes, err)
    judge_answer(given)
    return given


def judge_answer(given: Answer) -> None:
    """Raise `Broken` where *given* is no answer of ours."""
    about = " ".join(given.words)[:300]
    if given.exit_code == 3:
        line = next((line for line in given.lines if "internal error" in line), "")
        told = _RUNNER.invoke(program, ["--debug", *given.words], prog_name="megasolve").stderr
        raise Broken(f"exit 3: {re.sub(r'[0-9]+', 'N', line)[:160]}", f"{about}: {line}\n{told}")
    if given.exit_code not in (0, 1, 2):
        raise Broken(f"exit {given.exit_code} of {given.words[0]}", about)
    if given.exit_code and not any(map(str.strip, given.lines)) and not (given.exit_code == 1 and given.is_to_a_file):
        raise Broken(f"silent exit {given.exit_code} of {given.words[0]}", about)
    for line in given.lines:
        if given.exit_code and (foreign := _FOREIGN.search(line)):
            raise Broken(f"foreign words from {given.words[0]}: {foreign[0]}", f"{about}: {line}")
        if _UNPRINTABLE.search(_COLOR.sub("", line) if "--color" in about else line):
            raise Broken(f"control character from {given.words[0]}", f"{about}: {line!r}")
    for line in given.err.split("\n"):
        if line and not _OURS.fullmatch(_COLOR.sub("", line)):
            raise Broken(f"a line that is none of ours from {given.words[0]}", f"{about}: {line!r}")
        if len(line) > LONGEST_LINE + 3 * sum(map(len, given.words)):
            raise Broken(f"a line of more than {LONGEST_LINE} characters from {given.words[0]}", f"{about}: {line[:300]!r}")


@contextmanager
def _limited() -> Iterator[None]:
    """Raise `TooLong` in the block once it has run for too long, by the clock of the CPU or by that on the wall."""
    previous = {which: signal.signal(which, _stop) for which in (signal.SIGPROF, signal.SIGALRM)}
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
    signal.setitimer(signal.ITIMER_REAL, WALL_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for which, handler in previous.items():
            signal.signal(which, handler)


def _stop(_: int, __: FrameType | None) -> None:
    raise TooLong


def snapshot(folder: Path) -> dict[str, bytes | None]:
    """Return what lies in *folder*: the content of files, None for folders."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}
