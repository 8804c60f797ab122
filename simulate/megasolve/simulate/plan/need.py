"""Needs: which group runs under which budget, in which phase and how often, for one region under one policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from megasolve.contracts import Contract, Document, GroupRole, GroupSpec, MegasolveError, Spec, dependences_of, unawaited

from .candidate import Choice
from .objective import Objective
from .policy import Policy
from .sharing import Phase, Sharing

TIMED_ROLES: dict[Objective, GroupRole] = {Objective.PRODUCER_STEP: "producer", Objective.CHUNK_INTERVAL: "consumer"}


class ImpossibleObjective(MegasolveError):
    """An objective that is no time of the spec: a step without a producer, or a later chunk that nobody describes."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is being asked: the spec's streaming schedule at one batch under one objective.

    *unawaited* are the groups whose last occurrence the first publication does not wait for, *apart* has for each group those of its role
    that run neither before nor after it.

    Raises
    ------
    ImpossibleObjective
        The spec has no group whose steps or chunks the objective times.
    """

    spec: Spec
    batch: int
    objective: Objective
    unawaited: frozenset[str] = field(init=False)
    apart: Mapping[str, frozenset[str]] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        depends = dependences_of(self.spec)
        object.__setattr__(self, "unawaited", unawaited(self.spec, depends))
        object.__setattr__(
            self, "apart", {name: frozenset(depends.names(depends.apart(place))) for place, name in enumerate(depends.groups)}
        )
        timed = TIMED_ROLES.get(self.objective)
        if timed and not self.spec.groups_of(timed):
            raise ImpossibleObjective(f"{self.objective.value} needs a {timed} group, and {self.spec.name} has none")
        if self.objective is Objective.CHUNK_INTERVAL and (self.spec.stream is None or self.spec.stream.next_chunk is None):
            raise ImpossibleObjective(f"chunk_interval needs stream.next_chunk, the frames of a later chunk, and {self.spec.name} has none")

    @property
    def ready_step(self) -> int:
        """r: the step after which the first chunk can start; without a consumer, the same as h."""
        return self.spec.stream.ready_step if self.spec.stream else self.horizon_step

    @property
    def horizon_step(self) -> int:
        """h: the last step that the first publication waits for."""
        if self.spec.stream:
            return self.spec.stream.horizon_step
        publication = self.spec.publication
        return publication.step or 0 if publication else 0

    @property
    def is_steady(self) -> bool:
        """Whether the objective looks at the stream long after its first publication."""
        return self.objective is not Objective.FIRST_PUBLICATION

    @property
    def cycle_steps(self) -> int:
        """The producer steps of one steady cycle: one where nothing is chunked, else those of a later chunk.

        A later chunk is as long as the first where the spec does not say.
        """
        stream = self.spec.stream
        return stream.steps_for(stream.next_chunk or stream.first_chunk) if stream else 1

    @property
    def scores_per_cycle(self) -> int:
        """How many scores make up what the needs' runs add up to."""
        return self.cycle_steps if self.objective is Objective.PRODUCER_STEP else 1

    @property
    def has_tail(self) -> bool:
        """Whether a dynamic split has producer work beside the consumer (it has none where h = r)."""
        return self.is_steady or self.horizon_step > self.ready_step

    def may_fork(self, groups: Sequence[str]) -> bool:
        """Whether a region of *groups* may have another one of its role beside it, on two streams inside of roles."""
        return bool(frozenset.intersection(*(self.apart[group] for group in groups)))

    def has_company(self, need: Need) -> bool:
        """Whether the need's group may run beside another one: on its side of a split that has producer work left, or on its partition."""
        if need.phase is Phase.STREAM:
            return True
        if need.phase is Phase.PARTITION:
            return need.group.role != "admission"
        return need.phase is Phase.SPLIT and need.group.role != "admission" and self.has_tail

    def shapes_of(self, group: GroupSpec) -> dict[str, int]:
        """The shapes that a record of *group* must carry: those of the first chunk or, for a steady objective, of a later one."""
        return self.spec.call_shapes(group, later=self.is_steady)


@dataclass(frozen=True, slots=True)
class Need:
    """One group of a region under one budget: *runs* is how often it occurs there until the objective is reached."""

    group: GroupSpec
    phase: Phase
    budget_ctas: int
    runs: int


def whole_budget(choice: Choice, usable_sms: int) -> int:
    """Return the budget of a launch that has the device to itself: the entry's largest, or the SM count for kernels."""
    if not choice.region.is_megakernel:
        return usable_sms
    budgets = choice.contracts[0].value.budgets
    return budgets[0] if budgets else usable_sms


def partition_budget(choice: Choice, sms: int) -> int:
    """Return the budget of a launch on a partition of *sms* SMs: all CTAs that they hold, in whole clusters, or the SMs for kernels."""
    if not choice.region.is_megakernel:
        return sms
    launch = choice.contracts[0].value.launch
    ctas = sms * launch.ctas_per_sm
    return ctas - ctas % launch.cluster_ctas


