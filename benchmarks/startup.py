"""What starting costs: whole commands against the least that any program of their kind pays, in turn, as ratios.

`python -m benchmarks.startup [--rounds N]`

- The whole `megasolve specs/nh_tts.yaml` against a bare `import ortools.sat.python.cp_model` (goal: at most 2.8 times).
- `megasolve check` on 200 contract files against starting Python (goal: at most 50 times).

What the numbers do not compare: planning with another planner, or checking with another checker. Both baselines do nothing.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from megasolve.contracts import shipped_specs

CONTRACT = """\
megasolve: contract/v1
entry: K{index}
backend: megakernel
members: [K{index}]
budgets_ctas: [132, 88, 44]
launch: {{threads: 512, registers: 128, shared_bytes: 131072, cooperative: true}}
dispatch: {{kind: cooperative, host_waits: true, host_us: 45, exposed_us: 5}}
loops_on_device: true
"""


def seconds(command: Sequence[str]) -> float:
    """Run *command* to its end, output discarded, and return its wall time."""
    begun = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun


def ratios(command: Sequence[str], baseline: Sequence[str], rounds: int) -> list[float]:
    """Return the time of *command* over that of *baseline*, one pair after the other, after one pair of warm-up."""
    pairs = [(seconds(command), seconds(baseline)) for _ in range(rounds + 1)]
    return [timed / base for timed, base in pairs[1:]]


def row(what: str, goal: str, found: list[float]) -> str:
    """Return one line of the table."""
    return f"{what:<66} {statistics.median(found):6.2f}x  [{min(found):.2f}..{max(found):.2f}]  goal {goal}"


def write_contracts(folder: Path, count: int) -> None:
    """Write *count* small contracts into *folder*."""
    for index in range(count):
        (folder / f"k{index:03d}.yaml").write_text(CONTRACT.format(index=index), encoding="utf-8")


def main() -> None:
    """Print both ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    megasolve = [sys.executable, "-m", "megasolve.cli"]
    spec = str(shipped_specs() / "nh_tts.yaml")
    solved = ratios([*megasolve, spec], [sys.executable, "-c", "import ortools.sat.python.cp_model"], rounds)
    print(row("megasolve nh_tts.yaml (3 batches, 81 candidates) / import OR-Tools", "<= 2.8x", solved))
    with tempfile.TemporaryDirectory() as folder:
        write_contracts(Path(folder), 200)
        checked = ratios([*megasolve, "check", folder], [sys.executable, "-c", "pass"], rounds)
    print(row("megasolve check, 200 contract files / start Python", "<= 50x", checked))


if __name__ == "__main__":
    main()
