"""The bound of a score: the longest path through the event graph, with every task at its standalone time.

A node starts no earlier than its predecessors end and takes no less than its standalone time, because rates are at most 1; waiting for
CTAs or for a slot could only add to that. So no score is below the longest path to its publication. A serial score *is* that path.
"""

from __future__ import annotations

from fractions import Fraction

from ..events.graph import EventGraph
from ..plan.objective import Objective
from .composition import Composition
from .scoring import event_graph


def longest_path_ps(graph: EventGraph) -> int:
    """Return the length of the longest path to the publication of *graph*, to its last node where it has none."""
    ends: list[int] = []
    for node, before in zip(graph.nodes, graph.predecessors, strict=True):
        ends.append(node.duration_ps + max((ends[one] for one in before), default=0))
    return max(ends, default=0) if graph.publication is None else ends[graph.publication]


def lower_bound(composition: Composition, objective: Objective = Objective.FIRST_PUBLICATION) -> int | Fraction:
    """Return a time that no score of *composition* is below."""
    graph, divisor = event_graph(composition, objective)
    bound = Fraction(longest_path_ps(graph), divisor)
    return bound.numerator if bound.denominator == 1 else bound
