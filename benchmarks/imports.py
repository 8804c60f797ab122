"""What importing a profile costs: each format against the bare parse of the same file by the fastest suitable library, as ratios.

`python -m benchmarks.imports [FILE...] [--mib N] [--rounds N]`

Without FILE, a profile of each format of N MiB is made first, and one of 8 N MiB. The bare parse is `json.load`, `csv.reader` into a
list, or `fetchall` of every table that an import needs (goal: the import takes at most twice as long). Peak memory is what a fresh
process needs beyond its imports (on Linux). Of a Kineto trace only the events of the host grow between the two sizes, and its memory
should not; in the other formats kernels do, and each kernel costs what it costs.

What the numbers do not compare: the bare parses keep the file's own rows, in floats where it has decimals, need all of them in memory at
once, check nothing, join nothing, and know no kernel from a copy. The hash of the file is part of the import. Python's collector of
cycles runs during the bare parse, as it does where nobody thinks of it; an import keeps it away.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from benchmarks.import_files import MAKERS, SQLITE_TABLES
from megasolve.contracts.profiles import Format
from megasolve.contracts.profiles.reading import read_profile
from megasolve.contracts.profiles.recognizing.recognize import recognize
from megasolve.contracts.profiles.text.source import source

MIB = 2**20
GROWTH = 8


def bare_json(path: Path) -> object:
    """Parse the whole document, unzipped where it is gzip."""
    with gzip.open(path) if source(path).is_gzip else path.open("rb") as stream:
        return json.load(stream)


def bare_csv(path: Path) -> object:
    """Read every row."""
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream))


def bare_sqlite(path: Path) -> object:
    """Fetch every column of every row of the tables that an import needs, as far as they are there."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        there = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        return [connection.execute(f"SELECT * FROM {table}").fetchall() for table in SQLITE_TABLES if table in there]


def bare(of: Format) -> Callable[[Path], object]:
    """Return the bare parse of format *of*."""
    if of is Format.NSYS_SQLITE:
        return bare_sqlite
    return bare_csv if of.value.endswith("CSV") else bare_json


def seconds(work: Callable[[Path], object], path: Path) -> float:
    """Return the processor's time of one run, which a busy machine does not lengthen; what it made is freed outside of it."""
    begun = time.process_time()
    made = work(path)
    elapsed = time.process_time() - begun
    del made
    return elapsed


def ratios(path: Path, rounds: int) -> list[float]:
    """Return the time of the import over that of the bare parse, one pair after the other, after one pair of warm-up."""
    parse = bare(recognize(source(path)))
    pairs = [(seconds(read_profile, path), seconds(parse, path)) for _ in range(rounds + 1)]
    return [imported / parsed for imported, parsed in pairs[1:]]


def peak_bytes(path: Path | None) -> int:
    """Return the peak memory of a fresh process that imports *path*, or only loads the importers."""
    command = [sys.executable, "-m", "benchmarks.imports", "--peak", str(path or "")]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def measure_peak(path: str) -> None:
    """Import the profile at *path*, if there is one, and print the peak memory of this process."""
    read = read_profile(path) if path else None
    # The peak of getrusage is at least that of the process that started this one.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    print(int(status.partition("VmHWM:")[2].split()[0]) * 1024)
    del read


def row(what: str, path: Path, rounds: int) -> str:
    """Return one line of the table."""
    found = ratios(path, rounds)
    spread = f"{statistics.median(found):5.2f}x  [{min(found):.2f}..{max(found):.2f}]"
    needed = (peak_bytes(path) - peak_bytes(None)) / MIB
    return f"{what:<28} {path.stat().st_size / MIB:8.1f} MiB  {spread:<22}  goal <= 2x  peak {needed:7.1f} MiB"


def main() -> None:
    """Print the ratio and the peak of each file, made or given."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--mib", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peak", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.peak is not None:
        measure_peak(asked.peak)
        return
    for path in asked.files:
        print(row(path.name[:28], path, asked.rounds), flush=True)
    if asked.files:
        return
    for what, make in MAKERS.items():
        with tempfile.TemporaryDirectory() as folder:
            for times in (1, GROWTH):
                path = Path(folder) / f"profile_{times}"
                make(path, times * asked.mib * MIB)
                print(row(what, path, asked.rounds if times == 1 else 1), flush=True)


if __name__ == "__main__":
    main()
