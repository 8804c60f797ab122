"""The words of an evaluation that its forms share."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from megasolve.contracts.model.wording import counted

from ..solve.wording import objective_words
from ..text.numbers import percent, signed_percent

if TYPE_CHECKING:
    from megasolve.solver import Case, Evaluation, InputChange, Ratio, Statistic

REGRESSION_LINE = (
    "NOTE: regression, counts for nothing: every record is reconstructed from published totals, so the planner knew what judges it"
)
_NAMES = {"mean": "mean", "p50": "p50 (median)", "p95": "p95"}
_HOW = {
    "changed": "has changed since",
    "new": "is new",
    "gone": "is not read any more",
    "unknown": "does not say what it was made of, so nobody knows what has changed",
}


def heading(evaluation: Evaluation) -> str:
    """Return what was judged, for what, by which statistic."""
    judged_by = f"{objective_words(evaluation.objective)}, by the {statistic_words(evaluation.statistic)}"
    return f"{evaluation.spec} on {evaluation.device}: {judged_by}"


def statistic_words(statistic: Statistic) -> str:
    """Return what one number stands for all runs of a design."""
    if statistic.name == "block_p95":
        return "mean of per-block p95"
    return f"{_NAMES[statistic.name]} over {'blocks, each by its mean' if statistic.unit == 'block' else 'runs'}"


def match_words(case: Case) -> str:
    """Return whether the planner named the one fastest design."""
    if case.match is None:
        return "-"
    return "yes" if case.match else "tied" if len(case.predicted_best) > 1 else "no"


def regret_words(regret: Fraction | None) -> str:
    """Return a regret; what named nothing has none."""
    return "-" if regret is None else percent(regret)


def slower_words(ratio: Ratio) -> str:
    """Return how much slower a design is than the best, with its interval."""
    told = signed_percent(ratio.value - 1)
    return told if ratio.low is None or ratio.high is None else f"{told}, {interval_words(ratio)}"


def interval_words(ratio: Ratio) -> str:
    """Return the interval of a ratio in percent over one; what was not resampled has none."""
    if ratio.low is None or ratio.high is None:
        return "-"
    low, high = (signed_percent(Fraction(bound) - 1) for bound in (ratio.low, ratio.high))
    return f"{low} to {high}"


def summary_lines(evaluation: Evaluation) -> Iterator[str]:
    """Yield a line for each planner: in how many cases it named the fastest design, and what it cost where it did not."""
    width = max(map(len, evaluation.planners), default=0)
    for planner in evaluation.planners:
        decided, regret = evaluation.decided(planner), evaluation.most_regret(planner)
        matched = f"{evaluation.matches(planner)} of {counted(decided, 'case')} matched, largest regret {regret_words(regret)}"
        yield f"{planner + ':':<{width + 1}} {matched if decided else 'there was nothing to choose between'}"


def plan_lines(evaluation: Evaluation) -> Iterator[str]:
    """Yield whether a frozen plan is still the plan of its inputs."""
    if evaluation.changes is None:
        return
    if not evaluation.changes:
        yield "frozen plan: nothing that it was made of has changed"
    for change in evaluation.changes:
        yield f"frozen plan: {change_words(change)}"


def change_words(change: InputChange) -> str:
    """Return what is no longer as it was when a plan was made."""
    if change.how == "version":
        return f"made by megasolve {change.was}, and this is {change.now}"
    if change.how == "option":
        return f"made with {change.path} {change.was or 'not given'}, and now it is {change.now or 'not given'}"
    return f"{change.path} {_HOW[change.how]}"


def doubt_lines(case: Case) -> Iterator[str]:
    """Yield what is to be known before the judgement of a case is believed."""
    if case.too_close:
        yield f"too close to call: the interval of {case.pool[1].contender.name} over {case.pool[0].contender.name} holds one"
    if case.is_within_accuracy:
        yield "too close to predict: the predicted margin is below the accuracy that the evidence states"
    if case.outside:
        more = f" and {counted(len(case.outside) - 3, 'more design')}" if len(case.outside) > 3 else ""
        yield f"outside the pool: the best of the whole space is {', '.join(case.outside[:3])}{more}, which nobody measured"
    yield from case.notes


def cancelled_lines(case: Case) -> Iterator[str]:
    """Yield where errors of groups hide behind each other: the whole looks better than its parts are."""
    for one in case.pool:
        if one.groups and one.cancelled_ps * 100 >= one.measured_ps:
            share = percent(one.cancelled_ps / one.measured_ps)
            yield f"errors that cancel: {share} of the time of {one.contender.name} is off in its groups and does not show in the whole"
