"""Which entries a co-run of a spec puts beside each other."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from megasolve.contracts import Contract, GroupRole, Study
from megasolve.simulate.plan.cover import Backend, Region
from megasolve.simulate.plan.runnable import RegionOfEntries

from ...errors import GpuError
from ...workloads.named import composing_workload
from ..compositions.candidates import contracts_of
from ..times.conventional import first_conventional


@dataclass(frozen=True, slots=True)
class WantedCoRun:
    """A producer on *producer_ctas* CTAs beside a consumer on *consumer_ctas*."""

    producer: RegionOfEntries
    consumer: RegionOfEntries
    producer_ctas: int
    consumer_ctas: int

    @property
    def meeting_ctas(self) -> int:
        """How many CTAs meet before anything begins: those of persistent sides."""
        return self.producer_ctas + (self.consumer_ctas if self.consumer.is_persistent else 0)

    def __str__(self) -> str:
        return f"{self.producer} on {self.producer_ctas} CTAs beside {self.consumer} on {self.consumer_ctas}"


def co_runs(study: Study, producer_ctas: int, consumer_ctas: int, entries: Collection[str] = ()) -> tuple[WantedCoRun, ...]:
    """Return the co-runs of a split: the producers' megakernel beside the consumers' megakernel, and beside their conventional kernels.

    *entries* are those to choose from, by default all: of several that run the same groups the first by name.

    Raises
    ------
    GpuError
        The device does not hold both sides beside each other, an entry has no such budget or other kernels, or there is nothing to run.
    """
    _require_room(study, producer_ctas, consumer_ctas)
    producer = _megakernel(study, "producer", producer_ctas, entries)
    if producer is None:
        raise GpuError(f"no megakernel{_of(entries)} runs all producers without consumers; a co-run needs one")
    consumers = [_megakernel(study, "consumer", consumer_ctas, entries), _kernels(study)]
    found = tuple(WantedCoRun(producer, consumer, producer_ctas, consumer_ctas) for consumer in consumers if consumer is not None)
    for one in found:
        composing_workload(study, [contract for side in (one.producer, one.consumer) for contract in contracts_of(study, side)])
    if not found:
        raise GpuError("no entry runs all consumers without producers; a co-run needs one")
    return found


def _require_room(study: Study, producer_ctas: int, consumer_ctas: int) -> None:
    device = study.device.value
    # In a co-run a CTA has its SM to itself, so both budgets together are at most the SMs.
    if producer_ctas < 1 or consumer_ctas < 1 or producer_ctas + consumer_ctas > device.usable_sms:
        asked = f"{producer_ctas} and {consumer_ctas} CTAs, one on an SM"
        raise GpuError(f"a co-run of {asked}; both are at least 1, and together at most the {device.usable_sms} SMs of {device.name}")


def _megakernel(study: Study, role: GroupRole, ctas: int, entries: Collection[str]) -> RegionOfEntries | None:
    """Return the smallest megakernel that runs all groups of *role* and none of the other side."""
    fitting = list(_fitting(study, role, entries))
    if not fitting:
        return None
    offering = [contract for contract in fitting if ctas in contract.budgets]
    if not offering:
        budgets = ", ".join(map(str, fitting[0].budgets))
        raise GpuError(f"{ctas} CTAs is no budget of entry '{fitting[0].entry}'; it runs with {budgets}")
    # The one with the fewest groups does the least beside its role; between equals the name decides, the same in every run.
    chosen = min(offering, key=lambda contract: (len(contract.members), contract.entry))
    return RegionOfEntries(Region(Backend.MEGAKERNEL, chosen.members), (chosen.entry,))


def _fitting(study: Study, role: GroupRole, entries: Collection[str]) -> Iterator[Contract]:
    spec = study.spec.value
    own = {group.name for group in spec.groups_of(role)}
    other = {group.name for group in spec.groups_of("consumer" if role == "producer" else "producer")}
    for document in study.contracts:
        contract = document.value
        is_asked = not entries or contract.entry in entries
        if contract.backend == "megakernel" and is_asked and own and own <= set(contract.members) and not other & set(contract.members):
            yield contract


def _kernels(study: Study) -> RegionOfEntries | None:
    groups = [group.name for group in study.spec.value.groups_of("consumer")]
    kernels: Sequence[Contract] = [contract for group in groups for contract in first_conventional(study, group)]
    # Kernels of some of the groups only would leave a part of the consumer out of its time.
    if not groups or not all(any(group in contract.members for contract in kernels) for group in groups):
        return None
    return RegionOfEntries(Region(Backend.CONVENTIONAL, tuple(groups)), tuple(contract.entry for contract in kernels))


def _of(entries: Collection[str]) -> str:
    return f" of {', '.join(sorted(entries))}" if entries else ""
