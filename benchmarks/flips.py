"""What flips cost beside streams: whoever cannot change who is best is not simulated, against simulating all of them at each value.

`python -m benchmarks.flips [--spec SPEC] [--batch B] [--times N] [--simulated N]`

The spec is planned with the policy `streams` added. Of the values that are looked at literally, each of its designs on streams is simulated
anew at a few, and the time is scaled to all values of the moved times; both run in this process, one after the other. The goal is ten
times. What the number does not compare: bisecting, which the literal way would have to simulate as well.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

from megasolve.contracts import Study, check_spec, shipped_specs
from megasolve.simulate import Effects, Objective
from megasolve.simulate.predict.scoring import value_ps
from megasolve.solver import Derivation, How
from megasolve.solver.robust.designs import designs_of
from megasolve.solver.robust.flips import FAR, Flipping
from megasolve.solver.robust.moves import Move, values_away
from megasolve.solver.sweep.planner import Planner


def main() -> None:
    """Print the ratio for the first times of a spec."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spec", type=Path, default=shipped_specs() / "nh_tts.yaml")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--times", type=int, default=6)
    parser.add_argument("--simulated", type=int, default=3)
    asked = parser.parse_args()
    planner = Planner(_on_streams(check_spec(asked.spec)[0]), How(Derivation(), Effects()))
    judge = planner.judge(asked.batch, Objective.FIRST_PUBLICATION)
    designs = designs_of(judge, planner.plan(judge).ranking)
    moves = [Move((number,), (one.ps,), one.ps // 2, one.ps * FAR) for number, one in enumerate(designs.times[: asked.times])]
    begun = time.perf_counter()
    flipping = Flipping(designs)
    found = [flipping.flips(move) for move in moves]
    ours = time.perf_counter() - begun
    taken, values = 0.0, 0
    for move in moves:
        dear = {designs.function_of(one): one for one in designs.designs if one.is_dear and one.times & {*move.times}}
        away = [int(value) for side in values_away(move) for value in side]
        # Those that are nearest cost the least: the number is no larger than it is.
        nearest = sorted(away, key=lambda value: abs(value - move.start))[: asked.simulated]
        begun = time.perf_counter()
        for value in nearest:
            for one in dear.values():
                value_ps(one.at(move.at(value)), Objective.FIRST_PUBLICATION)
        taken += (time.perf_counter() - begun) / max(len(nearest), 1) * len(away)
        values += len(away)
    flips = sum(flip is not None for pair in found for flip in pair)
    print(f"{asked.spec.stem}, batch {asked.batch}: {len(designs.designs)} designs, {len(moves)} times, {flips} flips in {ours:.1f} s")
    print(f"all of them at {values:,} values, scaled: {taken:.0f} s, {taken / ours:.0f} times as long (goal: at least 10)")


def _on_streams(study: Study) -> Study:
    spec = study.spec.value
    policies = tuple(dict.fromkeys((*spec.policies, "streams")))
    return replace(study, spec=replace(study.spec, value=spec.model_copy(update={"policies": policies})), is_checked=False)


if __name__ == "__main__":
    main()
