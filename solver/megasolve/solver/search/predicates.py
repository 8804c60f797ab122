"""The rules as plain predicates: each looks at one choice of entries under one policy and names rule and fact.

The OR-Tools model in `model.py` states the same rules as constraints; a test proves that both keep the same set. Causes are
independent of each other: a candidate with three faults reports three.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, product

from megasolve.contracts import (
    Contract,
    CoResidency,
    Document,
    Fault,
    Key,
    Spec,
    Study,
    co_residency,
    key_of,
    launch_faults,
    pair_faults,
    partition_faults,
)
from megasolve.contracts.limits.partitions import RESERVATION
from megasolve.simulate import Effects, Phase, Sharing
from megasolve.simulate.plan.budgets import is_stated, rest_beside
from megasolve.simulate.plan.candidate import Candidate, Choice, choices, contracts_by_members
from megasolve.simulate.plan.cause import (
    BUDGET_UNSUPPORTED,
    KERNELS_UNKNOWN,
    MIXED_DISPATCH,
    NO_ENTRY,
    NO_KERNELS,
    NO_RECORD,
    NO_TIME,
    NOT_REPEATING,
    NOT_RESIDENT,
    NOT_THE_REST,
    POLICY_UNSUPPORTED,
    SPLIT_TOO_LARGE,
    UNKNOWN_BYTES,
    Cause,
)
from megasolve.simulate.plan.cover import Region
from megasolve.simulate.plan.need import Need, Question, launched_budgets, needs, split_sides, undivided_budgets
from megasolve.simulate.plan.policy import Policy
from megasolve.simulate.plan.region_graph import region_graph

from ..evidence.launch_causes import unsupported_budget
from ..evidence.lookup import Evidence, NoEvidence, RecordUse, left_ps
from ..goals.constraint import Constraint, joint_causes, local_causes
from ..goals.stated import stated_constraints

Variant = tuple[Choice, ...]


class Judge:
    """Judges candidates of one study under one question, remembering what was already judged.

    *constraints* are what a plan must keep beside the rules; by default those of the spec. *also* judge choices under further questions,
    whose evidence a plan needs, too.
    """

    def __init__(
        self,
        study: Study,
        question: Question,
        evidence: Evidence | None = None,
        effects: Effects | None = None,
        constraints: Sequence[Constraint] | None = None,
        *,
        also: Sequence[Judge] = (),
    ) -> None:
        self.study = study
        self.question = question
        self.evidence = evidence or Evidence(study)
        self.effects = effects or Effects()
        self.graph = region_graph(question.spec)
        self.constraints = stated_constraints(study) if constraints is None else tuple(constraints)
        self.also = tuple(also)
        self._choices: dict[Region, tuple[Choice, ...]] = {}
        self._megakernels = contracts_by_members(study)
        self._needs: dict[tuple[Region, tuple[str, ...], Policy], tuple[Need, ...]] = {}
        self._keys: dict[tuple[Region, tuple[str, ...], str, int], tuple[tuple[Key, Document[Contract]], ...]] = {}
        self._alone: dict[tuple[Region, tuple[str, ...], Policy], tuple[Cause, ...]] = {}
        self._pairs: dict[tuple[str, str, Policy], tuple[Cause, ...]] = {}

    @property
    def without(self) -> tuple[str, ...]:
        """The mechanisms that are off, by name."""
        return (*self.evidence.derivation.off, *self.effects.off)

    def choices(self, region: Region) -> tuple[Choice, ...]:
        """The supported choices of entries for a region."""
        if region not in self._choices:
            self._choices[region] = choices(self.study, region, self._megakernels)
        return self._choices[region]

    def each_choice(self, region: Region) -> Iterator[Choice]:
        """Yield the choices for a conventional region of several groups one by one: there may be very many."""
        each = [self.choices(Region(region.backend, (group,))) for group in region.groups]
        for parts in product(*each):
            yield Choice(region, tuple(contract for part in parts for contract in part.contracts))

    def variants(self, candidate: Candidate) -> Iterator[Variant]:
        """Yield every choice of entries for all regions of the candidate, in order of entry names."""
        yield from product(*(self.choices(region) for region in candidate.cover.regions))

    def needs(self, choice: Choice, policy: Policy) -> tuple[Need, ...]:
        """What the choice must have evidence for under *policy*."""
        asked = (choice.region, choice.entries, policy)
        if asked not in self._needs:
            self._needs[asked] = needs(self.question, choice, policy, self.study.device.value.usable_sms)
        return self._needs[asked]

    def records(self, choice: Choice, need: Need) -> tuple[RecordUse | NoEvidence, ...]:
        """The records that time one call of the need's group, or what is missing: one per contract of the group."""
        return tuple(self.evidence.find(key, contract) for key, contract in self.keys(choice, need))

    def keys(self, choice: Choice, need: Need) -> tuple[tuple[Key, Document[Contract]], ...]:
        """The keys of one call of the need's group, each with its contract: one per contract of the group."""
        asked = (choice.region, choice.entries, need.group.name, need.budget_ctas)
        if asked not in self._keys:
            self._keys[asked] = self._keys_of(choice, need)
        return self._keys[asked]

    def _keys_of(self, choice: Choice, need: Need) -> tuple[tuple[Key, Document[Contract]], ...]:
        shapes = self.question.shapes_of(need.group)
        contracts = choice.contracts_of(need.group.name)
        group, budget_ctas, batch = need.group.name, need.budget_ctas, self.question.batch
        keys = [key_of(self.study, one.value, group, budget_ctas=budget_ctas, batch=batch, shapes=shapes) for one in contracts]
        return tuple(zip(keys, contracts, strict=True))

    def causes_alone(self, choice: Choice, policy: Policy) -> tuple[Cause, ...]:
        """All causes that lie in one choice by itself."""
        key = (choice.region, choice.entries, policy)
        if key not in self._alone:
            asked = self.needs(choice, policy)
            rules = (_policy_causes, _launch_causes, _partition_causes, _size_causes, _stream_causes, _dispatch_causes, _evidence_causes)
            found = (cause for rule in rules for cause in rule(self, choice, policy, asked))
            own, others = (*found, *local_causes(self.constraints, choice)), (judge.causes_alone(choice, policy) for judge in self.also)
            self._alone[key] = tuple(dict.fromkeys(chain(own, *others))) if self.also else own
        return self._alone[key]

    def causes_together(self, variant: Variant, policy: Policy) -> tuple[Cause, ...]:
        """All causes that lie in two entries sharing the device."""
        if not policy.is_split:
            return ()
        makes, takes = split_sides(self.question.spec, variant)
        key = (makes.value.entry, takes.value.entry, policy)
        if key not in self._pairs:
            self._pairs[key] = tuple(_together_causes(self.study, variant, policy, self.question))
        return self._pairs[key]

    def causes_of(self, candidate: Candidate, choice: Choice) -> tuple[Cause, ...]:
        """All causes that keep *choice* out of *candidate*: its own or, where it has none, those of every plan with it."""
        return self.causes_alone(choice, candidate.policy) or self._pair_causes(candidate, choice) or self._joint_causes(candidate, choice)

    def _pair_causes(self, candidate: Candidate, choice: Choice) -> tuple[Cause, ...]:
        """The causes that lie in *choice* and whatever shares the device with it; none where one pair is free of them."""
        policy = candidate.policy
        if not policy.is_split or choice.region not in self._split_regions(candidate):
            return ()
        pairs = product(*((choice,) if region == choice.region else self.choices(region) for region in self._split_regions(candidate)))
        free = [pair for pair in pairs if not any(self.causes_alone(one, policy) for one in pair)]
        return tuple(dict.fromkeys(_unless_one_is_free([self.causes_together(pair, policy) for pair in free])))

    def causes(self, candidate: Candidate) -> tuple[Cause, ...]:
        """All causes of a candidate's exclusion, over all of its variants; none if one variant is free of them."""
        alone = [cause for region in candidate.cover.regions for cause in self.region_causes(region, candidate.policy)]
        found = tuple(dict.fromkeys([*alone, *self.split_causes(candidate)]))
        return found or self._joint_causes(candidate)

    def _joint_causes(self, candidate: Candidate, choice: Choice | None = None) -> tuple[Cause, ...]:
        """The causes that lie in all choices together, of the variants (with *choice*) that nothing else keeps out; none if one is free."""
        if not self.constraints:
            return ()
        asked = (one for one in self.variants(candidate) if choice is None or choice in one)
        rest = [one for one in asked if not self._rule_causes(one, candidate.policy)]
        return tuple(dict.fromkeys(_unless_one_is_free([joint_causes(self.constraints, one) for one in rest])))

    def region_causes(self, region: Region, policy: Policy) -> tuple[Cause, ...]:
        """The causes of all choices for one region; none if one of them is free of causes."""
        supported = self.choices(region)
        if not supported:
            return _missing_causes(self.study, region)
        return _unless_one_is_free([self.causes_alone(choice, policy) for choice in supported])

    def split_causes(self, candidate: Candidate) -> tuple[Cause, ...]:
        """The causes of all choices for the two sides of a split; none if one pair is free of causes."""
        if not candidate.policy.is_split:
            return ()
        return _unless_one_is_free([self._rule_causes(variant, candidate.policy) for variant in self._split_variants(candidate)])

    def _split_variants(self, candidate: Candidate) -> Iterator[Variant]:
        """Yield the variants of the two sides alone: a region outside the split need not have an entry for them to clash."""
        yield from product(*(self.choices(region) for region in self._split_regions(candidate)))

    def _split_regions(self, candidate: Candidate) -> tuple[Region, ...]:
        sides = {group.name for group in self.question.spec.groups if group.role != "admission"}
        return tuple(region for region in candidate.cover.regions if sides & {*region.groups})

    def variant_causes(self, variant: Variant, policy: Policy) -> tuple[Cause, ...]:
        """All causes of one variant; none where it is feasible."""
        return (*self._rule_causes(variant, policy), *joint_causes(self.constraints, variant))

    def _rule_causes(self, variant: Variant, policy: Policy) -> tuple[Cause, ...]:
        alone = [cause for choice in variant for cause in self.causes_alone(choice, policy)]
        return (*alone, *self.causes_together(variant, policy))

    def is_feasible(self, variant: Variant, policy: Policy) -> bool:
        """Whether a variant breaks no rule."""
        return not self.variant_causes(variant, policy)


