"""Rules for budget pairs: some megakernels run with both sides, and hold the device together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from ....files.study import Study
from ....limits.grids import resident_ctas
from ....limits.partitions import counts_of_pair, pair_faults
from ....limits.residency import CoResidency, co_residency
from ....model.base import counts_of
from ....model.contract import Contract
from ....model.findings import Fault, Severity
from ....model.rules import RuleKind, rule
from ....model.spec import BudgetPair, GroupRole
from ....model.wording import counted
from ...subjects import STUDY, Placed
from ..walking import one_by_one
from ..wording import listed

Entries = tuple[Contract, Contract]
MOST_ASKED = 20_000


@rule("REF-06", "pair-unsupported", "Both sides of a budget pair are budgets of a megakernel.", on=STUDY)
def pair_unsupported(study: Study) -> Iterator[Placed]:
    """A pair that no megakernel runs with adds nothing to the ranking; often a budget is missing in a contract.

    A side without any megakernel is left alone: its contracts are still to be written. A range needs one count that is supported.
    """
    sides: tuple[tuple[str, GroupRole], ...] = (("producer_ctas", "producer"), ("consumer_ctas", "consumer"))
    for index, pair in one_by_one(study.spec.value.budget_pairs):
        if _is_run_by_one(study, pair):
            continue
        for (key, role), asked in zip(sides, (pair.producer_ctas, pair.consumer_ctas), strict=True):
            known = sorted({budget for contract in _megakernels(study, role) for budget in contract.budgets}, reverse=True)
            if known and not isinstance(asked, str) and not {*known}.intersection(counts_of(asked)):
                count = counted(asked, "CTA") if isinstance(asked, int) else f"any of {asked} CTAs"
                message = f"no megakernel with a {role} supports {count}; supported: {listed(known)}"
                yield study.spec, Fault(pair_unsupported, ("budget_pairs", index, key), message, severity=Severity.WARNING)


def _is_run_by_one(study: Study, pair: BudgetPair) -> bool:
    """Whether a megakernel that runs both sides supports the sum of some two counts of *pair*."""
    if isinstance(pair.consumer_ctas, str):
        return bool(_of_both(study))
    supported = {budget for contract in _of_both(study) for budget in contract.budgets}
    producers, consumers = counts_of(pair.producer_ctas), counts_of(pair.consumer_ctas)
    return any(total - x in consumers for total in supported for x in producers)


@rule("REF-07", "pair-exceeds-device", "Both sides of a budget pair fit on the device together.", RuleKind.LIMIT, on=STUDY)
def pair_exceeds_device(study: Study) -> Iterator[Placed]:
    """Not one pair of entries holds both sides at once: what `solve` asks of a split, asked of all that could run it.

    Where that is to be asked more often than `solve` ranks variants, it refuses the spec for their number, and nothing is asked here. Of
    ranges only the smallest counts are asked: where these do not fit, nothing does.
    """
    pairs = study.spec.value.budget_pairs
    sides = tuple(islice(_sides(study), MOST_ASKED + 1)) if pairs else ()
    if len(sides) * len(pairs) > MOST_ASKED:
        return
    for index, pair in one_by_one(pairs):
        if isinstance(pair.consumer_ctas, str):
            continue
        least = min(counts_of(pair.producer_ctas), default=0), min(counts_of(pair.consumer_ctas), default=0)
        if all(least) and (because := _exceeds(study, *least, sides)):
            yield study.spec, Fault(pair_exceeds_device, ("budget_pairs", index), because)


@rule("REF-17", "partitions-unavailable", "The device can be cut into the partitions of a pair.", RuleKind.LIMIT, on=STUDY)
def partitions_unavailable(study: Study) -> Iterator[Placed]:
    """A pair of partitions that the device cannot give adds nothing to the ranking; of ranges one pair that it can give is enough."""
    spec, device = study.spec.value, study.device.value
    for index, stated in one_by_one(spec.partition_pairs):
        found = [pair_faults(device, spec.partition_by, pair) for pair in counts_of_pair(stated, device)]
        if not found or all(found):
            because = f"{found[0][0].rule.code} {found[0][0].message}" if found else f"no rest is left of {device.usable_sms} SMs"
            yield study.spec, Fault(partitions_unavailable, ("partition_pairs", index), f"{stated}: {because}")


def _exceeds(study: Study, x: int, y: int, sides: Sequence[Entries]) -> str:
    """Return why no entries hold *x* and *y* CTAs of their *sides* together; nothing if some do."""
    device = study.device.value
    # One launch for both sides counts if it runs with their sum, or if there is no other way to run them.
    if any(x + y <= resident_ctas(device, both) and (x + y in both.budgets or not sides) for both in _of_both(study)):
        return ""
    if not sides:
        return _nominal(study, x, y)
    supporting = [(makes, takes) for makes, takes in sides if x in makes.budgets and y in takes.budgets]
    refused = []
    for makes, takes in supporting or sides:
        found = co_residency(device, makes, x, takes, y)
        if found.fits:
            return ""
        refused.append((makes, takes, found))
    return _wording(study, (x, y), *min(refused, key=_lack))


def _lack(refused: tuple[Contract, Contract, CoResidency]) -> tuple[bool, int]:
    """Order entries by what they lack: first those that only lack an order of launches, then by their SMs."""
    _, _, found = refused
    return not found.deadlocks, found.sms_x + found.sms_y


def _wording(study: Study, counts: tuple[int, int], makes: Contract, takes: Contract, found: CoResidency) -> str:
    (x, y), sms = counts, study.device.value.usable_sms
    if found.sms_x + found.sms_y > sms:
        return _too_many(study, (x, makes.launch.ctas_per_sm, found.sms_x), (y, takes.launch.ctas_per_sm, found.sms_y))
    return f"{x}/{y}: {found.because}"


def _nominal(study: Study, x: int, y: int) -> str:
    """Return that *x* and *y* exceed the device by count alone, as long as one side has no entry of its own."""
    dense_x, dense_y = _densest(study, "producer"), _densest(study, "consumer")
    held_x, held_y = -(-x // dense_x), -(-y // dense_y)
    return _too_many(study, (x, dense_x, held_x), (y, dense_y, held_y)) if held_x + held_y > study.device.value.usable_sms else ""


def _too_many(study: Study, producer: tuple[int, int, int], consumer: tuple[int, int, int]) -> str:
    """Return that the SMs of both sides are too many; a side is its CTAs, how many an SM holds, and its SMs."""
    (x, dense_x, held_x), (y, dense_y, held_y) = producer, consumer
    device = study.device.value
    per_sm = "" if dense_x == dense_y == 1 else f" ({x} CTAs at {dense_x} and {y} at {dense_y} per SM)"
    needs = f"{x}/{y} holds {held_x:,} + {held_y:,} = {held_x + held_y:,} > {counted(device.usable_sms, 'SM')}"
    return f"{needs} of '{device.name}'{per_sm}; lower one side"


def _sides(study: Study) -> Iterator[Entries]:
    """Yield the entries that can stand beside each other in a split, one with all producers, another with all consumers.

    Of several that are alike in all that placement looks at, one stands for all.
    """
    makers, takers = (_distinct(_holding(study, _names(study, role))) for role in ("producer", "consumer"))
    for makes in makers:
        yield from ((makes, takes) for takes in takers if not {*makes.members} & {*takes.members})


def _distinct(contracts: list[Contract]) -> list[Contract]:
    return [*{(one.members, one.launch, one.budgets, one.placement, one.partition): one for one in reversed(contracts)}.values()][::-1]


def _of_both(study: Study) -> list[Contract]:
    """The megakernels that can run both sides in one launch."""
    consumers = _names(study, "consumer")
    return [one for one in _holding(study, _names(study, "producer")) if consumers and consumers <= {*one.members}]


def _holding(study: Study, groups: frozenset[str]) -> list[Contract]:
    megakernels = [doc.value for doc in study.contracts if doc.value.backend == "megakernel"]
    return [one for one in megakernels if groups and groups <= {*one.members}]


def _megakernels(study: Study, role: GroupRole) -> list[Contract]:
    """The megakernels with a member of *role*."""
    names = _names(study, role)
    return [doc.value for doc in study.contracts if doc.value.backend == "megakernel" and names & set(doc.value.members)]


def _names(study: Study, role: GroupRole) -> frozenset[str]:
    return frozenset(group.name for group in study.spec.value.groups_of(role))


def _densest(study: Study, role: GroupRole) -> int:
    return max((contract.launch.ctas_per_sm for contract in _megakernels(study, role)), default=1)
