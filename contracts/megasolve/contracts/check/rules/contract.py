"""Rules for a contract alone: members, budgets, and which keys belong to which backend."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import PurePosixPath, PureWindowsPath

from ...model.base import BudgetRange
from ...model.contract import Backend, Contract
from ...model.findings import Fault, Repair
from ...model.rules import Rule, rule
from ..subjects import CONTRACT
from .walking import one_by_one, repeats
from .wording import listed, range_faults, repeated

_BUDGET_KEYS = ("budgets_ctas", "budgets_clusters")


@rule("CON-01", "member-repeated", "Each member is named once.", on=CONTRACT)
def member_repeated(contract: Contract) -> Iterator[Fault]:
    """A group is a member or not; how often it runs is the spec's `calls`."""
    for index, first in repeats(contract.members):
        yield Fault(
            member_repeated,
            ("members", index),
            f"'{contract.members[index]}' is member {first + 1} already; remove one of the two: how often a group runs is its `calls`",
        )


@rule("CON-02", "conventional-members", "A conventional contract belongs to exactly one group.", on=CONTRACT)
def conventional_members(contract: Contract) -> Iterator[Fault]:
    """A conventional kernel is launched for one group; several groups need one contract each."""
    if contract.backend == "conventional" and len(set(contract.members)) > 1:
        yield Fault(
            conventional_members,
            ("members",),
            f"{len(contract.members)} members ({listed(contract.members)}) in a conventional contract; exactly 1: "
            "write one contract per group, or is this a megakernel?",
        )


@rule("CON-03", "budgets-unclear", "A megakernel names its budgets once, in CTAs or in clusters.", on=CONTRACT)
def budgets_unclear(contract: Contract) -> Iterator[Fault]:
    """A CTA budget is counted in CTAs or in clusters, never in both, and a megakernel has at least one."""
    if contract.backend != "megakernel":
        return
    given = [key for key in _BUDGET_KEYS if getattr(contract, key) is not None]
    if len(given) == 2:
        yield Fault(
            budgets_unclear,
            ("budgets_clusters",),
            "budgets both in CTAs and in clusters; exactly one of the two: remove budgets_clusters if the kernel counts CTAs",
            at_key=True,
        )
    elif not given:
        yield Fault(
            budgets_unclear,
            ("backend",),
            "a megakernel without a budget; list the grid sizes that it runs with, as budgets_ctas: [132, 88] or budgets_clusters",
        )
    elif not contract.budgets:
        yield Fault(budgets_unclear, (given[0],), "no budget is listed; list the grid sizes that the megakernel runs with, at least one")


@rule("CON-04", "conventional-budgets", "A conventional kernel has no CTA budget.", on=CONTRACT)
def conventional_budgets(contract: Contract) -> Iterator[Fault]:
    """A conventional grid takes what the device has; its records stand at the device's SM count."""
    for key in _BUDGET_KEYS:
        if contract.backend == "conventional" and getattr(contract, key) is not None:
            yield Fault(
                conventional_budgets,
                (key,),
                f"{key} in a conventional contract; only a megakernel holds a budget: remove it, or is this a megakernel?",
                at_key=True,
            )


@rule("CON-05", "budgets-unsorted", "Budgets are sorted, either way, each once.", on=CONTRACT)
def budgets_unsorted(contract: Contract) -> Iterator[Fault]:
    """A sorted list shows at a glance which budget is the largest and that none stands twice."""
    for key in _BUDGET_KEYS:
        budgets: tuple[int | BudgetRange, ...] = getattr(contract, key) or ()
        falling = len(budgets) > 1 and _least(budgets[1]) < _least(budgets[0])
        for index, (before, budget) in enumerate(pairwise(budgets), start=1):
            lower, upper = (budget, before) if falling else (before, budget)
            if _most(lower) >= _least(upper):
                ordered = sorted(set(budgets), key=_least, reverse=falling)
                yield Fault(
                    budgets_unsorted,
                    (key, index),
                    f"{budget} after {before}; budgets are sorted, each once: write [{listed(ordered)}]",
                )
                break


def _least(budget: int | BudgetRange) -> int:
    return budget if isinstance(budget, int) else budget.start


def _most(budget: int | BudgetRange) -> int:
    return budget if isinstance(budget, int) else budget.to


@rule("CON-06", "conventional-key", "Only conventional kernels have an implementation, an order and a kernel count.", on=CONTRACT)
def conventional_key(contract: Contract) -> Iterator[Fault]:
    """A megakernel is one launch: it has no further kernels to order or to count."""
    if contract.backend == "megakernel":
        yield from _misplaced(contract, conventional_key, ("implementation", "order", "kernels"), "conventional")


@rule("CON-07", "megakernel-key", "Only a megakernel loops on the device, places its CTAs and chooses policies.", on=CONTRACT)
def megakernel_key(contract: Contract) -> Iterator[Fault]:
    """A conventional kernel ends with its work: it neither loops nor shares the GPU by a policy."""
    if contract.backend == "conventional":
        yield from _misplaced(
            contract, megakernel_key, ("loops_on_device", "loops_over", "partition", "placement", "policies"), "megakernel"
        )