def _unless_one_is_free(found: Sequence[tuple[Cause, ...]]) -> tuple[Cause, ...]:
    return tuple(cause for causes in found for cause in causes) if all(found) else ()


def _missing_causes(study: Study, region: Region) -> tuple[Cause, ...]:
    if region.is_megakernel:
        groups = "+".join(region.groups)
        has = sorted({"+".join(one.value.members) for one in study.contracts if one.value.backend == "megakernel"})
        others = f"entries exist for {', '.join(has)}" if has else "the spec has no megakernel entry"
        because = f"no megakernel entry has exactly the groups {groups}; {others}"
        return (Cause(NO_ENTRY, because, str(region)),)
    covered = {one.value.members[0] for one in study.contracts if one.value.backend == "conventional"}
    missing = [group for group in region.groups if group not in covered]
    return tuple(Cause(NO_KERNELS, f"no conventional contract runs group {group}", str(region)) for group in missing)


def _policy_causes(judge: Judge, choice: Choice, policy: Policy, asked: tuple[Need, ...]) -> Iterator[Cause]:
    if not choice.region.is_megakernel:
        return
    contract = choice.contracts[0].value
    if contract.policies is not None and policy.kind not in contract.policies:
        because = f"entry '{contract.entry}' supports {', '.join(contract.policies) or 'no policy'}, not {policy.kind}"
        yield Cause(POLICY_UNSUPPORTED, because, contract.entry)
    for budget in launched_budgets(judge.question.spec, choice, policy, asked):
        if budget not in contract.budgets:
            yield Cause(BUDGET_UNSUPPORTED, unsupported_budget(contract, budget), contract.entry)
    producers = {group.name for group in judge.question.spec.groups_of("producer")}
    if policy.sharing is Sharing.FIXED and producers & {*choice.region.groups} and not contract.loops_over_steps:
        said = "loops_on_device: false" if contract.loops_over is None else "loops_over: without steps"
        yield Cause(NOT_RESIDENT, f"entry '{contract.entry}' is launched again for each step ({said})", contract.entry)
    if because := _launched_each_repeat(judge.question.spec, choice, policy):
        yield Cause(NOT_REPEATING, because, contract.entry)


