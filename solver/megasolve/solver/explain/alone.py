"""Candidates of a space that nobody lists: read from their id, judged and scored by themselves."""

from __future__ import annotations

from itertools import islice

from megasolve.simulate import Ablation, Deadlock
from megasolve.simulate.plan.candidate import Candidate
from megasolve.simulate.plan.cause import DEADLOCK, Cause
from megasolve.simulate.plan.cover import Backend, Cover, Region
from megasolve.simulate.plan.policy import policies
from megasolve.simulate.plan.region_graph import Groups

from ..search.predicates import Judge, Variant
from ..search.variants import MOST_VARIANTS
from ..select.goals.times import Goals, goals_of
from ..select.result import Excluded, Ranked
from ..select.rivals import ScoredVariant
from ..select.selection import ranked_row


def said_by(judge: Judge, name: str) -> Candidate | None:
    """Return what *name* says: regions of all groups, whether or not they can be regions, under a policy of the spec; else None."""
    cover, _, asked = name.partition("@")
    parts = [part.partition(":") for part in cover.split("/")]
    backends = {backend.value: backend for backend in Backend}
    policy = next((one for one in policies(judge.question.spec) if str(one) == asked), None)
    named = [group for _, _, groups in parts for group in groups.split("+")]
    if policy is None or sorted(named) != sorted(judge.graph.groups) or any(letter not in backends for letter, _, _ in parts):
        return None
    return Candidate(Cover(tuple(Region(backends[letter], tuple(groups.split("+"))) for letter, _, groups in parts)), policy)


def candidate_of(judge: Judge, name: str) -> Candidate | None:
    """Return the candidate with this id, or None where there is none."""
    said = said_by(judge, name)
    if said is None or not said.policy.applies_to(said.cover, judge.question.spec):
        return None
    of = {region.groups: region for region in said.cover.regions}
    order = judge.graph.in_order(of) if set(of) <= set(judge.graph.regions) else None
    return said if order is not None and tuple(of[groups] for groups in order) == said.cover.regions else None


def like(judge: Judge, name: str) -> tuple[str, ...]:
    """Return ids that exist and look like *name*: its policy, or all of them, with each group by itself or all in one."""
    _, _, asked = name.partition("@")
    declared = [policy for policy in policies(judge.question.spec) if str(policy) == asked] or [*policies(judge.question.spec)]
    groups = judge.graph.groups
    alone: dict[Groups, Region] = {(group,): Region(Backend.CONVENTIONAL, (group,)) for group in groups}
    order = judge.graph.in_order(alone) or ()
    covers = [Cover(tuple(alone[one] for one in order)), Cover((Region(Backend.MEGAKERNEL, groups),))]
    spec = judge.question.spec
    return tuple(f"{cover}@{policy}" for policy in declared for cover in covers if policy.applies_to(cover, spec))[:5]


def judged(judge: Judge, candidate: Candidate, ablation: Ablation = Ablation.FULL) -> Ranked | Excluded:
    """Return one candidate with the score of its best variant, or every cause that excludes it."""
    from ..optimize.ways.fixed import best_variant

    if causes := judge.causes(candidate):
        return Excluded(candidate, causes)
    goals = goals_of(judge, (), ablation)
    best = _timed(goals, candidate, best_variant(judge, candidate, ablation))
    if isinstance(best, Excluded):
        # The fastest entries may pass a limit on another time that slower ones keep to.
        each = islice(judge.variants(candidate), MOST_VARIANTS if goals.limits else 0)
        others = (_timed(goals, candidate, one) for one in each if judge.is_feasible(one, candidate.policy))
        best = min((one for one in others if isinstance(one, Ranked)), key=lambda row: row.order, default=best)
    return best


def _timed(goals: Goals, candidate: Candidate, variant: Variant) -> Ranked | Excluded:
    judge = next(iter(goals.judges.values()))
    if missing := goals.missing(variant, candidate.policy):
        return Excluded(candidate, missing)
    times = goals.times(candidate, variant)
    if isinstance(times, Deadlock):
        return Excluded(candidate, (Cause(DEADLOCK, str(times), " ".join(map(str, variant))),))
    if over := goals.over(times):
        return Excluded(candidate, over)
    order = goals.order(times)
    return ranked_row(judge, candidate, times, [ScoredVariant(variant, order[0], None, order)])
