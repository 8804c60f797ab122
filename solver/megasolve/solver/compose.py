"""From a candidate and one choice of entries to the composition that is simulated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from megasolve.contracts import Contract, Device, Document
from megasolve.simulate import Capacity, Composition, CostKind, DispatchCost, Phase, RegionPlan, Schedule, Service, Work

from .candidates import Candidate, Choice
from .covers import Region
from .evidence import NoEvidence, RecordUse
from .needs import Need, Question, split_sides
from .policies import Policy
from .predicates import Judge, Variant, residency


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
    spec, device = judge.question.spec, judge.study.device.value
    composition = Composition(
        regions=tuple(_region(device, choice) for choice in variant),
        admission=tuple(group.name for group in spec.groups_of("admission")),
        producers=tuple(group.name for group in spec.groups_of("producer")),
        consumers=tuple(group.name for group in spec.groups_of("consumer")),
        schedule=_schedule(judge.question),
        sharing=candidate.policy.sharing,
        works=works,
        capacity=capacity,
        bandwidth_bytes_per_s=device.hbm_sustained_bytes_per_s,
    )
    return Composed(judge.effects.applied_to(composition), tuple(usages), assumption)


def _usages(choice: Choice, need: Need, found: Sequence[RecordUse]) -> Iterator[Usage]:
    for contract, use in zip(choice.contracts_of(need.group.name), found, strict=True):
        yield Usage(use, need, need.runs * need.group.calls, choice.region, contract.value)


def _work(judge: Judge, choice: Choice, need: Need, found: Sequence[RecordUse]) -> Work:
    contracts = choice.contracts_of(need.group.name)
    services = tuple(_service(judge.study.device.value, one, use) for one, use in zip(contracts, found, strict=True))
    return Work(need.group.name, need.group.calls, services)


def _service(device: Device, contract: Document[Contract], use: RecordUse) -> Service:
    kernel = contract.value
    record = use.record
    if kernel.backend == "megakernel":
        return Service(record.group, record.time_ps, record.hbm_bytes)
    gap_ps = _cost(device, kernel, "gap_ps") if kernel.dispatch.kind == "graph" else kernel.dispatch.gap_ps or 0
    return Service(kernel.entry, record.time_ps, record.hbm_bytes, kernel.kernels, gap_ps)


def _cost(device: Device, contract: Contract, figure: str) -> int:
    """Return one figure of a launch: the contract's own, else the device's for that kind; a contract's never adds to it.

    A gap that was measured before each kernel of a stream holds its launch cost, so it stands for what the device says of launches.
    """
    if contract.dispatch.holds_launch_cost and getattr(contract.dispatch, figure) is None:
        return 0
    declared = getattr(device.launch, contract.dispatch.kind)
    for source in (contract.dispatch, declared):
        cost: int | None = getattr(source, figure, None)
        if cost is not None:
            return cost
    raise LookupError(f"no {figure} of a {contract.dispatch.kind} launch for '{contract.entry}' on {device.name}")


def _region(device: Device, choice: Choice) -> RegionPlan:
    kernels = [one.value for one in choice.contracts]
    return RegionPlan(
        name=str(choice.region),
        groups=choice.region.groups,
        persistent=choice.region.is_megakernel,
        dispatch=_dearest(device, kernels),
        loops=kernels[0].loops_on_device is not False,
        cooperative=kernels[0].launch.cooperative,
    )


def _dearest(device: Device, kernels: Sequence[Contract]) -> DispatchCost:
    """Return what one launch of all *kernels* costs: that of the dearest of them; the host waits if it does for any."""
    costs = [(_cost(device, kernel, "host_ps"), _cost(device, kernel, "exposed_ps")) for kernel in kernels]
    host_ps, exposed_ps = max(costs, key=lambda cost: (sum(cost), cost))
    waits = any(kernel.dispatch.host_waits for kernel in kernels)
    return DispatchCost(CostKind(kernels[0].dispatch.kind), host_ps, exposed_ps, waits)


def _schedule(question: Question) -> Schedule:
    publication = question.spec.publication
    return Schedule(question.ready_step, question.horizon_step, publication.group if publication else None, question.cycle_steps)


def _capacity(judge: Judge, policy: Policy, variant: Variant) -> tuple[Capacity, str | None]:
    """Return what the launches hold, in SMs; in half SMs where the two entries are assumed to share every SM."""
    sms = judge.study.device.value.usable_sms
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
