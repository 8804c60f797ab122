"""Recorded: the records of a study by their keys, and the list of all keys that its calls have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..files.documents import Document
from ..files.study import Study
from ..limits.launches import launch_faults
from ..limits.partitions import partition_pairs
from ..model.contract import Contract
from ..model.device import Device
from ..model.errors import UnknownBatch
from ..model.key import Key, keys_of
from ..model.record import Record, Records
from ..model.spec import Spec


@dataclass(frozen=True, slots=True)
class RecordAt:
    """A record together with where it stands."""

    record: Record
    document: Document[Records]
    index: int

    @property
    def is_of_stand_in(self) -> bool:
        """Whether it was taken on a stand-in for the hardware: a time to try plans with, never one that is recorded."""
        return self.record.provenance.fake


@dataclass(frozen=True, slots=True)
class Asked:
    """A call whose time a study can need: its *key*, and the contract that would run it."""

    contract: Document[Contract]
    key: Key

    @property
    def has_program(self) -> bool:
        """Whether its time can be derived from the contract."""
        return self.key.group in self.contract.value.programs


class Recorded:
    """All records of a study. Of several with one key, which is a finding, the first serves it."""

    def __init__(self, study: Study) -> None:
        self._by_key: dict[Key, RecordAt] = {}
        self._by_group: dict[tuple[str, str], list[tuple[Key, RecordAt]]] = {}
        for one in records_of(study):
            for key in keys_of(one.record):
                self._by_group.setdefault((key.group, key.backend), []).append((key, one))
                self._by_key.setdefault(key, one)

    def of(self, key: Key) -> RecordAt | None:
        """Return the record that serves *key*."""
        return self._by_key.get(key)

    def has(self, key: Key) -> bool:
        """Whether the hardware was timed at *key*."""
        found = self.of(key)
        return found is not None and not found.is_of_stand_in

    def near(self, key: Key) -> Sequence[tuple[Key, RecordAt]]:
        """Return the records of the group of *key* on its backend, each with every key that it has, in the order of their files."""
        return self._by_group.get((key.group, key.backend), ())


def key_of(study: Study, contract: Contract, group: str, *, budget_ctas: int, batch: int, shapes: Mapping[str, int]) -> Key:
    """Return the key that a record must have to time one call of *group* in *contract*."""
    spec, device = study.spec.value, study.device.value
    return Key(group, contract.backend, contract.entry, budget_ctas, batch, spec.precision, device.name, shapes, contract.context)


def records_of(study: Study) -> Iterator[RecordAt]:
    """Yield every record of *study*, in the order of its files."""
    for document in study.records:
        for index, record in enumerate(document.value.records):
            yield RecordAt(record, document, index)


def asked_batches(spec: Spec, batches: Iterable[int] | None) -> tuple[int, ...]:
    """Return the batches to plan for, each once and in the order asked; all of the spec's where none are named.

    Raises
    ------
    UnknownBatch
        The spec does not list a batch, or *batches* is empty or no list of numbers.
    """
    if batches is None:
        return spec.batches
    listed = ", ".join(map(str, spec.batches))
    if not _is_list(batches):
        raise UnknownBatch(f"batches must be a list of numbers, not {batches!r}; the spec lists {listed}")
    asked = tuple(batches)
    for batch in asked:
        # 32.0 and True are equal to whole numbers, and would be written into the result as they are.
        if type(batch) is not int:
            raise UnknownBatch(f"batches must be whole numbers, not {batch!r}; the spec lists {listed}")
        if batch not in spec.batches:
            raise UnknownBatch(f"batch {batch!r} is not in the list of the spec: {listed}")
    if not asked:
        raise UnknownBatch(f"no batch is asked for; the spec lists {listed}")
    return tuple(dict.fromkeys(asked))


def _is_list(batches: object) -> bool:
    return isinstance(batches, Iterable) and not isinstance(batches, str | bytes)


def asked_calls(study: Study, batches: Sequence[int] | None = None) -> Iterator[Asked]:
    """Yield every call whose time *study* can need, at *batches* (by default all of the spec).

    By group in the order of the spec, entry, budget (largest first), batch and shapes. A conventional kernel has one budget, the
    device, and those of the partitions that its group may have. A budget that cannot be launched is among them (`is_launchable`).
    """
    spec = study.spec.value
    for group in spec.groups:
        having = [contract for contract in study.contracts if group.name in contract.value.members]
        for contract in sorted(having, key=lambda one: (one.value.entry, one.value.backend)):
            base = key_of(study, contract.value, group.name, budget_ctas=0, batch=0, shapes={})
            for budget_ctas in budgets_of(study, contract.value):
                for batch in spec.batches if batches is None else batches:
                    for shapes in spec.shapes_of(group):
                        yield Asked(contract, replace(base, budget_ctas=budget_ctas, batch=batch, shapes=shapes))


def budgets_of(study: Study, contract: Contract) -> tuple[int, ...]:
    """Return the budgets that records of *contract* stand at, largest first: those of a megakernel, or whole and partitioned SMs."""
    if contract.backend == "megakernel":
        return contract.budgets
    return conventional_budgets(study.spec.value, study.device.value, contract.members)


def conventional_budgets(spec: Spec, device: Device, groups: Sequence[str]) -> tuple[int, ...]:
    """Return the SMs that kernels of *groups* may have, largest first: all of *device*, and those of the partitions of their side."""
    roles = {group.role for group in spec.groups if group.name in groups}
    pairs = partition_pairs(spec, device) if "partition" in spec.policies else ()
    sides = [side for side, role in enumerate(("producer", "consumer")) if role in roles]
    return tuple(sorted({device.usable_sms, *(pair[side] for pair in pairs for side in sides)}, reverse=True))


def is_launchable(study: Study, asked: Asked) -> bool:
    """Whether no limit of the device excludes the launch."""
    contract = asked.contract.value
    budget_ctas = asked.key.budget_ctas if contract.backend == "megakernel" else None
    return not launch_faults(study.device.value, contract, budget_ctas)
