"""The load behind step h: how many steps of it to simulate, so that the chunk has producers beside it until it is published."""

from __future__ import annotations

from collections.abc import Sequence

from ...events.arithmetic import Time
from ...events.graph import EventGraph
from ..composition import Composition
from .stretches import on_its_side
from .writer import LOAD


def first_load(composition: Composition) -> int:
    """Return how many steps behind step h to begin with: about as many as the chunk can stand beside, one at the least."""
    step, chunk = (on_its_side(composition, groups).service_ps for groups in (composition.producers, composition.consumers))
    return max(1, chunk // max(step, 1) + 1 - (composition.schedule.horizon_step - composition.schedule.ready_step))


def could_go_on(composition: Composition, graph: EventGraph, load_steps: int) -> bool:
    """Whether there is load, and the utterance has more steps than those."""
    length = composition.schedule.length_steps
    return LOAD in graph.labels and (length is None or composition.schedule.horizon_step + load_steps < length)


def is_over(finish: Sequence[Time | None], graph: EventGraph) -> bool:
    """Whether the load ended before the publication, or before the simulation was ended that was to find it."""
    load, published = finish[graph.labels[LOAD]], finish[graph.publication or 0]
    return load is not None and (published is None or load < published)
