"""Acceptance: what must hold of samples before they become a record. Each rule has a name, and says its figures."""

from __future__ import annotations

from dataclasses import dataclass

from .results import Repeat, Timed
from .statistics import summarize


@dataclass(frozen=True, slots=True)
class Limits:
    """How far samples may scatter (interquartile range over median), clocks move, and the first time drift, all relative."""

    spread: float
    clock: float
    drift: float


DEVICE_LIMITS = Limits(spread=0.05, clock=0.02, drift=0.02)
# A virtual clock follows the order of threads, which is drawn, and there are few samples.
STAND_IN_LIMITS = Limits(spread=0.5, clock=0.02, drift=0.5)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one *rule* says: met, not met, or None where nothing tells; *figures* says of what."""

    rule: str
    is_met: bool | None
    figures: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.figures}"


def verdicts(timed: Timed, repeat: Repeat | None, limits: Limits) -> tuple[Verdict, ...]:
    """Return what every rule says of *timed*, whose block *repeat* judges."""
    return (
        _steady(timed, limits.spread),
        _clock_kept(timed, limits.clock),
        _not_held_back(timed),
        _alone(timed),
        _no_drift(repeat, limits.drift),
    )


def refusals(timed: Timed, repeat: Repeat | None, limits: Limits) -> tuple[Verdict, ...]:
    """Return the rules that *timed* breaks; none if its samples may become a record."""
    return tuple(verdict for verdict in verdicts(timed, repeat, limits) if verdict.is_met is False)


def _steady(timed: Timed, limit: float) -> Verdict:
    # Of raw times: with the cost of launches taken off, the same scatter would count for more in a short call.
    spread = summarize(timed.samples.raw_us).spread
    return Verdict("scatter", spread < limit, f"samples scatter by {spread:.1%} (interquartile range over median), allowed is {limit:.0%}")


def _clock_kept(timed: Timed, limit: float) -> Verdict:
    before, after = timed.samples.before.sm_clock_mhz, timed.samples.after.sm_clock_mhz
    if before is None or after is None:
        # What nothing tells is no reproach: only a rule that is broken refuses samples.
        return Verdict("clock", None, f"not known: {timed.samples.before.unavailable or 'this GPU does not report its clock'}")
    return Verdict("clock", abs(after - before) <= limit * before, f"{before} MHz before and {after} MHz after, allowed are {limit:.0%}")


def _not_held_back(timed: Timed) -> Verdict:
    states = timed.samples.before, timed.samples.after
    if all(state.reasons is None for state in states):
        return Verdict("throttle", None, "not known why clocks are not higher")
    reasons = list(dict.fromkeys(reason for state in states for reason in state.slowed_by))
    return Verdict("throttle", not reasons, f"clocks are held back by {', '.join(reasons) or 'nothing'}; cool the GPU or raise its limits")


def _alone(timed: Timed) -> Verdict:
    counts = [state.compute_processes for state in (timed.samples.before, timed.samples.after) if state.compute_processes is not None]
    if not counts:
        return Verdict("company", None, "not known whether other processes run")
    # This process is one of them.
    others = max(counts) - 1
    return Verdict("company", others <= 0, f"{max(others, 0)} other processes use the GPU; stop them (nvidia-smi lists them)")


def _no_drift(repeat: Repeat | None, limit: float) -> Verdict:
    if repeat is None:
        return Verdict("drift", None, "nothing was timed twice")
    both = f"{repeat.experiment} took {repeat.first_us:.3f} us first and {repeat.again_us:.3f} us at the end"
    return Verdict("drift", repeat.drift <= limit, f"{both}, {repeat.drift:.1%} apart, allowed are {limit:.0%}")
