"""From a candidate and one choice of entries to the composition that is simulated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from megasolve.contracts import Contract, Device, Document, Spec, launch_figures
from megasolve.simulate import FREE, Capacity, Composition, DispatchCost, KernelGrid, Phase, RegionPlan, SecondStream, Service, Work
from megasolve.simulate.plan.candidate import Candidate, Choice
from megasolve.simulate.plan.cover import Region
from megasolve.simulate.plan.launches import launching_of
from megasolve.simulate.plan.need import Need, split_sides
from megasolve.simulate.plan.policy import SIDES, Policy, has_own_host
from megasolve.simulate.predict.outline import outline

from ..evidence.lookup import NoEvidence, RecordUse, left_ps
from ..search.predicates import Judge, Variant, residency


@dataclass(frozen=True, slots=True)
class Usage:
    """One record in use: *calls* counts how often it is spent until the objective is reached, for *contract* in *region*."""

    use: RecordUse
    need: Need
    calls: int
    region: Region
    contract: Contract

    @property
    def spent_ps(self) -> int:
        """The standalone time that the record contributes in all."""
        return self.calls * self.use.record.time_ps


@dataclass(frozen=True, slots=True)
class Composed:
    """A composition with the records that it was made from and the placement that it assumes, if any."""

    composition: Composition
    usages: tuple[Usage, ...]
    assumption: str | None


def compose(judge: Judge, candidate: Candidate, variant: Variant) -> Composed:
    """Return the composition of a feasible variant."""
    usages: list[Usage] = []
    works: dict[tuple[str, Phase], Work] = {}
    for choice in variant:
        for need in judge.needs(choice, candidate.policy):
            found = [use for use in judge.records(choice, need) if not isinstance(use, NoEvidence)]
            works[need.group.name, need.phase] = _work(judge, choice, need, found)
            if need.runs:
                usages += _usages(choice, need, found)
    capacity, assumption = _capacity(judge, candidate.policy, variant)
    device = judge.study.device.value
    composition = replace(
        outline(judge.question, judge.graph, [_region(judge, choice, candidate.policy) for choice in variant], candidate.policy.sharing),
        works=works,
        capacity=capacity,
        bandwidth_bytes_per_s=device.hbm_sustained_bytes_per_s,
        second_stream=_second_stream(judge.question.spec, candidate.policy),
        apart=judge.graph.apart if candidate.policy.is_inside else frozenset(),
    )
    if candidate.policy.is_inside:
        # Serial order asks for what runs on the whole device; of these kernels it is what runs beside another stream.
        composition = composition.beside
    return Composed(judge.effects.applied_to(composition), tuple(usages), assumption)


def _usages(choice: Choice, need: Need, found: Sequence[RecordUse]) -> Iterator[Usage]:
    for contract, use in zip(choice.contracts_of(need.group.name), found, strict=True):
        yield Usage(use, need, need.runs * need.group.calls, choice.region, contract.value)


def _work(judge: Judge, choice: Choice, need: Need, found: Sequence[RecordUse]) -> Work:
    contracts = choice.contracts_of(need.group.name)
    services = tuple(_service(judge.study.device.value, one, use, need) for one, use in zip(contracts, found, strict=True))
    return Work(need.group.name, need.group.calls, services)


def _service(device: Device, contract: Document[Contract], use: RecordUse, need: Need) -> Service:
    kernel = contract.value
    record = use.record
    if kernel.backend == "megakernel":
        return Service(record.group, record.time_ps, record.hbm_bytes)
    cost = launch_cost(device, kernel)
    # What runs beside the kernel ahead is time of the device once: the record keeps all of it, the call takes what is left.
    left = replace(cost, gap_ps=max(cost.gap_ps, 0))
    grid = kernel_grid(device, kernel) if need.phase is Phase.STREAM else None
    return Service(kernel.entry, left_ps(kernel, record, device), record.hbm_bytes, kernel.kernels, left, grid)


def kernel_grid(device: Device, contract: Contract) -> KernelGrid:
    """Return the CTAs of each kernel of *contract* and how many of them *device* holds; one that says nothing is as wide as the device."""
    per_sm = contract.launch.ctas_per_sm
    return KernelGrid(contract.grid_ctas or device.usable_sms * per_sm, per_sm, device.usable_sms * per_sm)


def launch_cost(device: Device, contract: Contract) -> DispatchCost:
    """Return what one launch of *contract* costs."""
    figures = launch_figures(contract, device)
    if figures.host_ps is None or figures.exposed_ps is None or figures.gap_ps is None:
        raise LookupError(
            f"no {' and no '.join(figures.missing)} for a launch of '{contract.entry}' on {device.name}: the study is unchecked"
        )
    return DispatchCost(figures.host_ps, figures.exposed_ps, contract.dispatch.host_waits, figures.gap_ps)


def _region(judge: Judge, choice: Choice, policy: Policy) -> RegionPlan:
    device, first = judge.study.device.value, choice.contracts[0].value
    cost = launch_cost(device, first) if choice.region.is_megakernel else FREE
    is_on_stream = policy.is_streams or (policy.is_inside and judge.question.may_fork(choice.region.groups))
    sms = held_sms(judge, choice, policy) if choice.region.is_megakernel and is_on_stream else None
    return RegionPlan(str(choice.region), choice.region.groups, launching_of(first, cost), sms)


def held_sms(judge: Judge, choice: Choice, policy: Policy) -> int:
    """Return the SMs that each launch of a megakernel holds beside another stream."""
    budgets = [need.budget_ctas for need in judge.needs(choice, policy) if need.phase is Phase.STREAM] or [0]
    return min(-(-budgets[0] // choice.contracts[0].value.launch.ctas_per_sm), judge.study.device.value.usable_sms)


def _second_stream(spec: Spec, policy: Policy) -> SecondStream:
    is_producers_first = spec.streams.priority == "producer"
    return SecondStream(policy.waits_for_stream, is_producers_first, has_own_host(spec)) if policy.is_streams else SecondStream()


def _capacity(judge: Judge, policy: Policy, variant: Variant) -> tuple[Capacity, str | None]:
    """Return what the launches hold, in SMs; in half SMs where the two entries are assumed to share every SM."""
    sms = judge.study.device.value.usable_sms
    if policy.is_streams:
        # Of a side that is one launch over the steps; others say themselves what they hold.
        held = {group: held_sms(judge, one, policy) for one in variant if one.region.is_megakernel for group in one.region.groups}
        producer, consumer = (held.get(judge.question.spec.groups_of(role)[0].name, sms) for role in SIDES)
        return Capacity(sms, producer, consumer), None
    if policy.is_partition:
        return Capacity(sms, policy.producer_ctas, policy.consumer_ctas), None
    if not policy.is_split:
        return Capacity(sms, sms, sms), None
    makes, takes = split_sides(judge.question.spec, variant)
    if makes.value.entry == takes.value.entry:
        per_sm = makes.value.launch.ctas_per_sm
        both = -(-(policy.producer_ctas + policy.consumer_ctas) // per_sm)
        producer = min(-(-policy.producer_ctas // per_sm), both)
        return Capacity(sms, producer, both - producer), None
    placed = residency(judge.study, variant, policy, judge.question)
    if placed.mixed:
        return Capacity(2 * sms, sms, sms), placed.assumption
    return Capacity(sms, placed.taken_x, placed.taken_y), placed.assumption
