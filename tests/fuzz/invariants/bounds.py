"""A time that no schedule of a composition beats: the calls of its groups at their standalone durations, launches and gaps for nothing.

The calls of one group, and the groups of one step, follow each other under every policy; only a chunk runs beside steps. Of the times under
the whole device and under a split the smaller one is taken.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from megasolve.simulate import Composition, Objective, Phase, Sharing


def least_ps(composition: Composition, objective: Objective) -> Fraction:
    """Return what the objective of *composition* takes at least."""
    steps, chunk = _sum(composition, composition.producers), _sum(composition, composition.consumers)
    if objective is Objective.PRODUCER_STEP:
        return Fraction(steps)
    if objective is Objective.CHUNK_INTERVAL:
        return Fraction(_beside(composition, composition.schedule.cycle_steps * steps, chunk))
    return Fraction(_least_first_publication(composition, steps, chunk))


def _least_first_publication(composition: Composition, step: int, chunk: int) -> int:
    schedule = composition.schedule
    if composition.consumers:
        before = _sum(composition, composition.admission) + schedule.ready_step * step
        return before + _beside(composition, (schedule.horizon_step - schedule.ready_step) * step, chunk)
    waited = schedule.publication
    if waited in composition.admission:
        return _sum(composition, _up_to(composition.admission, waited))
    whole = _sum(composition, composition.admission) + (schedule.horizon_step - 1) * step
    return whole + _sum(composition, _up_to(composition.producers, waited))


def _beside(composition: Composition, steps: int, chunk: int) -> int:
    return steps + chunk if composition.sharing is Sharing.SERIAL else max(steps, chunk)


def _up_to(groups: tuple[str, ...], last: str | None) -> tuple[str, ...]:
    return groups if last is None else groups[: groups.index(last) + 1]


def _sum(composition: Composition, groups: Iterable[str]) -> int:
    return sum(_least_service(composition, group) for group in groups)


def _least_service(composition: Composition, group: str) -> int:
    return min(work.service_ps for phase in Phase if (work := composition.works.get((group, phase))) is not None)
