"""What the chances of a plan cost: scores as functions of records against solving again for each draw.

`python -m benchmarks.robust [--spec SPEC] [--batch B] [--draws N] [--solved N]`

Of the draws the first ones are solved again, all by default only where they are few, and their time is scaled to all; each must have
the same winners. Both run in this process on a study that is loaded, so that neither pays for Python or for reading files, nor solving
for the study of a draw. The goal is a hundred times. What the number does not compare: flips, which no draw is needed for.
"""

from __future__ import annotations

import argparse
import time
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np

from megasolve.contracts import Study, check_spec, shipped_specs
from megasolve.contracts.fields.named import named_fields
from megasolve.contracts.fields.setting import with_value
from megasolve.simulate import Effects, Objective
from megasolve.solver import Derivation, Drawing, How, solve
from megasolve.solver.robust.chances import chances
from megasolve.solver.robust.designs import designs_of
from megasolve.solver.robust.draws import drawn_times
from megasolve.solver.sweep.planner import Planner


def main() -> None:
    """Print the ratio, and how many of the draws that were solved again have the same winners."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spec", type=Path, default=shipped_specs() / "nh_tts.yaml")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--draws", type=int, default=2_000)
    parser.add_argument("--solved", type=int, default=40)
    asked = parser.parse_args()
    study, drawing = check_spec(asked.spec)[0], Drawing(asked.draws, accuracy=Fraction(1, 20))
    planner = Planner(study, How(Derivation(), Effects()))
    judge = planner.judge(asked.batch, Objective.FIRST_PUBLICATION)
    plan = planner.plan(judge)
    begun = time.perf_counter()
    designs = designs_of(judge, plan.ranking)
    found = chances(designs, drawing)
    ours = time.perf_counter() - begun
    if found is None:
        raise SystemExit("no time of this spec was drawn")
    drawn = drawn_times(designs.times, drawing)
    taken, same = 0.0, 0
    for draw in range(min(asked.solved, asked.draws)):
        drawn_study = with_times(study, {one.path: int(drawn[number][draw]) for number, one in enumerate(designs.times) if one.path})
        begun = time.perf_counter()
        best = {*solve(drawn_study, batches=[asked.batch]).results[0].best}
        taken += time.perf_counter() - begun
        same += best == {designs.rows[row].id for row in np.flatnonzero(found.wins[:, draw])}
    again = taken / asked.solved * asked.draws
    print(f"{asked.spec.stem}, batch {asked.batch}: {len(designs.designs)} designs, {asked.draws:,} draws in {ours:.2f} s")
    print(f"solving again, {asked.solved:,} of them, scaled to all: {again:.0f} s, {again / ours:.0f} times as long (goal: at least 100)")
    print(f"same winners in {same:,} of {asked.solved:,}")


def with_times(study: Study, times: dict[str, int]) -> Study:
    """Return *study* where the records at these paths take so many picoseconds."""
    for path, ps in times.items():
        study = with_value(study, path, named_fields(study, path), Decimal(ps).scaleb(-6))
    return study


if __name__ == "__main__":
    main()
