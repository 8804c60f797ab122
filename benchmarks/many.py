"""What a second process gains on many studies: the same specs and batches by one process and by two, in one run.

`python -m benchmarks.many [--specs N] [--rounds N]`

The specs are copies of a shipped one under other names, so each is read, judged and planned by itself. Both runs take place in this
process, in turns, so that neither pays for starting Python; that of two processes pays for starting those. The best round of each
counts: what else the machine does only ever adds. Goal: at least 1.7 times. The time on processors, which a busy machine adds little to,
says what working beside each other costs in all. What the number does not compare: clusters, and the store,
to which both write.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from megasolve.contracts import shipped_specs
from megasolve.report import solved_line
from megasolve.solver import AskedStudies, ProcessPool, Store, StudyAnswer, solve_studies

GOAL = 1.7


def main() -> None:
    """Print the ratio, and whether both have said the same."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--specs", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        specs = copies(Path(folder), asked.specs)
        # What both load is loaded before the clock starts.
        first = run(specs[:1], 1, Path(folder, "store")).lines
        rounds = [(run(specs, 1, Path(folder, "store")), run(specs, 2, Path(folder, "store"))) for _ in range(asked.rounds)]
    one, two = (min(rounds_of, key=lambda run: run.seconds) for rounds_of in zip(*rounds, strict=True))
    more = min(beside.worked for _, beside in rounds) / min(alone.worked for alone, _ in rounds) - 1
    same = len({tuple(each.lines) for round_ in rounds for each in round_}) == 1
    print(f"{asked.specs} specs, {len(first)} batches each: {one.seconds:.1f} s by one process, {two.seconds:.1f} s by two")
    print(f"{one.seconds / two.seconds:.2f} times as fast (goal: at least {GOAL}), {'the same bytes' if same else 'OTHER BYTES'}")
    print(f"time on processors: {more:+.0%} by two")


class Run(NamedTuple):
    """How many *seconds* a run took, how long processors *worked* for it, and its *lines*."""

    seconds: float
    worked: float
    lines: list[str]


def copies(folder: Path, count: int) -> list[str]:
    """Return the paths of *count* copies of a shipped spec."""
    name = "nh_tts"
    shutil.copytree(shipped_specs() / name, folder / name)
    text = (shipped_specs() / f"{name}.yaml").read_text(encoding="utf-8")
    paths = [folder / f"{name}_{number}.yaml" for number in range(count)]
    for number, path in enumerate(paths):
        path.write_text(text.replace(f"name: {name}\n", f"name: {name}_{number}\n"), encoding="utf-8")
    return list(map(str, paths))


def run(specs: list[str], jobs: int, store: Path) -> Run:
    """Let *jobs* processes solve *specs*."""
    shutil.rmtree(store, ignore_errors=True)
    answers: list[StudyAnswer] = []
    begun, worked = time.perf_counter(), processor_seconds()
    with ProcessPool(jobs) as executor:
        solve_studies(specs, AskedStudies(), answers.append, written=solved_line, executor=executor, store=Store(store))
    return Run(time.perf_counter() - begun, processor_seconds() - worked, [answer.line for answer in answers])


def processor_seconds() -> float:
    """Return the time on processors of this process and of those that it started and that ended."""
    return sum(os.times()[:4])


if __name__ == "__main__":
    main()
