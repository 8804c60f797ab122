"""Rules about partitions: SMs that a launch has to itself, or is limited to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...limits.partitions import ONE_SPLIT, RESERVATION, partition_faults
from ...limits.subjects import ABOUT_BUDGET
from ...model.contract import Contract
from ...model.device import Device
from ...model.findings import Fault
from ...model.rules import check, rule
from ..subjects import CONTRACT, LAUNCH
from .wording import listed


@check(on=CONTRACT)
def one_split(contract: Contract) -> Iterator[Fault]:
    """Each separate request for SMs picks its own: two of them can overlap although their sizes add up to the device."""
    partition = contract.partition
    if partition is None or partition.mechanism != "green_context" or partition.same_split:
        return
    if splits := _named_splits(contract):
        message = f"a green context for {listed(splits)} splits without `same_split: true`; partitions that are made separately can overlap"
        yield Fault(ONE_SPLIT, ("partition", "same_split"), message)


@rule("PAR-05", "percentage-misplaced", "An MPS limit has a percentage, a green context has none.", on=CONTRACT)
def percentage_belongs_to_mps(contract: Contract) -> Iterator[Fault]:
    """MPS limits by percentage, a green context by a count of SMs, which is the budget."""
    partition = contract.partition
    if partition is None:
        return
    if partition.mechanism == "mps" and partition.percentage is None:
        message = "mechanism 'mps' without a percentage; give the active-thread percentage, 1 to 100"
        yield Fault(percentage_belongs_to_mps, ("partition", "mechanism"), message)
    elif partition.mechanism != "mps" and partition.percentage is not None:
        message = f"a percentage with mechanism '{partition.mechanism}'; remove it: the size of a green context is the budget, in SMs"
        yield Fault(percentage_belongs_to_mps, ("partition", "percentage"), message, at_key=True)


@check(on=CONTRACT)
def limit_is_no_reservation(contract: Contract) -> Iterator[Fault]:
    """A split needs SMs that are its own; an MPS percentage only says how many a process may use at most."""
    partition = contract.partition
    if partition is not None and partition.mechanism == "mps" and (splits := _named_splits(contract)):
        message = f"MPS limits a process but reserves no SMs, so it carries no {listed(splits)} split; keep `policies: [serial]`"
        yield Fault(RESERVATION, ("policies",), message)


def _named_splits(contract: Contract) -> list[str]:
    return [policy for policy in contract.policies or () if policy != "serial"]


@check(on=LAUNCH)
def partitions_fit(contract: Contract, device: Device) -> Iterator[Fault]:
    """Some split of the device has a group of each declared budget's size."""
    reported = set()
    for path, budget in contract.stated_budgets:
        for fault in partition_faults(device, ((contract, budget),)):
            place = path if fault.path == ABOUT_BUDGET else fault.path
            if (fault.rule, place) not in reported:
                yield replace(fault, path=place)
            reported.add((fault.rule, place))
