"""Rules for a contract alone: members, budgets, and which keys belong to which backend."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import PurePosixPath, PureWindowsPath

from ...model.contract import Backend, Contract
from ...model.findings import Rule
from .fault import Fault
from .wording import listed, repeats

MEMBER_REPEATED = Rule("CON-01", "member-repeated", "Each member is named once.")
CONVENTIONAL_MEMBERS = Rule("CON-02", "conventional-members", "A conventional contract belongs to exactly one group.")
BUDGETS_UNCLEAR = Rule("CON-03", "budgets-unclear", "A megakernel names its budgets once, in CTAs or in clusters.")
CONVENTIONAL_BUDGETS = Rule("CON-04", "conventional-budgets", "A conventional kernel has no CTA budget.")
BUDGETS_UNSORTED = Rule("CON-05", "budgets-unsorted", "Budgets are sorted, either way, each once.")
CONVENTIONAL_KEY = Rule("CON-06", "conventional-key", "Only conventional kernels have an implementation, an order and a kernel count.")
MEGAKERNEL_KEY = Rule("CON-07", "megakernel-key", "Only a megakernel loops on the device, places its CTAs and chooses policies.")
GAP_OUTSIDE_GRAPH = Rule("CON-08", "gap-outside-graph", "Only a graph, or a conventional kernel, has a gap before each kernel.")
POLICIES_UNCLEAR = Rule("CON-09", "policies-unclear", "A megakernel names the policies that it supports, each once.")
TENSOR_REPEATED = Rule("CON-10", "tensor-repeated", "Each tensor is listed once.")
SOURCE_ABSOLUTE = Rule("CON-11", "source-absolute", "A source file is named relative to its contract.")
NOTHING_TO_PACK = Rule("CON-12", "nothing-to-pack", "An entry whose CTAs are packed has several of them on an SM.")

RULES = (
    MEMBER_REPEATED,
    CONVENTIONAL_MEMBERS,
    BUDGETS_UNCLEAR,
    CONVENTIONAL_BUDGETS,
    BUDGETS_UNSORTED,
    CONVENTIONAL_KEY,
    MEGAKERNEL_KEY,
    GAP_OUTSIDE_GRAPH,
    POLICIES_UNCLEAR,
    TENSOR_REPEATED,
    SOURCE_ABSOLUTE,
    NOTHING_TO_PACK,
)

_BUDGET_KEYS = ("budgets_ctas", "budgets_clusters")


def member_repeated(contract: Contract) -> Iterator[Fault]:
    """A group is a member or not; how often it runs is the spec's `calls`."""
    for index, first in repeats(contract.members):
        yield Fault(
            MEMBER_REPEATED,
            ("members", index),
            f"'{contract.members[index]}' is member {first + 1} already; remove one of the two: how often a group runs is its `calls`",
        )


def conventional_members(contract: Contract) -> Iterator[Fault]:
    """A conventional kernel is launched for one group; several groups need one contract each."""
    if contract.backend == "conventional" and len(set(contract.members)) > 1:
        yield Fault(
            CONVENTIONAL_MEMBERS,
            ("members",),
            f"{len(contract.members)} members ({listed(contract.members)}) in a conventional contract; exactly 1: "
            "write one contract per group, or is this a megakernel?",
        )


def budgets_unclear(contract: Contract) -> Iterator[Fault]:
    """A CTA budget is counted in CTAs or in clusters, never in both, and a megakernel has at least one."""
    if contract.backend != "megakernel":
        return
    given = [key for key in _BUDGET_KEYS if getattr(contract, key) is not None]
    if len(given) == 2:
        yield Fault(
            BUDGETS_UNCLEAR,
            ("budgets_clusters",),
            "budgets both in CTAs and in clusters; exactly one of the two: remove budgets_clusters if the kernel counts CTAs",
            at_key=True,
        )
    elif not given:
        yield Fault(
            BUDGETS_UNCLEAR,
            ("backend",),
            "a megakernel without a budget; list the grid sizes that it runs with, as budgets_ctas: [132, 88] or budgets_clusters",
        )
    elif not contract.budgets:
        yield Fault(BUDGETS_UNCLEAR, (given[0],), "no budget is listed; list the grid sizes that the megakernel runs with, at least one")


def conventional_budgets(contract: Contract) -> Iterator[Fault]:
    """A conventional grid takes what the device has; its records stand at the device's SM count."""
    for key in _BUDGET_KEYS:
        if contract.backend == "conventional" and getattr(contract, key) is not None:
            yield Fault(
                CONVENTIONAL_BUDGETS,
                (key,),
                f"{key} in a conventional contract; only a megakernel holds a budget: remove it, or is this a megakernel?",
                at_key=True,
            )


