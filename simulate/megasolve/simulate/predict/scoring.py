"""Scores: the simulated objective of a composition, whole or under one of the paper's two ablations (section VI-B)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import inf

from ..events.engine import finishes_until, simulate
from ..events.graph import EventGraph
from ..events.outcome import Deadlock, Outcome
from ..plan.objective import Objective
from ..plan.sharing import Sharing
from .composition import Composition
from .cycles.forked import forked_ps
from .lowering.load import could_go_on, first_load, is_over
from .lowering.lower import lower
from .lowering.writer import Ahead, Detail
from .steady import lower_cycle
from .worlds.behind import KnownBehind


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
    load_steps: int = 0,
) -> tuple[EventGraph, int]:
    """Return the event graph of an objective and the divisor of its publication's time; *load_steps* as for `lower`."""
    if objective is Objective.FIRST_PUBLICATION:
        return lower(composition, detail=detail, serialized=serialized, ahead=ahead, load_steps=load_steps), 1
    cycle = lower_cycle(composition, objective, detail=detail, serialized=serialized)
    return cycle.graph, cycle.divisor


def score(
    composition: Composition,
    objective: Objective = Objective.FIRST_PUBLICATION,
    *,
    ablation: Ablation = Ablation.FULL,
    detail: Detail = Detail.COMPACT,
    ahead: Ahead | None = None,
    is_loaded: bool = False,
) -> Score | Deadlock:
    """Simulate the composition and return its score, or the deadlock that it runs into.

    With *ahead*, a split begins when host and device are free at these times, whatever the composition has before it. On partitions and
    streams the producers go on behind step h until the publication; if it *is_loaded*, they do so under a split, too.
    """
    goes_on = composition.sharing in (Sharing.PARTITION, Sharing.STREAMS) or (
        is_loaded and composition.sharing in (Sharing.FIXED, Sharing.DYNAMIC)
    )
    is_first = ablation is Ablation.FULL and objective is Objective.FIRST_PUBLICATION
    load_steps = first_load(composition) if goes_on and is_first else 0
    serialized = ablation is not Ablation.FULL
    graph, divisor = event_graph(composition, objective, detail=detail, serialized=serialized, ahead=ahead, load_steps=load_steps)
    if ablation is Ablation.ADDITIVE:
        return Score(_whole(Fraction(sum(node.duration_ps for node in graph.nodes), divisor)), graph, None, divisor)
    outcome = simulate(graph)
    while not isinstance(outcome, Deadlock) and load_steps and _ends_early(composition, graph, outcome, load_steps):
        load_steps *= 2
        graph, divisor = event_graph(composition, objective, detail=detail, load_steps=load_steps)
        outcome = simulate(graph)
    if isinstance(outcome, Deadlock):
        return outcome
    if graph.publication is None:
        raise ValueError("an event graph without a publication has no score")
    return Score(_whole(Fraction(outcome.finish[graph.publication]) / divisor), graph, outcome, divisor)


def value_ps(
    composition: Composition,
    objective: Objective = Objective.FIRST_PUBLICATION,
    *,
    known: KnownBehind | None = None,
    at_most: Fraction | None = None,
) -> int | Fraction | float | Deadlock:
    """Return the value of `score` alone: what runs on behind the publication is not simulated, and equal steps only once.

    With *known*, what other compositions of the same question run behind step r is not simulated again. Where the value is above
    *at_most*, infinity may stand in its place.
    """
    if (folded := forked_ps(composition, objective)) is not None:
        per_cycle = composition.schedule.cycle_steps if objective is Objective.PRODUCER_STEP else 1
        return folded if isinstance(folded, Deadlock) else _whole(folded / per_cycle)
    if known is not None and composition.sharing is Sharing.STREAMS and objective is Objective.FIRST_PUBLICATION:
        published = known.published_ps(composition, at_most)
        if published is not None:
            return _whole(published) if isinstance(published, Fraction) else published
    goes_on = composition.sharing in (Sharing.PARTITION, Sharing.STREAMS) and objective is Objective.FIRST_PUBLICATION
    load_steps = first_load(composition) if goes_on else 0
    while True:
        graph, divisor = event_graph(composition, objective, load_steps=load_steps)
        if graph.publication is None:
            raise ValueError("an event graph without a publication has no score")
        finish = finishes_until(graph, graph.publication, None if at_most is None else at_most * divisor)
        if isinstance(finish, Deadlock):
            return finish
        if not (load_steps and could_go_on(composition, graph, load_steps) and is_over(finish, graph)):
            published_ps = finish[graph.publication]
            return inf if published_ps is None else _whole(Fraction(published_ps) / divisor)
        load_steps *= 2


def _ends_early(composition: Composition, graph: EventGraph, outcome: Outcome, load_steps: int) -> bool:
    """Whether the load behind step h is over before the publication, and could go on: what starts later changes nothing before."""
    return could_go_on(composition, graph, load_steps) and is_over(outcome.finish, graph)


def _whole(value: Fraction) -> int | Fraction:
    return value.numerator if value.denominator == 1 else value
