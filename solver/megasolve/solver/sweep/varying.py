"""Varying a field: which design is best at each of its values, and at exactly which values that changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from megasolve.contracts import CheckFailed, Study, asked_batches
from megasolve.contracts.fields.path import UnusableField
from megasolve.contracts.fields.scale import Range
from megasolve.simulate import Objective

from ..crossings.crossings import crossings, first_crossing
from ..crossings.sounding import Crossing
from ..pool.executor import in_order
from ..pool.shared import Shared
from ..select.result import BatchResult
from .field import AskedField
from .planner import How
from .record_times import Best
from .result import FieldChange, FieldPoint, FieldSweep, FieldTurns

STEPS = 8
MOST_STEPS = 1_000
FARTHEST = 1_000
"""How many times its value a field is followed upwards in search of a change."""
NEAREST = 64
GRID = 16


def vary(study: Study, asked: Range, objectives: Sequence[Objective], how: How, batches: Sequence[int] | None = None) -> list[FieldSweep]:
    """Return how the plan changes over the values of a field, for each objective and batch.

    Raises
    ------
    UnusableField, CheckFailed
        The path names no number, or a value of the range cannot be set.
    """
    field = AskedField(study, asked.path, how)
    low, high = field.scale.whole(asked.low), field.scale.whole(asked.high)
    if high <= low:
        raise UnusableField(f"{asked.path}: from {asked.low} to {asked.high} is no step of this field")
    steps = min(asked.steps or STEPS, MOST_STEPS, high - low)
    values = [low + (high - low) * place // steps for place in range(steps + 1)]
    for value in values:
        field.check(value)
    chosen = sorted(asked_batches(study.spec.value, batches))
    shared = Shared(field)
    tasks = [FieldTask(shared, tuple(values), batch, objective) for objective in objectives for batch in chosen]
    return in_order(how.derivation.pool, swept_field, tasks, how.derivation.planned)


@dataclass(frozen=True, slots=True)
class FieldTask:
    """One *batch*, for one *objective*, of a sweep over *values* of a field."""

    field: Shared[AskedField]
    values: tuple[int, ...]
    batch: int
    objective: Objective


def swept_field(task: FieldTask) -> FieldSweep:
    """Make the sweep of a task, in whichever process."""
    return _swept(task.field.value, task.values, task.batch, task.objective)


def _swept(field: AskedField, values: Sequence[int], batch: int, objective: Objective) -> FieldSweep:
    plans = [field.plan(value, batch, objective) for value in values]
    is_bracketed = _derived(plans[0]) != _derived(plans[-1])
    step = max((values[-1] - values[0]) // (len(values) - 1), 1) if is_bracketed else 1
    found = crossings(field.asking(batch, objective), values[0], values[-1], step=step)
    points = tuple(FieldPoint(field.scale.value(value), plan) for value, plan in zip(values, plans, strict=True))
    return FieldSweep(field.path, field.now, batch, objective, points, tuple(_change(field, one) for one in found))


def turns(study: Study, path: str, objective: Objective, how: How, batch: int) -> FieldTurns:
    """Return the values of the field at *path* at which the answer at *batch* changes, the nearest below and above what it is now.

    Raises
    ------
    UnusableField
        The path names no number, or fields that do not have one value.
    """
    field = AskedField(study, path, how)
    if field.now is None and any(one.value is not None for one in field.named):
        raise UnusableField(f"{path!r} names {len(field.named)} fields with different values: select one of them, or --vary all of them")
    return _turns(field, field.scale.whole(field.now) if isinstance(field.now, int | Decimal) else 0, objective, batch)


def _turns(field: AskedField, start: int, objective: Objective, batch: int) -> FieldTurns:
    farthest = max(start * FARTHEST, 10 ** (field.scale.places + 3))
    near = field.plan(start, batch, objective)
    stride = max(start // NEAREST, 1)
    ask = field.asking(batch, objective)
    is_bracketed = _derived(near) != _derived(field.plan(start + stride, batch, objective))
    step = max(start // GRID, 1) if is_bracketed else 1
    low, high = _allowed(field, start, 0), _allowed(field, start, farthest)
    below = first_crossing(ask, start, low, step=step, stride=1 if is_bracketed else stride)
    above = first_crossing(ask, start, high, step=step, stride=1 if is_bracketed else stride)
    return FieldTurns(
        field.path,
        batch,
        objective,
        field.now,
        near.best,
        None if below is None else _change(field, below),
        None if above is None else _change(field, above),
        (field.scale.value(low), field.scale.value(high)),
    )


def _allowed(field: AskedField, start: int, bound: int) -> int:
    """Return the value nearest to *bound* that the rules allow, *start* being allowed, and all between the two."""
    near, far = start, bound
    if _is_allowed(field, bound):
        return bound
    while abs(far - near) > 1:
        middle = (near + far) // 2
        near, far = (middle, far) if _is_allowed(field, middle) else (near, middle)
    return near


def _is_allowed(field: AskedField, steps: int) -> bool:
    try:
        field.check(steps)
    except (UnusableField, CheckFailed):
        return False
    return True


def _derived(result: BatchResult) -> dict[object, Fraction]:
    """Return the derived times that the designs of a plan rest on."""
    uses = (usage.use for row in result.ranking for usage in row.composed.usages if usage.use.derived is not None)
    return {(use.record.group, use.record.entries, use.record.budget_ctas): Fraction(use.record.time_ps) for use in uses}


def _change(field: AskedField, found: Crossing[Best]) -> FieldChange:
    return FieldChange(field.scale.value(found.last), field.scale.value(found.first), found.before, found.after, found.is_exact)
