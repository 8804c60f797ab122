"""Worlds one by one: where launches of both sides wait for one host, or for SMs, no array says it in one stroke.

A simulation costs far more than a bound, and many worlds are equal for one design, so each is simulated once, and only where it may matter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np

from ...events.outcome import Deadlock
from ...plan.objective import Objective
from ...plan.sharing import Phase, Sharing
from ...plan.works import Service, Work
from ..composition import Composition
from ..lowering.stretches import first_chunk, on_its_side, steps_of
from ..maxplus import advance
from ..occurrences import Runs, blocks_matrix, ready_blocks, serial_blocks
from ..scoring import value_ps
from .behind import KnownBehind
from .many import Array, Many

# What rounding to whole picoseconds, service by service, and floats may take from a bound.
_ROUNDING = 1e-9


def one_by_one(composition: Composition, objective: Objective, worlds: int, at_most: Array | None = None) -> Array:
    """Return the score in each world, by a simulation of it; equal worlds share one.

    Where a bound says that the score is above *at_most*, the bound stands in its place.
    """
    least = np.zeros(worlds) if at_most is None else least_in_worlds(composition, objective, worlds)
    latest = np.full(worlds, np.inf) if at_most is None else at_most
    known: dict[bytes, tuple[float, float]] = {}
    behind = KnownBehind()
    table = _table(composition, worlds)
    found = np.empty(worlds)
    for world in range(worlds):
        if least[world] > latest[world]:
            found[world] = least[world]
            continue
        key = table[:, world].tobytes()
        if key not in known or known[key][1] < latest[world]:
            known[key] = _scored(_in_world(composition, world), objective, behind, float(latest[world])), float(latest[world])
        value, looked_until = known[key]
        # Above what was looked at is above what it may matter for.
        found[world] = np.nextafter(looked_until, np.inf) if np.isinf(value) else value
    return found


def _scored(composition: Composition, objective: Objective, known: KnownBehind, latest: float) -> float:
    """Return the score, infinity where it is above *latest*; no number for a deadlock."""
    scored = value_ps(composition, objective, known=known, at_most=None if np.isinf(latest) else Fraction(latest))
    return np.nan if isinstance(scored, Deadlock) else float(scored)


def least_in_worlds(composition: Composition, objective: Objective, worlds: int) -> Array:
    """Return a time in each world that no score is below; 0 where none is known, as of regions of one step beside each other."""
    if composition.sharing is Sharing.INSIDE:
        return np.zeros(worlds)
    return bounds(composition, objective, worlds) * (1 - _ROUNDING)


def bounds(composition: Composition, objective: Objective, worlds: int) -> Array:
    """Return a time in each world that no score is below: each side alone, behind what comes before both."""
    schedule, chunk = composition.schedule, on_its_side(composition, composition.consumers)
    if objective is not Objective.FIRST_PUBLICATION:
        made = Many.of(steps_of(composition, schedule.cycle_steps, ends=False).service_ps, worlds).ps
        if objective is Objective.PRODUCER_STEP:
            return made / schedule.cycle_steps
        return np.maximum(made, Many.of(chunk.service_ps, worlds).ps)
    left = schedule.horizon_step - schedule.ready_step
    tail = Many.of(steps_of(composition, left, ends=True).service_ps if left else 0, worlds).ps
    chunk_ps = Many.of(first_chunk(composition).service_ps, worlds).ps + _waited(composition, worlds)
    return _ready(composition, worlds) + np.maximum(tail, chunk_ps)


def _waited(composition: Composition, worlds: int) -> Array:
    """Return what the chunk waits for behind step r: nothing, or what another step takes at the least."""
    steps, length = composition.chunk_waits_for - composition.schedule.ready_step, composition.schedule.length_steps
    if composition.sharing is not Sharing.STREAMS or not steps or length is not None:
        return np.zeros(worlds)
    return Many.of(steps_of(composition, steps, ends=True).service_ps, worlds).ps


def _ready(composition: Composition, worlds: int) -> Array:
    """Return a time that step r does not end before."""
    if composition.sharing is Sharing.STREAMS:
        return _serial(composition, worlds, ready_blocks)
    before = _serial(composition, worlds, _separate_admission)
    schedule = composition.schedule
    steps = steps_of(composition, schedule.ready_step, ends=schedule.horizon_step == schedule.ready_step)
    return before + Many.of(steps.service_ps, worlds).ps


def _separate_admission(composition: Composition) -> tuple[Runs, ...]:
    return serial_blocks(composition, admission=composition.separate_admission, steps=0, chunk=())


def _serial(composition: Composition, worlds: int, blocks_of: Callable[[Composition], tuple[Runs, ...]]) -> Array:
    """Return when launches in serial order leave the device free."""
    blocks, zero = blocks_of(composition), Many.of(0, worlds)
    if not any(block.runs for block in blocks):
        return zero.ps
    _, device = advance((zero, zero), blocks_matrix(blocks, lambda _label, ps: Many.of(ps, worlds)))
    return device.ps


def _table(composition: Composition, worlds: int) -> Array:
    """Return the durations that differ from world to world, in whole picoseconds, a column for each world."""
    rows = [np.rint(ps.ps) for work in composition.works.values() for ps in _varying(work)]
    return np.array(rows).reshape(len(rows), worlds)


def _varying(work: Work) -> list[Many]:
    durations: list[object] = [one.duration_ps for one in work.services]
    return [ps for ps in durations if isinstance(ps, Many)]


def _in_world(composition: Composition, world: int) -> Composition:
    found: dict[tuple[str, Phase], Work] = {}
    for key, work in composition.works.items():
        found[key] = replace(work, services=tuple(_service_in(one, world) for one in work.services))
    return replace(composition, works=found)


def _service_in(service: Service, world: int) -> Service:
    many: object = service.duration_ps
    return replace(service, duration_ps=max(round(float(many.ps[world])), 0)) if isinstance(many, Many) else service
