"""Whether compiling the event engine would pay: what it takes of a command, against what handing it the graphs would take.

`python -m benchmarks.compiled_events [SPEC...]`

For each spec, the processor's time of `solve` with every derived time at hand, and of it

- *in whole numbers*: the simulations that a compiled engine could make faster.
- *in fractions*: those in which memory contends. Their times are rationals, which stay in Python.
- *filling arrays*: the least that a compiled engine has to be given, one row a node and one an edge, made from the same graphs.

Below them, what loading the compiler takes, against the simulations in whole numbers of all these specs together. Compiling pays where
loading and filling arrays take less than these do.

What the numbers do not compare: a compiled loop, which is taken to be infinitely fast.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

import numpy as np

from megasolve.contracts import check_spec, shipped_specs
from megasolve.simulate import Deadlock, EventGraph, Outcome
from megasolve.simulate.events.engine import simulate
from megasolve.solver import Cache, Derivation, solve

Found = TypeVar("Found")
SPECS = ("nh_tts", "nh_tts_standin", "qwen3_tts", "llama_1b", "streamlet")


@dataclass(slots=True)
class Tally:
    """How many graphs and nodes were simulated, and how many seconds that took, by whether times are whole, and the filling of arrays."""

    graphs: int = 0
    nodes: int = 0
    whole: float = 0.0
    fractions: float = 0.0
    filling: float = 0.0


def arrays_of(graph: EventGraph) -> tuple[Any, ...]:
    """Return the nodes of *graph* and what they wait for as arrays."""
    nodes = np.array(
        [(node.duration_ps, int(node.demand), -1 if node.launch is None else node.launch) for node in graph.nodes], dtype=np.int64
    )
    counts = np.array([len(before) for before in graph.predecessors], dtype=np.int32)
    edges = np.array([one for before in graph.predecessors for one in before], dtype=np.int32)
    return nodes, counts, edges


@contextmanager
def watched() -> Iterator[Tally]:
    """Note every simulation of a score."""
    tally = Tally()

    def noted(graph: EventGraph) -> Outcome | Deadlock:
        tally.filling += taken(lambda: arrays_of(graph))[0]
        seconds, outcome = taken(lambda: simulate(graph))
        tally.graphs, tally.nodes = tally.graphs + 1, tally.nodes + len(graph.nodes)
        if isinstance(outcome, Outcome) and any(isinstance(at, Fraction) for at in outcome.finish):
            tally.fractions += seconds
        else:
            tally.whole += seconds
        return outcome

    with patch("megasolve.simulate.predict.scoring.simulate", noted):
        yield tally


def taken(work: Callable[[], Found]) -> tuple[float, Found]:
    """Return the processor's time of *work* and what it gave."""
    begun = time.process_time()
    found = work()
    return time.process_time() - begun, found


def row(spec: Path, folder: Path) -> tuple[str, float]:
    """Return one line of the table, and how long the simulations in whole numbers took."""
    study, derivation = check_spec(spec)[0], Derivation(cache=Cache(folder))
    solve(study, derivation=derivation)
    with watched() as tally:
        whole, _ = taken(lambda: solve(study, derivation=derivation))
    parts = {"in whole numbers": tally.whole, "in fractions": tally.fractions, "filling arrays": tally.filling}
    shares = ", ".join(f"{what} {seconds / whole:5.1%}" for what, seconds in parts.items())
    return f"{spec.stem:<16} {tally.graphs:4} graphs, {tally.nodes:5,} nodes, of solve: {shares}", tally.whole


def main() -> None:
    """Print a line for each spec, and what loading the compiler takes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("specs", nargs="*", type=Path, metavar="SPEC")
    asked = parser.parse_args()
    simulating = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for spec in asked.specs or [shipped_specs() / f"{name}.yaml" for name in SPECS]:
            line, seconds = row(spec, Path(folder))
            simulating += seconds
            print(line, flush=True)
    loading = "import time, numpy; begun = time.process_time(); from llvmlite import binding; print(time.process_time() - begun)"
    loaded = float(subprocess.run([sys.executable, "-c", loading], check=True, capture_output=True, text=True).stdout)
    print(f"loading the compiler takes {loaded / simulating:.1f} times as long as all of these simulations together")


if __name__ == "__main__":
    main()