def needs(question: Question, choice: Choice, policy: Policy, usable_sms: int) -> tuple[Need, ...]:
    """Return every (group, phase, budget) that *choice* must have evidence for under *policy*."""
    whole = whole_budget(choice, usable_sms)
    found: list[Need] = []
    for name in choice.region.groups:
        group = next(one for one in question.spec.groups if one.name == name)
        if policy.is_inside:
            phase = Phase.STREAM if question.may_fork(choice.region.groups) else Phase.WHOLE
            found.append(Need(group, phase, whole, sum(_runs(question, group))))
        elif policy.is_streams:
            found += _needs_on_stream(question, group, policy, whole)
        elif policy.is_partition:
            found.append(_need_on_partition(question, group, choice, policy, whole))
        else:
            found += _needs_of(question, group, _side(question.spec, choice, policy), policy, whole)
    return tuple(found)


def _need_on_partition(question: Question, group: GroupSpec, choice: Choice, policy: Policy, whole: int) -> Need:
    """Return what a group needs on its partition; admission that no producer's launch has with it runs on the whole device."""
    runs = sum(_runs(question, group))
    producers = {one.name for one in question.spec.groups_of("producer")}
    if group.role == "admission" and not (choice.region.is_megakernel and producers & {*choice.region.groups}):
        return Need(group, Phase.WHOLE, whole, runs)
    sms = policy.consumer_ctas if group.role == "consumer" else policy.producer_ctas
    return Need(group, Phase.PARTITION, partition_budget(choice, sms), runs)


def _side(spec: Spec, choice: Choice, policy: Policy) -> frozenset[str]:
    """Return the roles that the region plays in a split: none for a region outside of it."""
    if not policy.is_split:
        return frozenset()
    roles = {group.role for group in spec.groups if group.name in choice.region.groups}
    return frozenset(roles & {"producer", "consumer"})


def _needs_on_stream(question: Question, group: GroupSpec, policy: Policy, whole: int) -> list[Need]:
    """Return what a group needs on two streams: until step r on the whole device, and then beside the other side."""
    before, after = _runs(question, group)
    if group.role == "admission":
        return [Need(group, Phase.WHOLE, whole, before + after)]
    if group.role == "consumer":
        return [Need(group, Phase.STREAM, policy.consumer_ctas or whole, before + after)]
    return [Need(group, Phase.WHOLE, whole, before), Need(group, Phase.STREAM, policy.producer_ctas or whole, after)]


def _needs_of(question: Question, group: GroupSpec, side: frozenset[str], policy: Policy, whole: int) -> list[Need]:
    """Return the needs of one group; *side* is empty for a region that no split concerns."""
    before, after = _runs(question, group)
    if not side:
        return [Need(group, Phase.WHOLE, whole, before + after)]
    if group.role == "consumer":
        return [Need(group, Phase.SPLIT, policy.consumer_ctas, before)]
    if policy.sharing is Sharing.FIXED:
        both = policy.producer_ctas + policy.consumer_ctas
        budget = both if group.role == "admission" and "consumer" in side else policy.producer_ctas
        return [Need(group, Phase.SPLIT, budget, before + after)]
    tail = [Need(group, Phase.SPLIT, policy.producer_ctas, after)] if group.role == "producer" and question.has_tail else []
    return [Need(group, Phase.WHOLE, whole, before), *tail]


def _runs(question: Question, group: GroupSpec) -> tuple[int, int]:
    """Return how often *group* runs up to step r, and after it, until the objective is reached."""
    before, after = _in_a_cycle(question, group) if question.is_steady else _until_publication(question, group)
    times = question.spec.times_of(group.name)
    return times * before, times * after


def _until_publication(question: Question, group: GroupSpec) -> tuple[int, int]:
    # What nobody waits for at its last occurrence does not run then.
    skipped = int(question.spec.stream is not None and group.name in question.unawaited)
    if group.role != "producer":
        return 1 - skipped, 0
    left = question.horizon_step - question.ready_step
    return (question.ready_step, left - skipped) if left else (question.ready_step - skipped, 0)


def _in_a_cycle(question: Question, group: GroupSpec) -> tuple[int, int]:
    cycle = {"admission": 0, "producer": question.cycle_steps, "consumer": 1}[group.role]
    return (cycle, 0) if group.role == "consumer" else (0, cycle)


def launched_budgets(spec: Spec, choice: Choice, policy: Policy, asked: tuple[Need, ...]) -> tuple[int, ...]:
    """Return the budgets in CTAs that the region's launches hold, largest first; a shared launch holds both sides of a fixed split."""
    budgets = {need.budget_ctas for need in asked}
    if _side(spec, choice, policy) == {"producer", "consumer"}:
        budgets.add(policy.producer_ctas + policy.consumer_ctas)
    return tuple(sorted(budgets, reverse=True))


def undivided_budgets(spec: Spec, choice: Choice, policy: Policy, asked: tuple[Need, ...]) -> tuple[int, ...]:
    """Return the budgets in CTAs of the region's launches that no other launch stands beside."""
    if _side(spec, choice, policy) == {"producer", "consumer"}:
        return (policy.producer_ctas + policy.consumer_ctas,)
    return tuple(dict.fromkeys(need.budget_ctas for need in asked if need.phase is Phase.WHOLE))


def split_sides(spec: Spec, chosen: tuple[Choice, ...]) -> tuple[Document[Contract], Document[Contract]]:
    """Return the entries that hold the producers and the consumers of a split; the same one where they share a launch."""
    producer, consumer = spec.groups_of("producer")[0].name, spec.groups_of("consumer")[0].name
    makes = next(choice for choice in chosen if producer in choice.region.groups)
    takes = next(choice for choice in chosen if consumer in choice.region.groups)
    return makes.contracts[0], takes.contracts[0]