def _launched_each_repeat(spec: Spec, choice: Choice, policy: Policy) -> str:
    """Return that a launch which stays over a block is launched again for each of its repeats; nothing where it is not."""
    contract, has = choice.contracts[0].value, {*choice.region.groups}
    for block in () if contract.loops_over_repeats else spec.repeats:
        stays = policy.is_split or contract.loops_over_steps or has > {*block.groups}
        if has >= {*block.groups} and stays:
            return f"entry '{contract.entry}' is launched again for each of the {block.times:,} repeats of '{block.name}'"
    return ""


def _launch_causes(judge: Judge, choice: Choice, policy: Policy, asked: tuple[Need, ...]) -> Iterator[Cause]:
    device = judge.study.device.value
    budgets = launched_budgets(judge.question.spec, choice, policy, asked) if choice.region.is_megakernel else (None,)
    for contract in choice.contracts:
        for budget in budgets:
            for fault in launch_faults(device, contract.value, budget):
                yield _cause(fault, contract.value.entry)


def _partition_causes(judge: Judge, choice: Choice, policy: Policy, asked: tuple[Need, ...]) -> Iterator[Cause]:
    """The partition of a launch that none stands beside; those of two sides come from one split (`_together_causes`)."""
    if not choice.region.is_megakernel:
        return
    contract = choice.contracts[0].value
    for budget in undivided_budgets(judge.question.spec, choice, policy, asked):
        for fault in partition_faults(judge.study.device.value, [(contract, budget)]):
            yield _cause(fault, contract.entry)


