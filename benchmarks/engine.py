"""The engine against Algorithm 1 as printed and against SimPy: ``python -m benchmarks.engine [--quick]``."""

from __future__ import annotations

import argparse
import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isclose
from statistics import median
from time import perf_counter
from typing import TypeAlias

from megasolve.simulate.events.arithmetic import EXACT, FLOAT, Arithmetic, Time
from megasolve.simulate.events.engine import Simulation
from megasolve.simulate.events.graph import EventGraph
from megasolve.simulate.events.outcome import Outcome
from megasolve.simulate.events.tables import Tables, tables_of

from .literal import Literal
from .simpy_forms import Tuned, process_per_task
from .workloads import CHAINS, LAYERS, WIDE, Shape, workload

Form: TypeAlias = Callable[[EventGraph, Tables], Sequence[Time]]

HEADER = """\
How many times longer than megasolve's engine, on the same graph, with equal finish times: the median of the ratios within a
round, and their range. Forms run interleaved; each starts from the same lists, so reading the graph is timed for none.
Not compared: floats with rationals (each row stays in one arithmetic); other admission rules (all forms pass over a launch that
does not fit); ties (durations are random, so that forms without the rule "one instant" reach the same schedule); SimPy's
own resource for sharing bandwidth (it has none: both SimPy forms use the engine's virtual clock); speed outside Python."""


@dataclass(frozen=True, slots=True)
class Row:
    """One form on one graph in one arithmetic: its time over the engine's, one ratio per round."""

    shape: str
    nodes: int
    arithmetic: str
    form: str
    ratios: tuple[float, ...]

    def __str__(self) -> str:
        spread = f"{min(self.ratios):.1f} to {max(self.ratios):.1f}"
        return f"{self.shape:8} {self.nodes:>7,}  {self.arithmetic:10} {self.form:44} {median(self.ratios):7.1f}   {spread}"


def engine(graph: EventGraph, tables: Tables) -> Sequence[Time]:
    """Simulate with megasolve."""
    outcome = Simulation(graph, tables).run()
    if not isinstance(outcome, Outcome):
        raise TypeError(str(outcome))
    return outcome.finish


def printed(graph: EventGraph, tables: Tables) -> Sequence[Time]:
    """Simulate as Algorithm 1 is printed."""
    return Literal(graph, tables, incremental=False).run()


def incremental(graph: EventGraph, tables: Tables) -> Sequence[Time]:
    """Simulate as Algorithm 1 is printed, but look only at the part of READY that changed."""
    return Literal(graph, tables, incremental=True).run()


def tuned(graph: EventGraph, tables: Tables) -> Sequence[Time]:
    """Simulate with SimPy's events and callbacks."""
    return Tuned(graph, tables).run()


LITERAL_FORMS: dict[str, Form] = {"Algorithm 1, READY kept incrementally": incremental, "Algorithm 1 as printed": printed}
FLOAT_FORMS: dict[str, Form] = {
    **LITERAL_FORMS,
    "SimPy, callbacks and counters": tuned,
    "SimPy, one process per task": process_per_task,
}


def compare(shape: Shape, nodes: int, arithmetic: Arithmetic, forms: dict[str, Form], rounds: int) -> list[Row]:
    """Time every form once per round, beside the engine, after checking that all finish times agree."""
    graph = workload(shape, nodes)
    tables = tables_of(graph, arithmetic)
    expected = engine(graph, tables)
    ratios: dict[str, list[float]] = {name: [] for name in forms}
    for _ in range(rounds):
        base, _ = timed(engine, graph, tables)
        for name, form in forms.items():
            seconds, finish = timed(form, graph, tables)
            if not all(map(_equal_in(arithmetic), finish, expected)):
                raise AssertionError(f"{name} finishes at other times than the engine on {shape.name}")
            ratios[name].append(seconds / base)
    return [Row(shape.name, len(graph.nodes), arithmetic.value, name, tuple(each)) for name, each in ratios.items()]


def timed(form: Form, graph: EventGraph, tables: Tables) -> tuple[float, Sequence[Time]]:
    """Return the seconds that *form* takes, and its finish times."""
    gc.collect()
    begin = perf_counter()
    finish = form(graph, tables)
    return perf_counter() - begin, finish


def _equal_in(arithmetic: Arithmetic) -> Callable[[Time, Time], bool]:
    if arithmetic is EXACT:
        return lambda one, other: one == other
    return lambda one, other: isclose(one, other, rel_tol=1e-9)


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="2,000 nodes and three rounds instead of 10,000 and seven")
    nodes, rounds = (2_000, 3) if parser.parse_args().quick else (10_000, 7)
    print(HEADER)
    print(f"\n{'graph':8} {'nodes':>7}  {'arithmetic':10} {'form':44} {'times':>7}   range")
    for shape in (CHAINS, LAYERS, WIDE):
        for row in compare(shape, nodes, FLOAT, FLOAT_FORMS, rounds):
            print(row)
        for row in compare(shape, nodes, EXACT, LITERAL_FORMS, 1 if shape is WIDE else 2):
            print(row)


if __name__ == "__main__":
    main()
