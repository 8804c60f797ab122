"""Counting candidates without listing any: how many there are, how many break no rule, and how many each rule excludes.

Exclusions follow from regions and from the two sides of a split, so covers are counted with a weight for each region: how many of its
backends may stand there. What a rule excludes is what is left out when the regions that break it are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice, product

from megasolve.contracts import Rule
from megasolve.simulate.plan.candidate import Candidate, Choice
from megasolve.simulate.plan.cause import MIXED_DISPATCH, NO_KERNELS, Cause
from megasolve.simulate.plan.counting import count_covers, sum_covers
from megasolve.simulate.plan.cover import Backend, Cover, Region
from megasolve.simulate.plan.policy import Policy, policies
from megasolve.simulate.plan.region_graph import Groups

from ..goals.constraint import JOINT, OF_CUTS, local_causes
from ..search.predicates import Judge
from ..select.searched import ExcludedBy
from .outcomes import Demands, Outcome, Spread, State, TooManyOutcomes, demands_of

MOST_LOOKED_AT = 64
Weigh = Callable[[Region], bool]


@dataclass(frozen=True, slots=True)
class SpaceCounts:
    """The candidates of a question: all, those that break no rule, and what each rule excludes, by code.

    *is_whole* says that what constraints on several choices exclude is counted, too.
    """

    candidates: int
    feasible: int
    excluded_by: tuple[ExcludedBy, ...]
    is_whole: bool = True


@dataclass
class _Tally:
    """The rules that a policy's candidates break."""

    judge: Judge
    policy: Policy
    demands: Demands
    known: dict[Region, frozenset[Rule]] = field(default_factory=dict)

    @cached_property
    def _uncut(self) -> Judge:
        """The same judge, but for constraints on which groups are in one region: these are judged for the region that is asked about."""
        judge, others = self.judge, tuple(one for one in self.judge.constraints if not isinstance(one, OF_CUTS))
        return Judge(judge.study, judge.question, judge.evidence, judge.effects, others, also=judge.also)

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
        each = [self._of_group(group) for group in region.groups]
        if not all(each):
            yield NO_KERNELS
            return
        cuts = [cause.rule for cause in self._cut_causes(region)]
        if not cuts and self._free_kinds(region):
            return
        yield from cuts
        yield from (cause.rule for found in each for choice in found for cause in self._uncut.causes_alone(choice, self.policy))
        every = [{one.value.dispatch.kind for choice in found for one in choice.contracts} for found in each]
        if len(set.union(*every)) > 1:
            yield MIXED_DISPATCH

    def _of_group(self, group: str) -> tuple[Choice, ...]:
        return self._uncut.choices(Region(Backend.CONVENTIONAL, (group,)))

    def _cut_causes(self, region: Region) -> tuple[Cause, ...]:
        return local_causes([one for one in self.judge.constraints if isinstance(one, OF_CUTS)], Choice(region, ()))

    def _free_kinds(self, region: Region) -> set[str]:
        """Return the ways of launching in which every group of a conventional region has kernels that break no rule."""
        each = [{kind for choice in self._of_group(group) if (kind := self._free_kind(choice))} for group in region.groups]
        return set.intersection(*each)

    def _free_kind(self, choice: Choice) -> str | None:
        return None if self._uncut.causes_alone(choice, self.policy) else choice.contracts[0].value.dispatch.kind

    def outcome(self, region: Region) -> Outcome:
        """Return what the free choices of *region* come to."""
        if region.is_megakernel or len(region.groups) == 1:
            free = (choice for choice in self.judge.choices(region) if not self.judge.causes_alone(choice, self.policy))
            return frozenset(map(self.demands.state_of, free))
        found: set[State] = set()
        for kind in self._free_kinds(region):
            joined: Outcome = frozenset({self.demands.nothing})
            for group in region.groups:
                free = (choice for choice in self._of_group(group) if self._free_kind(choice) == kind)
                joined = self.demands.joined(joined, frozenset(map(self.demands.state_of, free)))
            found |= joined
        return frozenset(found)

    def outcome_of_sides(self, sides: tuple[Region, ...]) -> Outcome:
        """Return what the choices for the two sides of a split come to that can stand together."""
        free = [[one for one in self.judge.choices(region) if not self.judge.causes_alone(one, self.policy)] for region in sides]
        pairs = (chosen for chosen in product(*free) if not self.judge.causes_together(chosen, self.policy))
        return frozenset(self.demands.state_of(*chosen) for chosen in pairs)

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

    def spread(self, sides: tuple[Region, ...]) -> Spread:
        """Return the covers with these *sides* that break no other rule, by what their variants come to.

        Raises
        ------
        TooManyOutcomes
            They come to too many different things.
        """
        spec, demands = self.judge.question.spec, self.demands
        held = {group for region in sides for group in region.groups}
        nothing = Spread(demands, {})

        def one(outcome: Outcome, *regions: Region) -> Spread:
            return Spread(demands, {outcome: (1, regions)})

        def weigh(groups: Groups) -> Spread:
            if held & {*groups}:
                own = [region for region in sides if region.groups == groups]
                # The choices for both sides depend on each other, and are told with the first.
                outcome = self.outcome_of_sides(sides) if own == [*sides[:1]] else frozenset({demands.nothing})
                return one(outcome, *own) if own else nothing
            regions = (Region(backend, groups) for backend in Backend)
            standing = (region for region in regions if self.policy.may_have(region, spec) and not self.broken(region))
            return sum((one(self.outcome(region), region) for region in standing), nothing)

        return sum_covers(self.judge.graph, weigh, nothing, one(frozenset({demands.nothing})))

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
        return self.of_regions(every.values()) if sum(len(one) for one in every) == len(self.judge.graph.groups) else None

    def of_regions(self, regions: Iterable[Region]) -> Candidate | None:
        """Return the candidate with these *regions*, in the order in which they run; None where they wait for each other in a circle."""
        every = {region.groups: region for region in regions}
        order = self.judge.graph.in_order(every)
        return Candidate(Cover(tuple(every[groups] for groups in order)), self.policy) if order is not None else None


