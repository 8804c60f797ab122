"""Counting candidates without listing any: how many there are, how many break no rule, and how many each rule excludes.

Exclusions follow from regions and from the two sides of a split, so covers are counted with a weight for each region: how many of its
backends may stand there. What a rule excludes is what is left out when the regions that break it are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from megasolve.contracts import Rule
from megasolve.simulate.plan.candidate import Candidate, Choice
from megasolve.simulate.plan.cause import MIXED_DISPATCH, NO_KERNELS, Cause
from megasolve.simulate.plan.counting import count_covers
from megasolve.simulate.plan.cover import Backend, Cover, Region
from megasolve.simulate.plan.policy import Policy, policies
from megasolve.simulate.plan.region_graph import Groups

from ..goals.constraint import JOINT
from ..search.predicates import Judge
from ..select.searched import ExcludedBy

MOST_LOOKED_AT = 64
Weigh = Callable[[Region], bool]


@dataclass(frozen=True, slots=True)
class SpaceCounts:
    """The candidates of a question: all, those that break no rule, and what each rule excludes, by code."""

    candidates: int
    feasible: int
    excluded_by: tuple[ExcludedBy, ...]


@dataclass
class _Tally:
    """The rules that a policy's candidates break."""

    judge: Judge
    policy: Policy
    known: dict[Region, frozenset[Rule]] = field(default_factory=dict)

    def broken(self, region: Region) -> frozenset[Rule]:
        """The rules that all choices of *region* break together; none where one choice is free."""
        if region not in self.known:
            self.known[region] = frozenset(self._broken(region))
        return self.known[region]

    def _broken(self, region: Region) -> Iterator[Rule]:
        if region.is_megakernel or len(region.groups) == 1:
            yield from (cause.rule for cause in self.judge.region_causes(region, self.policy))
            return
        # The choices of a region are all combinations of those of its groups, and break what these break.
        each = [self.judge.choices(Region(Backend.CONVENTIONAL, (group,))) for group in region.groups]
        if not all(each):
            yield NO_KERNELS
            return
        kinds = [{kind for choice in found if (kind := self._free_kind(choice))} for found in each]
        if set.intersection(*kinds):
            return
        yield from (cause.rule for found in each for choice in found for cause in self.judge.causes_alone(choice, self.policy))
        every = [{one.value.dispatch.kind for choice in found for one in choice.contracts} for found in each]
        if len(set.union(*every)) > 1:
            yield MIXED_DISPATCH

    def _free_kind(self, choice: Choice) -> str | None:
        return None if self.judge.causes_alone(choice, self.policy) else choice.contracts[0].value.dispatch.kind

    def sides(self) -> Iterator[tuple[tuple[Region, ...], frozenset[Rule]]]:
        """Yield the regions that can hold the two sides of a split, with the rules that they break together; serially there are none."""
        if not self.policy.is_split:
            yield (), frozenset()
            return
        spec = self.judge.question.spec
        makers, takers = ({group.name for group in spec.groups_of(role)} for role in ("producer", "consumer"))
        regions = [Region(Backend.MEGAKERNEL, groups) for groups in self.judge.graph.regions]
        allowed = [region for region in regions if {*region.groups} & (makers | takers) and self.policy.may_have(region, spec)]
        for maker in (region for region in allowed if makers <= {*region.groups}):
            shared = takers <= {*maker.groups}
            for taker in (None,) if shared else (one for one in allowed if takers <= {*one.groups} and not {*one.groups} & {*maker.groups}):
                pair = (maker,) if taker is None else (maker, taker)
                yield pair, frozenset(cause.rule for cause in self.judge.split_causes(Candidate(Cover(pair), self.policy)))

    def covers(self, sides: tuple[Region, ...], keeps: Weigh) -> int:
        """Return the covers with these *sides* whose other regions are kept."""
        spec = self.judge.question.spec
        held = {group for region in sides for group in region.groups}

        def weigh(groups: Groups) -> int:
            if held & {*groups}:
                return sum(region.groups == groups and keeps(region) for region in sides)
            regions = (Region(backend, groups) for backend in Backend)
            return sum(self.policy.may_have(region, spec) and keeps(region) for region in regions)

        return count_covers(self.judge.graph, weigh)

    def excluded(self, sides: tuple[Region, ...], together: frozenset[Rule], every: int) -> Iterator[ExcludedBy]:
        """Yield, for each rule that excludes any of the *every* covers with these *sides*, how many."""
        regions = [Region(backend, groups) for groups in self.judge.graph.regions for backend in Backend]
        breaking: dict[Rule, list[Region | None]] = {rule: [None] for rule in together}
        for region in regions:
            for rule in self.broken(region) if self._may_stand(region, sides) else ():
                breaking.setdefault(rule, []).append(region)
        for rule, places in breaking.items():
            kept = 0 if rule in together else self.covers(sides, lambda region, rule=rule: rule not in self.broken(region))  # type: ignore[misc]
            examples = ((self.example(sides, region), region) for region in places)
            if every > kept and (found := next(((one, region) for one, region in examples if one is not None), None)) is not None:
                yield ExcludedBy(rule, every - kept, str(found[0]), self._because(rule, found[1], sides))

    def _because(self, rule: Rule, region: Region | None, sides: tuple[Region, ...]) -> str:
        """Return the first fact by which *rule* excludes a candidate with *region* or, where that is None, with these *sides*."""
        causes = self.judge.split_causes(Candidate(Cover(sides), self.policy)) if region is None else self._causes(region)
        return next((cause.because for cause in causes if cause.rule == rule), rule.summary)

    def _causes(self, region: Region) -> Iterator[Cause]:
        if region.is_megakernel or len(region.groups) == 1:
            yield from self.judge.region_causes(region, self.policy)
            return
        for choice in islice(self.judge.each_choice(region), MOST_LOOKED_AT):
            yield from self.judge.causes_alone(choice, self.policy)

    def _may_stand(self, region: Region, sides: tuple[Region, ...]) -> bool:
        held = {group for side in sides for group in side.groups}
        return region in sides or (not held & {*region.groups} and self.policy.may_have(region, self.judge.question.spec))

    def example(self, sides: tuple[Region, ...], region: Region | None) -> Candidate | None:
        """Return a candidate with these regions and all other groups by themselves; None where these cannot stand so."""
        taken = [*sides] if region is None or region in sides else [*sides, region]
        held = {group for one in taken for group in one.groups}
        every = {
            one.groups: one
            for one in (*taken, *(Region(Backend.CONVENTIONAL, (group,)) for group in self.judge.graph.groups if group not in held))
        }
        order = self.judge.graph.in_order(every) if sum(len(one) for one in every) == len(self.judge.graph.groups) else None
        return Candidate(Cover(tuple(every[groups] for groups in order)), self.policy) if order is not None else None


def counted(judge: Judge) -> SpaceCounts:
    """Count the candidates of *judge*'s question, and what each rule excludes."""
    total = feasible = 0
    excluded: dict[Rule, ExcludedBy] = {}
    for policy in policies(judge.question.spec):
        tally = _Tally(judge, policy)
        for sides, together in tally.sides():
            every = tally.covers(sides, lambda _region: True)
            total += every
            feasible += 0 if together else tally.covers(sides, lambda region, tally=tally: not tally.broken(region))  # type: ignore[misc]
            for one in tally.excluded(sides, together, every):
                before = excluded.get(one.rule)
                excluded[one.rule] = one if before is None else replace(before, candidates=before.candidates + one.candidates)
    return SpaceCounts(total, feasible, tuple(sorted(excluded.values(), key=lambda one: one.rule.code)))


def uncounted_notes(judge: Judge) -> tuple[str, ...]:
    """Return that the counts do not know what constraints on several choices together exclude, where there are any."""
    paths = [one.path for one in judge.constraints if isinstance(one, JOINT)]
    return (f"what only {' or '.join(paths)} excludes is counted not as excluded, but as left out",) if paths else ()
