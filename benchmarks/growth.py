"""How the time of `solve` grows with the stream: producer steps doubled from 8 to 4,096, as ratios to 8 steps.

`python -m benchmarks.growth [--rounds N]`

- *before*: all steps but one come before the first chunk is ready; they are one max-plus power in the lowering.
- *after*: all steps but one come after it, beside the consumer; what outlasts the consumer is one node.
- *lowered node by node*: the same scores from FULL lowering, which has nodes for every launch and step (until 512 steps).

What the numbers do not compare: the planner with another planner, or reading files. Every ratio is taken within one round.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from megasolve.contracts import Study, check_spec, shipped_specs
from megasolve.simulate import Detail, score
from megasolve.solver import BatchResult, solve

STEPS = tuple(8 << doubling for doubling in range(10))
FULL_STEPS = tuple(steps for steps in STEPS if steps <= 512)
BATCH = 32


def stretched(study: Study, *, before: int, after: int) -> Study:
    """Return *study* with *before* producer steps until the first chunk is ready, and *after* until it may be published."""
    stream = study.spec.value.stream
    if stream is None:
        raise ValueError("only a spec with a stream schedule has steps to stretch")
    changed = stream.model_copy(update={"delay": 0, "first_chunk": before, "lookahead": after})
    value = study.spec.value.model_copy(update={"stream": changed})
    return replace(study, spec=type(study.spec)(study.spec.file, value, study.spec.places))


def planned(study: Study) -> BatchResult:
    """Rank the whole candidate space once."""
    return solve(study, batches=[BATCH]).results[0]


def seconds(work: Callable[[], object]) -> float:
    """Return the time of one run."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def node_by_node(study: Study) -> Callable[[], object]:
    """Return the scoring of every candidate of *study* from its full event graph."""
    compositions = [row.composed.composition for row in planned(study).ranking]
    return lambda: [score(composition, detail=Detail.FULL) for composition in compositions]


def ratios(works: list[Callable[[], object]], rounds: int) -> list[float]:
    """Return the median time of each work over that of the first, each pair from one round, after one round of warm-up."""
    timed = [[seconds(work) for work in works] for _ in range(rounds + 1)][1:]
    return [statistics.median(each[index] / each[0] for each in timed) for index in range(len(works))]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    study, _ = check_spec(shipped_specs() / "nh_tts.yaml")
    before = [stretched(study, before=steps - 1, after=1) for steps in STEPS]
    after = [stretched(study, before=1, after=steps - 1) for steps in STEPS]
    columns = [
        ratios([partial(planned, one) for one in before], rounds),
        ratios([partial(planned, one) for one in after], rounds),
        ratios([node_by_node(one) for one in before[: len(FULL_STEPS)]], min(rounds, 1)),
    ]
    print(f"{'steps':>6} {'before':>8} {'after':>8} {'node by node':>14}   (times the 8-step run; 81 candidates each)")
    for index, steps in enumerate(STEPS):
        cells = [f"{column[index]:.2f}x" if index < len(column) else "-" for column in columns]
        print(f"{steps:>6} {cells[0]:>8} {cells[1]:>8} {cells[2]:>14}")


if __name__ == "__main__":
    main()
