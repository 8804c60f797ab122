"""A design without one of its megakernels, in a space that is too large to know all designs of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from megasolve.simulate import Deadlock, score
from megasolve.simulate.plan.candidate import Candidate
from megasolve.simulate.plan.cover import Backend, Cover, Region
from megasolve.simulate.plan.policy import Policy, policies

from ..search.predicates import Judge
from ..select.compose import compose
from ..select.goals.times import TimeOf
from ..select.result import Ranked
from ..select.rivals import ScoredVariant
from ..select.selection import ranked_row


def unfused(judge: Judge, best: Ranked, region: Region) -> Ranked | None:
    """Return the best design that is *best* with the groups of *region* on conventional kernels, one launch each or all in one.

    It has the policy of *best* where that applies and there is evidence for it, else it is in serial order.
    """
    for policy in dict.fromkeys((best.candidate.policy, *_serial(judge))):
        rows = [row for cover in _covers(best.candidate.cover, region) if (row := _row(judge, Candidate(cover, policy)))]
        if rows:
            return min(rows, key=lambda row: row.score_ps)
    return None


def _serial(judge: Judge) -> Iterator[Policy]:
    return (one for one in policies(judge.question.spec) if not one.is_shared)


def _covers(cover: Cover, region: Region) -> Iterator[Cover]:
    place = cover.regions.index(region)
    for groups in dict.fromkeys((tuple((group,) for group in region.groups), (region.groups,))):
        plain = tuple(Region(Backend.CONVENTIONAL, one) for one in groups)
        yield replace(cover, regions=(*cover.regions[:place], *plain, *cover.regions[place + 1 :]))


def _row(judge: Judge, candidate: Candidate) -> Ranked | None:
    """Return the row of a candidate in its best entries; None where it is none, or has no evidence."""
    if not all(candidate.policy.may_have(region, judge.question.spec) for region in candidate.cover.regions):
        return None
    objective = judge.question.objective
    best: tuple[ScoredVariant, TimeOf] | None = None
    for variant in judge.variants(candidate):
        if not judge.is_feasible(variant, candidate.policy):
            continue
        composed = compose(judge, candidate, variant)
        outcome = score(composed.composition, objective)
        if not isinstance(outcome, Deadlock) and (best is None or outcome.value_ps < best[0].score_ps):
            value = outcome.value_ps
            best = ScoredVariant(variant, value, None, (value,)), TimeOf(value, composed)
    return None if best is None else ranked_row(judge, candidate, {objective: best[1]}, [best[0]])