def budgets_unsorted(contract: Contract) -> Iterator[Fault]:
    """A sorted list shows at a glance which budget is the largest and that none stands twice."""
    for key in _BUDGET_KEYS:
        budgets: tuple[int, ...] = getattr(contract, key) or ()
        falling = len(budgets) > 1 and budgets[1] < budgets[0]
        for index, (before, budget) in enumerate(pairwise(budgets), start=1):
            if before == budget or (budget < before) != falling:
                ordered = sorted(set(budgets), reverse=falling)
                yield Fault(
                    BUDGETS_UNSORTED,
                    (key, index),
                    f"{budget} after {before}; budgets are sorted, each once: write [{listed(ordered)}]",
                )
                break


def conventional_key(contract: Contract) -> Iterator[Fault]:
    """A megakernel is one launch: it has no further kernels to order or to count."""
    if contract.backend == "megakernel":
        yield from _misplaced(contract, CONVENTIONAL_KEY, ("implementation", "order", "kernels"), "conventional")


def megakernel_key(contract: Contract) -> Iterator[Fault]:
    """A conventional kernel ends with its work: it neither loops nor shares the GPU by a policy."""
    if contract.backend == "conventional":
        yield from _misplaced(contract, MEGAKERNEL_KEY, ("loops_on_device", "partition", "placement", "policies"), "megakernel")


def gap_outside_graph(contract: Contract) -> Iterator[Fault]:
    """A gap stands before each kernel of a graph, or of a stream that was profiled; a persistent launch is one kernel."""
    if contract.dispatch.gap_ps is not None and contract.dispatch.kind != "graph" and contract.backend == "megakernel":
        repair = "of megakernels only kind 'graph' has one: remove gap_us, or add it to exposed_us"
        message = f"a gap with dispatch kind '{contract.dispatch.kind}'; {repair}"
        yield Fault(GAP_OUTSIDE_GRAPH, ("dispatch", "gap_us"), message, at_key=True)
    elif (contract.dispatch.gap_ps or 0) < 0 and contract.backend == "megakernel":
        message = "a negative gap of a megakernel; only conventional kernels start before the one ahead has ended: make it 0 or more"
        yield Fault(GAP_OUTSIDE_GRAPH, ("dispatch", "gap_us"), message)


def policies_unclear(contract: Contract) -> Iterator[Fault]:
    """Without the key a megakernel supports every policy; an empty list would support none."""
    policies = contract.policies or ()
    if contract.policies == ():
        yield Fault(
            POLICIES_UNCLEAR, ("policies",), "no policy is supported; name serial, fixed or dynamic, or remove the key for all three"
        )
    for index, first in repeats(policies):
        yield Fault(
            POLICIES_UNCLEAR,
            ("policies", index),
            f"'{policies[index]}' is number {first + 1} of the list already; remove one of the two",
        )


def tensor_repeated(contract: Contract) -> Iterator[Fault]:
    """A tensor stays on chip or not, is forwarded or not."""
    if contract.storage is None:
        return
    for key in ("on_chip", "forwarded"):
        tensors = getattr(contract.storage, key)
        for index, first in repeats(tensors):
            yield Fault(
                TENSOR_REPEATED,
                ("storage", key, index),
                f"'{tensors[index]}' is number {first + 1} of {key} already; remove one of the two",
            )


def source_absolute(contract: Contract) -> Iterator[Fault]:
    """An absolute path holds on one machine only, so the hash could be compared nowhere else."""
    if contract.source is None:
        return
    file = contract.source.file
    if PurePosixPath(file).is_absolute() or PureWindowsPath(file).is_absolute():
        yield Fault(SOURCE_ABSOLUTE, ("source", "file"), f"'{file}' is an absolute path; name the file relative to this contract's folder")


def nothing_to_pack(contract: Contract) -> Iterator[Fault]:
    """With one CTA on an SM there is one way to place them; the density may be missing instead."""
    if contract.placement is not None and contract.backend == "megakernel" and contract.launch.ctas_per_sm == 1:
        message = "CTAs are packed, one per SM; remove the key, or say in launch.ctas_per_sm how many an SM holds"
        yield Fault(NOTHING_TO_PACK, ("placement", "packed"), message, at_key=True)


def _misplaced(contract: Contract, rule: Rule, keys: tuple[str, ...], owner: Backend) -> Iterator[Fault]:
    for key in keys:
        if key in contract.model_fields_set:
            message = f"{key} in a {contract.backend} contract; only {owner} ones have it: remove it, or correct the backend"
            yield Fault(rule, (key,), message, at_key=True)


CONTRACT_CHECKS = (
    member_repeated,
    conventional_members,
    budgets_unclear,
    conventional_budgets,
    budgets_unsorted,
    conventional_key,
    megakernel_key,
    gap_outside_graph,
    policies_unclear,
    tensor_repeated,
    source_absolute,
    nothing_to_pack,
)
