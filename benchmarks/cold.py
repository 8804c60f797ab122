"""What a spec costs whose times are all derived: the whole command against a bare import of OR-Tools, in turn, as ratios.

`python -m benchmarks.cold [SPEC...] [--rounds N] [--jobs N]`

Without SPEC, the shipped specs that have programs and derive most. Each is solved three times:

- *first*: with an empty folder for caches, as on the day of the installation. What it takes longer than *cold* is what compiling costs
  (goal: at most 10 s, printed as seconds, as no ratio says it).
- *cold*: every time derived anew, what was compiled at hand (goal: at most 12 times the import).
- *warm*: every time at hand (goal: what it was before times were derived side by side; see `benchmarks.table`).

What the numbers do not compare: machines with other numbers of cores, as most of *cold* runs on all of them and the import on one.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from megasolve.contracts import shipped_specs

SPECS = ("llama_1b", "qwen3_tts", "nh_tts_standin")
IMPORT = [sys.executable, "-c", "import ortools.sat.python.cp_model"]


@dataclass(frozen=True, slots=True)
class Round:
    """The wall times of one round, in seconds."""

    first: float
    cold: float
    warm: float
    imported: float


def seconds(command: Sequence[str], environment: Mapping[str, str]) -> float:
    """Run *command* to its end, output discarded, and return its wall time."""
    begun = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    return time.perf_counter() - begun


def measured(spec: Path, options: Sequence[str]) -> Round:
    """Time one round for *spec*."""
    solve = [sys.executable, "-m", "megasolve.cli", "solve", str(spec), *options]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "MEGASOLVE_CACHE_DIR": folder}
        first = seconds(solve, environment)
        cold, imported = seconds([*solve, "--refresh"], environment), seconds(IMPORT, environment)
        return Round(first, cold, seconds(solve, environment), imported)


def row(spec: Path, rounds: Sequence[Round]) -> str:
    """Return one line of the table."""
    cold, warm = ([getattr(one, what) / one.imported for one in rounds] for what in ("cold", "warm"))
    spread = f"cold {statistics.median(cold):5.1f}x [{min(cold):.1f}..{max(cold):.1f}]  goal <= 12x"
    compiling = statistics.median(one.first - one.cold for one in rounds)
    return f"{spec.stem:<16} {spread}   first {compiling:+5.1f} s  goal <= 10 s   warm {statistics.median(warm):4.1f}x"


def main() -> None:
    """Print a line for each spec."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("specs", nargs="*", type=Path, metavar="SPEC")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jobs", help="derive so many times side by side; by default as many as there are usable cores")
    asked = parser.parse_args()
    options = ["--jobs", asked.jobs] if asked.jobs else []
    seconds(IMPORT, os.environ)
    for spec in asked.specs or [shipped_specs() / f"{name}.yaml" for name in SPECS]:
        print(row(spec, [measured(spec, options) for _ in range(asked.rounds)]), flush=True)


if __name__ == "__main__":
    main()
