"""What a profile says about the contracts of a spec: the time of one call of a group in each entry, and what belongs to none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..model.contract import Contract
from ..observe.observation import Observation, ObservedKernel
from ..profiles.execution import KernelShape
from .matching import claims
from .runs import KernelRun, runs, typical


@dataclass(frozen=True, slots=True)
class Timing:
    """One call of *group* in the entry of *contract* on *budget_ctas* CTAs, as often as a profile shows it."""

    contract: Contract
    group: str
    budget_ctas: int
    samples_ps: tuple[int, ...]
    hbm_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Unused:
    """Kernels that give no time to any contract, and why."""

    kernel: ObservedKernel
    because: str


def timings(
    observation: Observation, contracts: Sequence[Contract], calls: Mapping[str, int], usable_sms: int
) -> tuple[tuple[Timing, ...], tuple[Unused, ...]]:
    """Return the times that *observation* gives to *contracts*, and the kernels that give none, the longest first.

    *calls* says how often a group runs per occurrence; a group whose occurrences are the steps runs all of them in each.
    """
    owners, orders = _owners(observation, contracts), _orders(observation)
    by_call: dict[tuple[str, str, int], list[ObservedKernel]] = {}
    unused = []
    for kernel in observation.kernels:
        known = _at_its_place(kernel, contracts) or owners[kernel.shape]
        refusals = [_refusal(kernel, owner) for owner in known]
        accepted = [owner for owner, refusal in zip(known, refusals, strict=True) if not refusal]
        for owner in _in_its_order(accepted, orders[id(kernel)]):
            by_call.setdefault((owner.entry, kernel.group, _budget(owner, kernel, usable_sms)), []).append(kernel)
        if all(refusals):
            unused.append(Unused(kernel, refusals[0] if refusals else "no contract names it in observed.kernels"))
    named, divisors = {contract.entry: contract for contract in contracts}, _divisors(observation, calls)
    found = (_timing(named[entry], group, budget, kernels, divisors[group]) for (entry, group, budget), kernels in by_call.items())
    return tuple(found), tuple(sorted(unused, key=lambda one: -typical(one.kernel.samples_ps)))


def _owners(observation: Observation, contracts: Sequence[Contract]) -> Mapping[KernelShape, list[Contract]]:
    """Return the contracts that account for each shape."""
    shapes = tuple(dict.fromkeys(kernel.shape for kernel in observation.kernels))
    claimed = claims(contracts, shapes)
    return {shape: [contract for contract in contracts if shape in claimed[contract.entry]] for shape in shapes}


def _orders(observation: Observation) -> Mapping[int, int]:
    """Return which run of its group each kernel is in, from 0, by the identity of the kernel."""
    counts: Counter[str] = Counter()
    orders = {}
    for run in runs(observation.kernels):
        orders.update({id(kernel): counts[run.group] for kernel in run.kernels})
        counts[run.group] += 1
    return orders


def _in_its_order(owners: Sequence[Contract], order: int) -> Sequence[Contract]:
    """Return *owners*, of several that nothing else tells apart the one that runs at the place of the kernel."""
    return [owner for owner in owners if owner.order == order] or owners if len(owners) > 1 else owners


def _at_its_place(kernel: ObservedKernel, contracts: Sequence[Contract]) -> list[Contract]:
    """Return the contracts of a kernel that one place of a step tells apart: equal ones run at other places of its group."""
    if not kernel.is_placed:
        return []
    own = [one for one in contracts if one.backend == "conventional" and one.members == (kernel.group,) and one.order == kernel.order]
    return [one for one in own if kernel.shape.name in one.observed_kernels]


def _refusal(kernel: ObservedKernel, contract: Contract) -> str:
    """Return why *kernel* is no time of one call in *contract*, or nothing."""
    if kernel.beside:
        return f"group '{kernel.group}' ran only beside {', '.join(kernel.beside)}, so its time is not standalone"
    if kernel.group not in contract.members:
        return f"entry '{contract.entry}' does not run group '{kernel.group}'"
    if len(contract.members) > 1:
        return f"one launch of '{contract.entry}' runs {', '.join(contract.members)}, and nothing tells their times apart"
    if contract.loops_over_steps:
        return _looped(kernel, contract)
    if contract.backend == "megakernel" and kernel.shape.ctas is None:
        return f"the profile does not say on how many CTAs '{contract.entry}' ran"
    return ""


def _looped(kernel: ObservedKernel, contract: Contract) -> str:
    """Return why launches of an entry that loops on the device are no time of one step."""
    occurrences = len(kernel.samples_ps)
    if occurrences > 1:
        return f"'{contract.entry}' says loops_on_device: true, one launch for all steps, but ran in {occurrences:,} of them"
    return f"one launch of '{contract.entry}' runs all steps, and nothing tells their times apart"


def _budget(contract: Contract, kernel: ObservedKernel, usable_sms: int) -> int:
    return usable_sms if contract.backend == "conventional" else kernel.shape.ctas or usable_sms


def _divisors(observation: Observation, calls: Mapping[str, int]) -> Mapping[str, int]:
    """Return how many calls an occurrence of each group holds: all of a step where nothing marks them one by one."""
    marked = {group.group for group in observation.groups if group.marks is not None}
    names = {kernel.group for kernel in observation.kernels}
    return {name: 1 if name in marked else calls.get(name, 1) for name in names}


def _timing(contract: Contract, group: str, budget_ctas: int, kernels: Sequence[ObservedKernel], calls: int) -> Timing:
    run = KernelRun(tuple(kernels))
    hbm_bytes = None if run.hbm_bytes is None else round(Fraction(run.hbm_bytes, calls))
    return Timing(contract, group, budget_ctas, tuple(round(Fraction(sample, calls)) for sample in run.samples_ps), hbm_bytes)
