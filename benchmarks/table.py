"""What a service table costs: the largest shipped spec that has programs, from nothing and from the cache.

`python -m benchmarks.table [--spec SPEC] [--rounds N]`

Both run in this process, so that starting Python and loading the solver, which both pay, do not hide the ratio (goal: cached at
most a tenth of cold). The files of the spec are read once, outside of both. A cached table still expands nothing and schedules
nothing: it computes digests and reads one small file per value.

What the number does not compare: this scheduler with another one. See `benchmarks.tiles` for its speed.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from megasolve.contracts import Study, check_spec, shipped_specs
from megasolve.solver import Cache, Derivation, service_table


def largest_with_programs() -> Path | None:
    """Return the shipped spec whose table has the most rows that a program could fill."""
    specs = sorted(shipped_specs().glob("*.yaml"))
    sizes = {spec: _programs(check_spec(spec)[0]) for spec in specs}
    largest = max(specs, key=lambda spec: sizes[spec])
    return largest if sizes[largest] else None


def _programs(study: Study) -> int:
    rows = sum(len(one.value.programs) * max(len(one.value.budgets), 1) for one in study.contracts)
    return rows * len(study.spec.value.batches)


def seconds(study: Study, folder: Path) -> float:
    """Return the wall time of the whole table with the cache in *folder*."""
    begun = time.perf_counter()
    service_table(study, derivation=Derivation(cache=Cache(folder)))
    return time.perf_counter() - begun


def main() -> None:
    """Print the ratio of a cached table to a cold one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spec", type=Path, help="this spec instead of the largest shipped one")
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    spec = asked.spec or largest_with_programs()
    if spec is None:
        print("no shipped spec has programs")
        return
    study, _ = check_spec(spec)
    found = []
    for _ in range(asked.rounds):
        with tempfile.TemporaryDirectory() as folder:
            cold, cached = seconds(study, Path(folder)), seconds(study, Path(folder))
            found.append(cached / cold)
    what = f"table of {spec.name}, {_programs(study)} programs, cached / cold"
    print(f"{what:<66} {statistics.median(found):6.4f}x  [{min(found):.4f}..{max(found):.4f}]  goal <= 0.1x")


if __name__ == "__main__":
    main()