def counted(judge: Judge) -> SpaceCounts:
    """Count the candidates of *judge*'s question, and what each rule excludes.

    What only constraints on several choices exclude is counted as excluded, too, unless covers come to too many different things for that.
    """
    counts = _Counts(judge, demands_of(judge.constraints))
    for policy in policies(judge.question.spec):
        counts.add(policy)
    return SpaceCounts(
        counts.total, counts.feasible, tuple(sorted(counts.excluded.values(), key=lambda one: one.rule.code)), counts.is_whole
    )


@dataclass
class _Counts:
    """The counts of some policies."""

    judge: Judge
    demands: Demands
    total: int = 0
    feasible: int = 0
    is_whole: bool = True
    excluded: dict[Rule, ExcludedBy] = field(default_factory=dict)

    def add(self, policy: Policy) -> None:
        """Count the candidates of one more policy."""
        tally = _Tally(self.judge, policy, self.demands)
        for sides, together in tally.sides():
            every = tally.covers(sides, lambda _region: True)
            self.total += every
            self.feasible += 0 if together else tally.covers(sides, lambda region: not tally.broken(region))
            for one in tally.excluded(sides, together, every):
                self._exclude(one)
            if self.demands.constraints and not together and not any(map(tally.broken, sides)):
                self._add_joint(tally, sides)

    def _add_joint(self, tally: _Tally, sides: tuple[Region, ...]) -> None:
        try:
            found = list(tally.spread(sides).excluded())
        except TooManyOutcomes:
            self.is_whole = False
            return
        for rules, count, regions in found:
            self.feasible -= count
            candidate = tally.of_regions(regions)
            causes = self.judge.causes(candidate) if candidate else ()
            for rule in rules:
                because = next((cause.because for cause in causes if cause.rule == rule), rule.summary)
                self._exclude(ExcludedBy(rule, count, str(candidate), because))

    def _exclude(self, one: ExcludedBy) -> None:
        before = self.excluded.get(one.rule)
        self.excluded[one.rule] = one if before is None else replace(before, candidates=before.candidates + one.candidates)


def uncounted_notes(judge: Judge, counts: SpaceCounts) -> tuple[str, ...]:
    """Return that the *counts* do not know what constraints on several choices together exclude, where that is so."""
    paths = [one.path for one in judge.constraints if isinstance(one, JOINT)]
    return () if counts.is_whole else (f"what only {' or '.join(paths)} excludes is counted not as excluded, but as left out",)
