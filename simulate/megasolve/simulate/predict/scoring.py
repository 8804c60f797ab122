"""Scores: the simulated objective of a composition, whole or under one of the paper's two ablations (section VI-B)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from ..events.engine import simulate
from ..events.graph import EventGraph
from ..events.outcome import Deadlock, Outcome
from ..plan.objective import Objective
from .composition import Composition
from .lowering.lower import lower
from .lowering.writer import Ahead, Detail
from .steady import lower_cycle


class Ablation(Enum):
    """FULL is the planner. ADDITIVE sums service and dispatch. NO_OVERLAP serializes all nodes in program order."""

    FULL = "full"
    ADDITIVE = "additive"
    NO_OVERLAP = "no_overlap"


@dataclass(frozen=True, slots=True)
class Score:
    """A score in picoseconds with the graph and the outcome that it was read from, if there was one to simulate.

    The score is the publication's time over *divisor* (above 1 only for the steady objectives).
    """

    value_ps: int | Fraction
    graph: EventGraph
    outcome: Outcome | None
    divisor: int = 1


def event_graph(
    composition: Composition,
    objective: Objective,
    *,
    detail: Detail = Detail.COMPACT,
    serialized: bool = False,
    ahead: Ahead | None = None,
) -> tuple[EventGraph, int]:
    """Return the event graph of an objective and the divisor of its publication's time."""
    if objective is Objective.FIRST_PUBLICATION:
        return lower(composition, detail=detail, serialized=serialized, ahead=ahead), 1
    cycle = lower_cycle(composition, objective, detail=detail, serialized=serialized)
    return cycle.graph, cycle.divisor


def score(
    composition: Composition,
    objective: Objective = Objective.FIRST_PUBLICATION,
    *,
    ablation: Ablation = Ablation.FULL,
    detail: Detail = Detail.COMPACT,
    ahead: Ahead | None = None,
) -> Score | Deadlock:
    """Simulate the composition and return its score, or the deadlock that it runs into.

    With *ahead*, a split begins when host and device are free at these times, whatever the composition has before it.
    """
    graph, divisor = event_graph(composition, objective, detail=detail, serialized=ablation is not Ablation.FULL, ahead=ahead)
    if ablation is Ablation.ADDITIVE:
        return Score(_whole(Fraction(sum(node.duration_ps for node in graph.nodes), divisor)), graph, None, divisor)
    outcome = simulate(graph)
    if isinstance(outcome, Deadlock):
        return outcome
    if graph.publication is None:
        raise ValueError("an event graph without a publication has no score")
    return Score(_whole(Fraction(outcome.finish[graph.publication]) / divisor), graph, outcome, divisor)


def _whole(value: Fraction) -> int | Fraction:
    return value.numerator if value.denominator == 1 else value
