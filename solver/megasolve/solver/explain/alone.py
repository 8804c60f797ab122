"""Candidates of a space that nobody lists: read from their id, judged and scored by themselves."""

from __future__ import annotations

from megasolve.simulate import Ablation, Deadlock, score
from megasolve.simulate.plan.candidate import Candidate
from megasolve.simulate.plan.cause import DEADLOCK, Cause
from megasolve.simulate.plan.cover import Backend, Cover, Region
from megasolve.simulate.plan.policy import policies
from megasolve.simulate.plan.region_graph import Groups

from ..search.predicates import Judge
from ..select.compose import compose
from ..select.goals.times import TimeOf
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
    variant = best_variant(judge, candidate, ablation)
    composed = compose(judge, candidate, variant)
    found = score(composed.composition, judge.question.objective, ablation=ablation)
    if isinstance(found, Deadlock):
        return Excluded(candidate, (Cause(DEADLOCK, str(found), " ".join(map(str, variant))),))
    times = {judge.question.objective: TimeOf(found.value_ps, composed)}
    return ranked_row(judge, candidate, times, [ScoredVariant(variant, found.value_ps, None, (found.value_ps,))])
