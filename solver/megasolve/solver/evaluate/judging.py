"""Judging: a forecast held against the measurements of its batch, inside the pool of what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from .agreement import tau_b
from .case import Case, GroupError, JudgedDesign
from .doubts import doubts
from .forecasts.forecast import Forecast
from .pool import Contender
from .statistic import Statistic
from .timed_design import TimedDesign

_MEAN = Statistic()


def judge_case(forecast: Forecast, timed: Sequence[TimedDesign], statistic: Statistic) -> Case:
    """Return how *forecast* does in a pool, whose designs are *timed* by *statistic*."""
    judged = tuple(_judged(one, forecast) for one in timed)
    fastest = [one for one in judged if one.measured_ps == judged[0].measured_ps]
    named = _named(judged)
    regret = max((one.measured_ps for one in named), default=None)
    ranked = [one for one in judged if one.predicted_ps is not None]
    return Case(
        batch=forecast.batch,
        planner=forecast.planner,
        objective=forecast.objective,
        pool=judged,
        measured_best=tuple(one.contender.name for one in fastest),
        predicted_best=tuple(one.contender.name for one in named),
        match=None if len(judged) < 2 else len(fastest) == len(named) == 1 and fastest == named,
        regret=None if regret is None else regret / judged[0].measured_ps - 1,
        tau_b=tau_b([one.predicted_ps for one in ranked if one.predicted_ps is not None], [one.measured_ps for one in ranked]),
        ratio=judged[1].ratio if len(judged) > 1 else None,
        predicted_margin=_margin(ranked),
        is_within_accuracy=_is_within_accuracy(forecast, ranked),
        outside=tuple(_outside(forecast, [one.contender for one in timed])),
        notes=tuple(doubts(judged, statistic)),
    )


def _judged(one: TimedDesign, forecast: Forecast) -> JudgedDesign:
    candidate, entries = one.contender.id, one.contender.entries
    score = forecast.score_of(candidate, entries)
    return JudgedDesign(
        contender=one.contender,
        measured_ps=one.measured_ps,
        predicted_ps=score,
        because=None if score is not None else forecast.why_no_score(candidate, entries),
        ratio=one.ratio,
        groups=tuple(_groups(one.contender, forecast)),
    )


def _groups(one: Contender, forecast: Forecast) -> Iterator[GroupError]:
    """Yield the error of each group that was measured and, where all of them were, of what is in none.

    By their means, whatever the statistic of the whole: only those add up.
    """
    row = forecast.predicted.get(one.id)
    if row is None or row.groups is None or one.entries is not None:
        return
    found = [GroupError(group, _MEAN.of(times), row.groups[group]) for group, times in one.groups.items() if group in row.groups]
    yield from found
    if len(found) == len(row.groups) > 0:
        measured = _MEAN.of(one.blocks) - sum(part.measured_ps for part in found)
        yield GroupError(None, measured, Fraction(row.score_ps) - sum(Fraction(part.predicted_ps) for part in found))


def _named(judged: Sequence[JudgedDesign]) -> list[JudgedDesign]:
    """Return the designs of the pool that the planner takes for the fastest: all of least score."""
    least = min((one.predicted_ps for one in judged if one.predicted_ps is not None), default=None)
    return [one for one in judged if one.predicted_ps == least and least is not None]


def _by_score(ranked: Sequence[JudgedDesign]) -> list[JudgedDesign]:
    return sorted(ranked, key=lambda one: one.predicted_ps or 0)


def _margin(ranked: Sequence[JudgedDesign]) -> Fraction | None:
    scores = [Fraction(one.predicted_ps) for one in _by_score(ranked) if one.predicted_ps is not None]
    return scores[1] / scores[0] - 1 if len(scores) > 1 else None


def _is_within_accuracy(forecast: Forecast, ranked: Sequence[JudgedDesign]) -> bool | None:
    """Whether the evidence cannot tell the first from the second design by what it states of itself; None where it states nothing."""
    margin = _margin(ranked)
    stated = [forecast.predicted[one.contender.id].accuracy for one in _by_score(ranked)[:2]]
    known = [accuracy for accuracy in stated if accuracy is not None]
    return margin < max(known) if known and margin is not None else None


def _outside(forecast: Forecast, pool: Sequence[Contender]) -> Iterator[str]:
    """Yield the best designs of the whole space that are not in the pool, each by its first id."""
    measured = {forecast.design_of(one.id) for one in pool if one.entries is None}
    seen = set[str]()
    for candidate in forecast.best:
        design = forecast.design_of(candidate)
        if design not in measured | seen:
            seen.add(design)
            yield candidate