def _size_causes(judge: Judge, choice: Choice, policy: Policy, asked: tuple[Need, ...]) -> Iterator[Cause]:
    """What keeps the device from being cut into the partitions on which the choice would run."""
    if not any(need.phase is Phase.PARTITION for need in asked):
        return
    spec, x, y = judge.question.spec, policy.producer_ctas, policy.consumer_ctas
    for fault in pair_faults(judge.study.device.value, spec.partition_by, (x, y)):
        yield Cause(fault.rule, f"{x}/{y}: {fault.message}", str(policy))
    if spec.partition_by == "mps" and choice.region.is_megakernel:
        entry = choice.contracts[0].value.entry
        because = f"entry '{entry}' would hold SMs that an MPS percentage does not reserve for it"
        yield Cause(RESERVATION, f"{because}: partition by green contexts, or keep it out of partitions", entry)


def _stream_causes(judge: Judge, choice: Choice, policy: Policy, asked: tuple[Need, ...]) -> Iterator[Cause]:
    """What keeps the choice from running beside another stream."""
    if not any(need.phase is Phase.STREAM for need in asked):
        return
    sms = judge.study.device.value.usable_sms
    for contract in (one.value for one in choice.contracts):
        if contract.backend == "conventional" and contract.grid_ctas is None and "kernels" not in contract.model_fields_set:
            because = "states neither kernels nor grid_ctas: beside another stream it matters how many kernels there are and how wide"
            yield Cause(KERNELS_UNKNOWN, f"entry '{contract.entry}' {because}", contract.entry)
        if contract.backend == "megakernel" and policy.producer_ctas and -(-policy.producer_ctas // contract.launch.ctas_per_sm) >= sms:
            because = f"{policy.producer_ctas} CTAs of '{contract.entry}' hold all {sms} SMs and leave none for the other stream"
            yield Cause(SPLIT_TOO_LARGE, because, str(policy))


def _cause(fault: Fault, entry: str) -> Cause:
    return Cause(fault.rule, f"entry '{entry}': {fault.message}", entry)


def _dispatch_causes(_judge: Judge, choice: Choice, _policy: Policy, _asked: tuple[Need, ...]) -> Iterator[Cause]:
    entries: dict[str, list[str]] = {}
    for one in choice.contracts:
        entries.setdefault(one.value.dispatch.kind, []).append(one.value.entry)
    if len(entries) > 1:
        because = ", ".join(f"{_first_of(names)} by {kind}" for kind, names in entries.items())
        yield Cause(MIXED_DISPATCH, f"{choice.region} would launch {because}", str(choice.region))


def _first_of(names: Sequence[str]) -> str:
    """Return the first name and how many there are besides: a region may have thousands of kernels."""
    first, *others = names
    return f"'{first}' and {len(others):,} more" if others else f"'{first}'"


def _evidence_causes(judge: Judge, choice: Choice, _policy: Policy, asked: tuple[Need, ...]) -> Iterator[Cause]:
    for need in asked:
        for key, contract in judge.keys(choice, need):
            found = judge.evidence.find(key, contract)
            if isinstance(found, NoEvidence):
                yield Cause(NO_RECORD, str(found), found.key.entry)
            elif found.record.hbm_bytes is None and judge.question.has_company(need):
                record = f"the record of {need.group.name} with {need.budget_ctas} CTAs ({found.document.file})"
                because = f"{record} has no hbm_bytes and would run beside other work{_instead(judge.evidence.derived(key, contract))}"
                yield Cause(UNKNOWN_BYTES, because, str(choice))
        if not _takes_time(judge, choice, need):
            first, *others = (f"'{one.value.entry}'" for one in choice.contracts_of(need.group.name))
            kernels = f"{first} and {len(others)} more" if others else first
            because = f"the negative gaps before {kernels} take away all the time of a call of {need.group.name}"
            yield Cause(NO_TIME, f"{because}; state the gaps inside one call", str(choice))


def _takes_time(judge: Judge, choice: Choice, need: Need) -> bool:
    """Whether a call of the need's group takes any time, or what it takes is not known."""
    pairs = zip(choice.contracts_of(need.group.name), judge.records(choice, need), strict=True)
    return any(isinstance(use, NoEvidence) or left_ps(contract.value, use.record, judge.study.device.value) for contract, use in pairs)


def _instead(derived: RecordUse | NoEvidence) -> str:
    """Return that a derived time has the bytes which a record lacks, where that is so."""
    if isinstance(derived, NoEvidence):
        return ""
    moved = f"{derived.record.hbm_bytes:,} bytes"
    return f"; the program at {derived.place} gives a time with {moved}, but the record stands in its way: add hbm_bytes to it or remove it"


def _together_causes(study: Study, variant: Variant, policy: Policy, question: Question) -> Iterator[Cause]:
    makes, takes = split_sides(question.spec, variant)
    device, pair = study.device.value, f"{policy.producer_ctas}/{policy.consumer_ctas}"
    sides = [(makes.value, policy.producer_ctas), (takes.value, policy.consumer_ctas)]
    if makes.value.entry != takes.value.entry:
        placed = residency(study, variant, policy, question)
        if not placed.fits:
            yield Cause(SPLIT_TOO_LARGE, f"{pair}: {placed.because}", str(policy))
        for fault in partition_faults(device, sides):
            yield Cause(fault.rule, f"{pair}: {fault.message}", str(policy))
    if not is_stated(study.spec.value, policy.producer_ctas, policy.consumer_ctas):
        rest = rest_beside(device, makes.value, policy.producer_ctas, takes.value)
        if rest != policy.consumer_ctas:
            because = f"beside {policy.producer_ctas} CTAs of '{makes.value.entry}' the rest of '{takes.value.entry}' is {rest} CTAs"
            yield Cause(NOT_THE_REST, f"{pair}: {because}", str(policy))


def residency(study: Study, variant: Variant, policy: Policy, question: Question) -> CoResidency:
    """Return how the two sides of a split are placed on the device."""
    makes, takes = split_sides(question.spec, variant)
    return co_residency(study.device.value, makes.value, policy.producer_ctas, takes.value, policy.consumer_ctas)
