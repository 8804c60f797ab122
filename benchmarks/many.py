"""What a second process gains on many studies: the same specs and batches by one process and by two, in one run.

`python -m benchmarks.many [--specs N] [--rounds N]`

The specs are copies of a shipped one under other names, so each is read, judged and planned by itself. Both runs take place in this
process, in turns, so that neither pays for starting Python; that of two processes pays for starting those. The best round of each
counts: what else the machine does only ever adds. Goal: at least 1.7 times. What the number does not compare: clusters, and the store,
to which both write.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from pathlib import Path

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
        first = run(specs[:1], 1, Path(folder, "store"))[1]
        rounds = [(run(specs, 1, Path(folder, "store")), run(specs, 2, Path(folder, "store"))) for _ in range(asked.rounds)]
    one, two = min(alone[0] for alone, _ in rounds), min(beside[0] for _, beside in rounds)
    same = len({tuple(lines) for round_ in rounds for _, lines in round_}) == 1
    print(f"{asked.specs} specs, {len(first)} batches each: {one:.1f} s by one process, {two:.1f} s by two")
    print(f"{one / two:.2f} times as fast (goal: at least {GOAL}), {'the same bytes' if same else 'OTHER BYTES'}")


def copies(folder: Path, count: int) -> list[str]:
    """Return the paths of *count* copies of a shipped spec."""
    name = "nh_tts"
    shutil.copytree(shipped_specs() / name, folder / name)
    text = (shipped_specs() / f"{name}.yaml").read_text(encoding="utf-8")
    paths = [folder / f"{name}_{number}.yaml" for number in range(count)]
    for number, path in enumerate(paths):
        path.write_text(text.replace(f"name: {name}\n", f"name: {name}_{number}\n"), encoding="utf-8")
    return list(map(str, paths))


def run(specs: list[str], jobs: int, store: Path) -> tuple[float, list[str]]:
    """Return how long *jobs* processes take for *specs*, and the lines."""
    shutil.rmtree(store, ignore_errors=True)
    answers: list[StudyAnswer] = []
    begun = time.perf_counter()
    with ProcessPool(jobs) as executor:
        solve_studies(specs, AskedStudies(), answers.append, written=solved_line, executor=executor, store=Store(store))
    return time.perf_counter() - begun, [answer.line for answer in answers]


if __name__ == "__main__":
    main()
