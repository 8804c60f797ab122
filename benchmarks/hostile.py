"""What the worst inputs cost: processor time and peak memory of whole commands, against a bound in the size of the input.

`python -m benchmarks.hostile [--mib N] [NAME...]`

An input of n bytes (of a gzip, of n bytes unzipped) may cost 2 s + 4 µs a byte of processor time, and 200 MB + 12 bytes a byte of
memory, beyond the same command on an input of a few bytes. Each command runs in a process of its own; NAME chooses the inputs with that
word in their name.

What the numbers do not compare: anything with another program. They say that no input that is known makes a check or an import hang, or
take the memory of the machine; a figure above its bound is marked, and the exit code is then 1.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.hostile_files import GPU_TRACE, LINES, SPEC, TABLES, TRACES, YAML, write_bomb, write_database

MIB = 2**20
CHECK, IMPORT, SOLVE = ("check", "FILE"), ("import", "FILE"), ("solve", "-")
LEAST_S, LEAST_BYTES = 2.0, 200e6
SECONDS_PER_BYTE, BYTES_PER_BYTE = 4e-6, 12


@dataclass(frozen=True, slots=True)
class Hostile:
    """One input: what writes it, and the command that reads it."""

    name: str
    file: str
    command: tuple[str, ...]
    write: Callable[[Path, int], None]


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command took, and how it ended."""

    seconds: float
    peak_bytes: float
    exit_code: int


def written(make: Callable[[int], str]) -> Callable[[Path, int], None]:
    """Return what writes the text of *make*."""

    def write(path: Path, size: int) -> None:
        path.write_text(make(size), encoding="utf-8", newline="")

    return write


def inputs() -> Iterator[Hostile]:
    """Yield every input."""
    kinds = ((YAML, "x.yaml", CHECK), (LINES, "x.jsonl", CHECK), (TRACES, "x.json", IMPORT), (TABLES, "x.csv", IMPORT))
    for makers, file, command in kinds:
        yield from (Hostile(name, file, command, written(make)) for name, make in makers.items())
    yield Hostile("stdin: unknown keys", "x.yaml", SOLVE, written(YAML["unknown keys"]))
    yield Hostile("trace: gzip that unzips without measure", "x.json.gz", IMPORT, write_bomb)
    yield Hostile("database: long names", "x.sqlite", IMPORT, write_database)


def cost(command: tuple[str, ...], path: Path) -> Cost:
    """Run *command* on the file at *path* and return what it took."""
    words = [sys.executable, "-m", "megasolve.cli", *(str(path) if word == "FILE" else word for word in command)]
    with path.open("rb") as stdin, Path(os.devnull).open("wb") as nowhere:
        process = subprocess.Popen(words, stdin=stdin, stdout=nowhere, stderr=nowhere)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    # Linux counts kilobytes, macOS bytes.
    peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return Cost(used.ru_utime + used.ru_stime, peak, process.returncode)


def baselines(folder: Path) -> dict[tuple[str, ...], Cost]:
    """Return what each command costs on a few bytes."""
    tiny = {CHECK: ("tiny.yaml", SPEC), IMPORT: ("tiny.csv", f"{GPU_TRACE}0,1,1,1,1,1,1,1,1,1,0,0,,H200,1,7,k\n"), SOLVE: ("s.yaml", SPEC)}
    found: dict[tuple[str, ...], Cost] = {}
    for command, (name, text) in tiny.items():
        (folder / name).write_text(text, encoding="utf-8")
        found[command] = cost(command, folder / name)
    return found


def row(hostile: Hostile, folder: Path, size: int, base: Cost) -> tuple[str, bool]:
    """Return one line of the table, and whether both figures are below their bounds."""
    path = folder / hostile.file
    hostile.write(path, size)
    # Of a gzip, what it unzips to counts, up to where that is refused.
    length = 16 * MIB if path.suffix == ".gz" else path.stat().st_size
    took = cost(hostile.command, path)
    seconds, peak = took.seconds - base.seconds, took.peak_bytes - base.peak_bytes
    most_s, most = LEAST_S + SECONDS_PER_BYTE * length, LEAST_BYTES + BYTES_PER_BYTE * length
    is_good = seconds <= most_s and peak <= most and took.exit_code in (0, 1, 2)
    figures = f"{seconds:7.2f} s of {most_s:6.2f}   {peak / 1e6:7.1f} MB of {most / 1e6:7.1f}   exit {took.exit_code}"
    return f"{hostile.name:<52} {length / MIB:6.2f} MiB  {figures}{'' if is_good else '   ABOVE'}", is_good


def main() -> int:
    """Print each figure beside its bound."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--mib", type=float, default=0.5)
    asked = parser.parse_args()
    all_good = True
    with tempfile.TemporaryDirectory() as folder:
        bases = baselines(Path(folder))
        for hostile in inputs():
            if not asked.names or any(name in hostile.name for name in asked.names):
                line, is_good = row(hostile, Path(folder), int(asked.mib * MIB), bases[hostile.command])
                print(line, flush=True)
                all_good = all_good and is_good
    return 0 if all_good else 1


if __name__ == "__main__":
    sys.exit(main())