@rule("CON-08", "gap-outside-graph", "Only a graph, or a conventional kernel, has a gap before each kernel.", on=CONTRACT)
def gap_outside_graph(contract: Contract) -> Iterator[Fault]:
    """A gap stands before each kernel of a graph, or of a stream that was profiled; a persistent launch is one kernel."""
    if contract.dispatch.gap_ps is not None and contract.dispatch.kind != "graph" and contract.backend == "megakernel":
        repair = "of megakernels only kind 'graph' has one: remove gap_us, or add it to exposed_us"
        message = f"a gap with dispatch kind '{contract.dispatch.kind}'; {repair}"
        yield Fault(gap_outside_graph, ("dispatch", "gap_us"), message, at_key=True)
    elif (contract.dispatch.gap_ps or 0) < 0 and contract.backend == "megakernel":
        message = "a negative gap of a megakernel; only conventional kernels start before the one ahead has ended: make it 0 or more"
        yield Fault(gap_outside_graph, ("dispatch", "gap_us"), message)


@rule("CON-09", "policies-unclear", "A megakernel names the policies that it supports, each once.", on=CONTRACT)
def policies_unclear(contract: Contract) -> Iterator[Fault]:
    """Without the key a megakernel supports every policy; an empty list would support none."""
    policies = contract.policies or ()
    if contract.policies == ():
        yield Fault(
            policies_unclear, ("policies",), "no policy is supported; name serial, fixed or dynamic, or remove the key for all three"
        )
    for index, first in repeats(policies):
        yield Fault(policies_unclear, ("policies", index), repeated(f"'{policies[index]}'", first), repair=Repair(None))


@rule("CON-10", "tensor-repeated", "Each tensor is listed once.", on=CONTRACT)
def tensor_repeated(contract: Contract) -> Iterator[Fault]:
    """A tensor stays on chip or not, is forwarded or not."""
    if contract.storage is None:
        return
    for key in ("on_chip", "forwarded"):
        tensors = getattr(contract.storage, key)
        for index, first in repeats(tensors):
            yield Fault(tensor_repeated, ("storage", key, index), repeated(f"'{tensors[index]}'", first, among=key), repair=Repair(None))


@rule("CON-11", "source-absolute", "A source file is named relative to its contract.", on=CONTRACT)
def source_absolute(contract: Contract) -> Iterator[Fault]:
    """An absolute path holds on one machine only, so the hash could be compared nowhere else."""
    if contract.source is None:
        return
    file = contract.source.file
    if PurePosixPath(file).is_absolute() or PureWindowsPath(file).is_absolute():
        yield Fault(source_absolute, ("source", "file"), f"'{file}' is an absolute path; name the file relative to this contract's folder")


@rule("CON-12", "nothing-to-pack", "An entry whose CTAs are packed has several of them on an SM.", on=CONTRACT)
def nothing_to_pack(contract: Contract) -> Iterator[Fault]:
    """With one CTA on an SM there is one way to place them; the density may be missing instead."""
    if contract.placement is not None and contract.backend == "megakernel" and contract.launch.ctas_per_sm == 1:
        message = "CTAs are packed, one per SM; remove the key, or say in launch.ctas_per_sm how many an SM holds"
        yield Fault(nothing_to_pack, ("placement", "packed"), message, at_key=True)


@rule("CON-13", "loops-unclear", "A megakernel says once what one launch of it loops over.", on=CONTRACT)
def loops_unclear(contract: Contract) -> Iterator[Fault]:
    """`loops_on_device: true` is `loops_over: [steps]`; two keys for one fact can contradict each other."""
    over = contract.loops_over or ()
    if contract.loops_over is not None and contract.loops_on_device is not None:
        message = "loops_on_device beside loops_over, which says it all; remove it"
        yield Fault(loops_unclear, ("loops_on_device",), message, at_key=True)
    for index, first in repeats(over):
        yield Fault(loops_unclear, ("loops_over", index), repeated(f"'{over[index]}'", first))


def _misplaced(contract: Contract, rule: Rule, keys: tuple[str, ...], owner: Backend) -> Iterator[Fault]:
    for key in keys:
        if key in contract.model_fields_set:
            message = f"{key} in a {contract.backend} contract; only {owner} ones have it: remove it, or correct the backend"
            yield Fault(rule, (key,), message, at_key=True)


@rule("CON-14", "range-unusable", "A range of budgets has a first count, and not too many.", on=CONTRACT)
def range_unusable(contract: Contract) -> Iterator[Fault]:
    """A range that is empty says nothing, and one that is huge is a slip."""
    for key, budgets in (("budgets_ctas", contract.budgets_ctas), ("budgets_clusters", contract.budgets_clusters)):
        for index, budget in one_by_one(budgets or ()):
            if isinstance(budget, BudgetRange):
                yield from (Fault(range_unusable, (key, index), fault) for fault in range_faults(budget))


@rule("CON-15", "dependent-unclear", "Dependent launch is of conventional kernels in a graph, which state a gap of their own.", on=CONTRACT)
def dependent_unclear(contract: Contract) -> Iterator[Fault]:
    """A device states the gap of plain nodes; what is left of it under dependent launch is the kernel's."""
    dispatch = contract.dispatch
    if not dispatch.dependent:
        return
    if contract.backend == "megakernel" or dispatch.kind != "graph":
        what = "a megakernel" if contract.backend == "megakernel" else f"dispatch kind '{dispatch.kind}'"
        message = f"dependent launch of {what}; only conventional kernels of kind 'graph' have it: remove dependent"
        yield Fault(dependent_unclear, ("dispatch", "dependent"), message, at_key=True)
    elif dispatch.gap_ps is None:
        message = "dependent launch without a gap_us; the device's is that of plain nodes: state the gap that is left before the kernel"
        yield Fault(dependent_unclear, ("dispatch", "dependent"), message, at_key=True)
