"""The engine against the literal Algorithm 1, and the laws that any simulation of it obeys."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from megasolve.simulate.arithmetic import FLOAT
from megasolve.simulate.engine import simulate
from megasolve.simulate.graph import Admission, EventGraph, Node, NodeKind
from megasolve.simulate.outcome import Deadlock, Outcome
from tests.support.algorithm1 import Stuck, simulate_literally
from tests.support.graphs import BANDWIDTH, Family, Sketch, event_graphs

ALL = Family()
ALL_OR_NOTHING = Family(kinds=(Admission.COOPERATIVE,))
NEVER_ZERO = Family(floor_ps=1)
ROOMY = Family(kinds=(Admission.COOPERATIVE,), roomy=True)


def finished(graph: EventGraph) -> Outcome:
    """Simulate a graph that is known to finish."""
    outcome = simulate(graph)
    assert isinstance(outcome, Outcome), str(outcome)
    return outcome


def agree(outcome: Outcome | Deadlock, literal: list[Fraction] | Stuck) -> bool:
    """Whether both finish at the same rationals, or both stop at the same place with the same holders."""
    if isinstance(outcome, Outcome):
        return list(outcome.finish) == literal
    if not isinstance(literal, Stuck):
        return False
    held = {holder.launch: holder.ctas for holder in outcome.holding}
    return (outcome.at, outcome.free_ctas, held, outcome.unfinished) == (
        literal.at,
        literal.free_ctas,
        literal.held,
        len(literal.undone),
    )


@settings(max_examples=400, deadline=None)
@given(event_graphs(ALL))
def test_the_engine_equals_algorithm_1_with_instants_settled(graph: EventGraph) -> None:
    assert agree(simulate(graph), simulate_literally(graph))


@settings(max_examples=150, deadline=None)
@given(event_graphs(ALL_OR_NOTHING))
def test_the_engine_equals_algorithm_1_where_all_launches_are_all_or_nothing(graph: EventGraph) -> None:
    assert agree(simulate(graph), simulate_literally(graph))


@settings(max_examples=200, deadline=None)
@given(event_graphs(NEVER_ZERO))
def test_the_engine_equals_algorithm_1_as_printed_where_no_node_takes_zero_time(graph: EventGraph) -> None:
    assert agree(simulate(graph), simulate_literally(graph, settle=False))
