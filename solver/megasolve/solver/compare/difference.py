"""What changed from one frozen plan to another: the best of each batch, scores, and what is ranked at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from ..evaluate.forecasts.changes import InputChange, changes_between
from ..evaluate.forecasts.frozen_plan import FrozenBatch, FrozenPlan, UnusablePlan

Question = tuple[int, str, str]
"""What is asked: the batch, the objective, and which planner scores."""


@dataclass(frozen=True, slots=True)
class Shift:
    """A candidate that both plans rank, with other scores."""

    id: str
    before_ps: Fraction
    after_ps: Fraction

    @property
    def relative(self) -> Fraction | None:
        """How much slower it became, as a share of what it was; None from a score of 0."""
        return self.after_ps / self.before_ps - 1 if self.before_ps else None


@dataclass(frozen=True, slots=True)
class Dropped:
    """A candidate that was ranked and is not; *causes* exclude it now, none where the later plan does not say."""

    id: str
    causes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BatchDifference:
    """What changed at one batch.

    *before* and *after* are the best scores, None where nothing was feasible, or the batch was not in that plan (*is_missing*, *is_new*).
    *shifted* are candidates that both rank, the one that lost most first. *dropped* were ranked and are not; *added* were not, and are.
    """

    batch: int
    objective: str
    ablation: str
    best_before: tuple[str, ...]
    best_after: tuple[str, ...]
    before_ps: Fraction | None
    after_ps: Fraction | None
    ranked: int
    shifted: tuple[Shift, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    added: tuple[str, ...] = ()
    is_missing: bool = False
    is_new: bool = False

    @property
    def relative(self) -> Fraction | None:
        """How much slower the best became, as a share of what it was; None where one of the two is not known."""
        if self.before_ps is None or self.after_ps is None or not self.before_ps:
            return None
        return self.after_ps / self.before_ps - 1

    @property
    def has_other_best(self) -> bool:
        """Whether no design is the best in both."""
        return bool(self.best_before) and not set(self.best_before) & set(self.best_after)

    def is_worse(self, tolerance: Fraction) -> bool:
        """Whether the best became slower by more than *tolerance*, or is gone."""
        if self.is_new or self.before_ps is None:
            return False
        return self.after_ps is None or self.after_ps > self.before_ps * (1 + tolerance)


@dataclass(frozen=True, slots=True)
class PlanDifference:
    """What changed from one plan of *spec* on *device* to another: what they were made of, and what they say."""

    spec: str
    device: tuple[str, str]
    changes: tuple[InputChange, ...]
    batches: tuple[BatchDifference, ...]


def difference(before: FrozenPlan, after: FrozenPlan) -> PlanDifference:
    """Return what changed from *before* to *after*.

    Raises
    ------
    UnusablePlan
        They are of different specs, or have no question in common.
    """
    if before.spec != after.spec:
        raise UnusablePlan(f"the plans are of different specs: {before.spec!r} and {after.spec!r}")
    then, now = _by_question(before), _by_question(after)
    if not then.keys() & now.keys():
        raise UnusablePlan("the plans answer no question in common: neither batch, objective and ablation is in both")
    questions = dict.fromkeys((*then, *now))
    batches = tuple(_batch(question, then.get(question), now.get(question)) for question in questions)
    return PlanDifference(before.spec, (before.device, after.device), changes_between(before, after), batches)


def _by_question(plan: FrozenPlan) -> Mapping[Question, FrozenBatch]:
    return {(one.batch, one.objective, one.ablation): one for one in plan.results}


def _batch(question: Question, before: FrozenBatch | None, after: FrozenBatch | None) -> BatchDifference:
    then = {row.id: row.score_ps for row in before.ranking} if before else {}
    now = {row.id: row.score_ps for row in after.ranking} if after else {}
    causes = {one.id: tuple(f"{cause.rule} {cause.because}" for cause in one.causes) for one in after.excluded} if after else {}
    batch, objective, ablation = question
    both = before is not None and after is not None
    return BatchDifference(
        batch=batch,
        objective=objective,
        ablation=ablation,
        best_before=before.best if before else (),
        best_after=after.best if after else (),
        before_ps=min(then.values(), default=None),
        after_ps=min(now.values(), default=None),
        ranked=len(now),
        shifted=tuple(sorted(_shifted(then, now), key=lambda one: one.before_ps / one.after_ps if one.after_ps else Fraction(0))),
        dropped=tuple(Dropped(name, causes.get(name, ())) for name in then if name not in now) if both else (),
        added=tuple(name for name in now if name not in then) if both else (),
        is_missing=after is None,
        is_new=before is None,
    )


def _shifted(then: Mapping[str, Fraction], now: Mapping[str, Fraction]) -> Iterator[Shift]:
    for name, was in then.items():
        if name in now and now[name] != was:
            yield Shift(name, was, now[name])
