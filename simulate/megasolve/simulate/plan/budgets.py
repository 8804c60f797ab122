"""Budgets of splits: the pairs of CTAs that a spec lists, or spans by ranges, and what is the rest beside one entry.

The rest is what the placement rule leaves: the most CTAs of the consumers' entry that the device holds beside the producers'. It
differs from entry to entry, so that a pair with a rest stands for as many pairs as there are different answers, each of them open only to
the entries whose rest it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from megasolve.contracts import BudgetPair, Contract, Device, PartitionPair, Spec, Study, co_residency, partition_pairs
from megasolve.contracts.limits.grids import largest_legal_grid
from megasolve.contracts.model.base import counts_of


def planned_spec(study: Study) -> Spec:
    """Return the spec of *study* with all budget pairs and partitions as two counts, each once, in the order in which they are stated."""
    spec = study.spec.value
    if all(pair.is_plain for pair in spec.budget_pairs) and not spec.partition_pairs:
        return spec
    pairs = dict.fromkeys(pair for stated in spec.budget_pairs for pair in pairs_of(study, stated))
    budgets = tuple(BudgetPair(producer_ctas=x, consumer_ctas=y) for x, y in pairs)
    parts = tuple(PartitionPair(producer_sms=x, consumer_sms=y) for x, y in partition_pairs(spec, study.device.value))
    return spec.model_copy(update={"budget_pairs": budgets, "partition_pairs": parts})


def is_stated(spec: Spec, producer_ctas: int, consumer_ctas: int) -> bool:
    """Whether *spec* lists the pair, or spans it by ranges, for whatever entries."""
    return any(
        not isinstance(one.consumer_ctas, str)
        and producer_ctas in counts_of(one.producer_ctas)
        and consumer_ctas in counts_of(one.consumer_ctas)
        for one in spec.budget_pairs
    )


def pairs_of(study: Study, pair: BudgetPair) -> Iterator[tuple[int, int]]:
    """Yield the pairs of counts that one pair of the spec of *study* stands for."""
    for x in counts_of(pair.producer_ctas):
        if isinstance(pair.consumer_ctas, str):
            yield from ((x, y) for y in _rests(study, x))
        else:
            yield from ((x, y) for y in counts_of(pair.consumer_ctas))


def _rests(study: Study, producer_ctas: int) -> list[int]:
    """Return every rest beside *producer_ctas* CTAs that some two entries of *study* leave, the largest first."""
    device, spec = study.device.value, study.spec.value
    producers, consumers = ({group.name for group in spec.groups_of(role)} for role in ("producer", "consumer"))
    entries = [document.value for document in study.contracts if document.value.backend == "megakernel"]
    makers = [one for one in entries if producers and producers <= {*one.members}]
    takers = [one for one in entries if consumers and consumers <= {*one.members}]
    pairs = ((makes, takes) for makes in makers for takes in takers if makes is takes or not {*makes.members} & {*takes.members})
    found = {rest_beside(device, makes, producer_ctas, takes) for makes, takes in pairs}
    return sorted((rest for rest in found if rest), reverse=True)


def rest_beside(device: Device, makes: Contract, producer_ctas: int, takes: Contract) -> int:
    """Return the most CTAs of *takes* that *device* holds beside *producer_ctas* of *makes*; 0 where it holds none.

    One entry that runs both sides has as many as its launch may have CTAs in all, less those of the producers.
    """
    most = largest_legal_grid(device, takes)
    if makes.entry == takes.entry:
        return max(most - producer_ctas, 0)
    size = takes.launch.cluster_ctas
    counts = range(most, 0, -size)
    return next((ctas for ctas in counts if co_residency(device, makes, producer_ctas, takes, ctas).fits), 0)
