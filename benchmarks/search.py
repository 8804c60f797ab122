"""How a search grows with the number of groups: time, simulations, and its scores beside exhaustive search, in one run.

`python -m benchmarks.search [--groups N ...] [--entries N]`

Studies are chains with a megakernel entry, or several, for every run of groups, and eager kernels at both ends whose host is the limit.

- *proven*: seconds until the ten best designs are proven, without reading files; *simulated*: designs that were simulated for it.
- *against all*: the same scores from ranking the whole space, where it has at most 2,000 candidates, and how much longer that takes.

What the numbers do not compare: the planner with another planner, or reading files.
"""

from __future__ import annotations

import argparse
import time
from random import Random

from megasolve.contracts import Study
from megasolve.simulate import Objective
from megasolve.solver import Judge, Question, size_of
from megasolve.solver.optimize.hunt import Hunt
from megasolve.solver.select.selection import rank
from tests.support.planning.chains import chain_study

SIZES = (6, 7, 8, 10, 12, 16, 20, 28, 40)


def question_of(study: Study) -> Judge:
    """Return what is asked of *study*."""
    return Judge(study, Question(study.spec.value, 1, Objective.FIRST_PUBLICATION))


def line_of(groups: int, entries: int) -> str:
    """Search one chain, and rank it whole where it is small."""
    study = chain_study(Random(groups), groups, entries)
    size = size_of(study)
    begun = time.perf_counter()
    found = Hunt(question_of(study)).run()
    taken = time.perf_counter() - begun
    about = f"{groups:>6} {size.variants:>12.3g} {taken:>9.2f} {found.state.simulated:>9} {'yes' if found.is_proven else 'no':>6}"
    if not size.is_small:
        return f"{about} {'-':>11}"
    begun = time.perf_counter()
    whole = [row.score_ps for row in rank(question_of(study)).ranking if row.same_as is None][: len(found.hits)]
    ratio = (time.perf_counter() - begun) / taken
    return f"{about} {'equal' if whole == [hit.score_ps for hit in found.hits] else 'UNEQUAL':>7}, {ratio:.1f}x"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--groups", type=int, nargs="+", default=SIZES)
    parser.add_argument("--entries", type=int, default=2)
    asked = parser.parse_args()
    print(f"{'groups':>6} {'variants':>12} {'proven s':>9} {'simulated':>9} {'proven':>6} {'against all':>11}")
    for groups in asked.groups:
        print(line_of(groups, asked.entries), flush=True)


if __name__ == "__main__":
    main()
