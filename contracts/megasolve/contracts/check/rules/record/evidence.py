"""Rules for records inside a study: which contract, device and batch they are evidence for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ....files.documents import Document
from ....files.study import Study
from ....model.base import PS_PER_SECOND
from ....model.closest import nearest
from ....model.contract import Contract
from ....model.device import Device
from ....model.differing import ABSENT, Difference, shown, tree_differences
from ....model.findings import Fault, Severity
from ....model.key import Key, keys_of
from ....model.record import Record, Records
from ....model.rules import rule
from ....model.spec import GroupSpec
from ....model.wording import counted
from ...recorded import conventional_budgets, records_of
from ...subjects import STUDY, Placed
from ..wording import listed, microseconds

MOST_DIFFERENCES = 8


@rule("REC-09", "faster-than-physics", "No call moves its HBM bytes faster than the peak bandwidth.", on=STUDY)
def faster_than_physics(study: Study) -> Iterator[Placed]:
    """Bytes over the peak bandwidth are the least time that a call can take."""
    devices = _devices(study)
    for file, index, record in _records(study):
        device = devices.get(record.device)
        if device is None or record.hbm_bytes is None or not _has_time(record):
            continue
        peak = device.hbm_peak_bytes_per_s
        least_ps = -(-record.hbm_bytes * PS_PER_SECOND // peak)
        if least_ps > record.time_ps:
            message = (
                f"{counted(record.hbm_bytes, 'byte')} at the peak of {peak:,} bytes/s take {microseconds(least_ps)}, "
                f"the record says {microseconds(record.time_ps)}; count bytes per call, and only those that pass HBM"
            )
            yield file, Fault(faster_than_physics, ("records", index, "hbm_bytes"), message)


@rule("REC-10", "record-group-unknown", "A record times a group of the spec.", on=STUDY)
def record_group_unknown(study: Study) -> Iterator[Placed]:
    """A record of a group that the spec does not have serves nothing; its name is probably misspelt."""
    names = [group.name for group in study.spec.value.groups]
    for file, index, record in _records(study):
        if record.group not in names:
            message = f"'{record.group}' is no group of spec '{study.spec.value.name}'{nearest(record.group, names)}"
            yield file, Fault(record_group_unknown, ("records", index, "group"), message)


@rule("REC-11", "record-entry-unknown", "A record names entries that have a contract.", on=STUDY)
def record_entry_unknown(study: Study) -> Iterator[Placed]:
    """A record belongs to compiled entries, and each of them has a contract."""
    known = _contracts(study)
    for file, index, record in _records(study):
        for position, entry in enumerate(record.entries):
            if entry not in known:
                message = f"no contract of this spec declares entry '{entry}'{nearest(entry, known)}"
                yield file, Fault(record_entry_unknown, ("records", index, "entries", position), message)


@rule("REC-12", "record-backend", "A record and its contracts have one backend.", on=STUDY)
def record_backend(study: Study) -> Iterator[Placed]:
    """The same group is another kernel on the other backend."""
    for file, index, record, contract in _uses(study):
        if contract.backend != record.backend:
            message = f"a {record.backend} record of '{contract.entry}', whose contract says {contract.backend}; correct one of the two"
            yield file, Fault(record_backend, ("records", index, "backend"), message)


@rule("REC-13", "record-outside-members", "A record times a member of its entries.", on=STUDY)
def record_outside_members(study: Study) -> Iterator[Placed]:
    """An entry runs its members only."""
    names = {group.name for group in study.spec.value.groups}
    for file, index, record, contract in _uses(study):
        if record.group in names and record.group not in contract.members:
            message = f"'{contract.entry}' does not run '{record.group}'; its members: {listed(contract.members)}"
            yield file, Fault(record_outside_members, ("records", index, "group"), message)


@rule("REC-14", "record-budget", "A record's budget is one that its entries run with.", on=STUDY)
def record_budget(study: Study) -> Iterator[Placed]:
    """A megakernel record stands at a supported budget, a conventional one at all usable SMs."""
    for file, index, record, contract in _uses(study):
        allowed = _budgets(study, record, contract)
        if contract.backend == record.backend and allowed and record.budget_ctas not in allowed:
            what = "a conventional kernel has the whole device" if contract.backend == "conventional" else "it runs with"
            message = f"{counted(record.budget_ctas, 'CTA')} is no budget of '{contract.entry}'; {what}: {listed(allowed)}"
            yield file, Fault(record_budget, ("records", index, "budget_ctas"), message)


@rule("REC-15", "batch-unplanned", "A record's batch is one that the spec plans for.", on=STUDY)
def batch_unplanned(study: Study) -> Iterator[Placed]:
    """A record of another batch is not wrong, only unused."""
    batches = study.spec.value.batches
    for file, index, record in _records(study):
        if record.batch not in batches:
            message = f"batch {record.batch} is not planned, so this record is unused; batches of the spec: {listed(batches)}"
            yield file, Fault(batch_unplanned, ("records", index, "batch"), message, severity=Severity.WARNING)


@rule("REC-16", "record-precision", "A record has the precision of the spec.", on=STUDY)
def record_precision(study: Study) -> Iterator[Placed]:
    """Another precision is another kernel and other bytes."""
    precision = study.spec.value.precision
    for file, index, record in _records(study):
        if record.precision != precision:
            message = f"a record in '{record.precision}', the spec is in '{precision}'; measure again, or keep it in another file"
            yield file, Fault(record_precision, ("records", index, "precision"), message)


@rule("REC-17", "record-device", "A record is from a device of the spec.", on=STUDY)
def record_device(study: Study) -> Iterator[Placed]:
    """A time holds on the device that it was taken on, never on another of the same architecture."""
    devices = _devices(study)
    for file, index, record in _records(study):
        if record.device not in devices:
            message = f"a record from device '{record.device}', which is none of this spec{nearest(record.device, devices)}"
            yield file, Fault(record_device, ("records", index, "device"), message)


@rule("REC-18", "record-sms", "A record's device had as many SMs as the device file says.", on=STUDY)
def record_sms(study: Study) -> Iterator[Placed]:
    """The SM count is the fingerprint of a device: an MPS share or another board of the same name has another one."""
    devices = _devices(study)
    for file, index, record in _records(study):
        device = devices.get(record.device)
        sms = record.provenance.device_sms
        if device is not None and sms is not None and sms != device.usable_sms:
            message = (
                f"taken with {counted(sms, 'SM')} visible, device '{device.name}' has {device.usable_sms:,} usable ones; "
                "records of both never mix: measure on this device"
            )
            yield file, Fault(record_sms, ("records", index, "provenance", "device_sms"), message)


@rule("REC-19", "other-context", "A record was taken under the context of its contract.", on=STUDY)
def other_context(study: Study) -> Iterator[Placed]:
    """A record serves only the context that it was taken under: an absent field matches only an absent one."""
    contexts = {entry: contract.context for entry, contract in _contracts(study).items()}
    for file, index, record, contract in _uses(study):
        if contract.backend == record.backend and (differing := tuple(tree_differences("", record.context, contexts[contract.entry]))):
            message = f"for another context than '{contract.entry}': differs in {_worded(differing)}; measure again, or correct one"
            yield file, Fault(other_context, ("records", index, "context"), message)


@rule("REC-20", "stale", "A record was taken from the source that its contract names.", on=STUDY)
def stale(study: Study) -> Iterator[Placed]:
    """Another source hash is another kernel: its old time says nothing about the new one."""
    for file, index, record, contract in _uses(study):
        taken = record.provenance.source_sha256
        named = contract.source.sha256 if contract.source else None
        if taken is not None and named not in (None, taken):
            message = (
                f"stale: taken from source {taken[:12]}..., the contract of '{contract.entry}' names {named[:12]}...; "
                "measure the kernel again"
            )
            yield file, Fault(stale, ("records", index, "provenance", "source_sha256"), message)


@rule("REC-21", "record-repeated", "Each key has one record.", on=STUDY)
def record_repeated(study: Study) -> Iterator[Placed]:
    """Two records of one key contradict each other, and nothing says which one is right."""
    first: dict[Key, tuple[Document[Records], int]] = {}
    for file, index, record in _records(study):
        keys = keys_of(record)
        if earlier := next((first[key] for key in keys if key in first), None):
            place = earlier[0].place(("records", earlier[1]))
            yield file, Fault(record_repeated, ("records", index), f"the same key as the record at {place}; keep one of the two")
        for key in keys:
            first.setdefault(key, (file, index))


@rule("REC-22", "shape-unknown", "A record's shapes are shapes of its group.", on=STUDY)
def shape_unknown(study: Study) -> Iterator[Placed]:
    """A shape that the group does not declare can match no call of it."""
    groups = {group.name: group for group in study.spec.value.groups}
    for file, index, record in _records(study):
        if (group := groups.get(record.group)) is None:
            continue
        known = _shapes_of(group)
        for shape in sorted(record.shapes.keys() - known):
            message = f"group '{group.name}' has no shape '{shape}'{nearest(shape, known)}"
            yield file, Fault(shape_unknown, ("records", index, "shapes", shape), message, at_key=True)


@rule("REC-23", "staleness-unknown", "A record of a contract with a source names the source that it was taken from.", on=STUDY)
def staleness_unknown(study: Study) -> Iterator[Placed]:
    """An observed time whose source is not named may be that of an older kernel."""
    for file, index, record, contract in _uses(study):
        provenance = record.provenance
        if contract.source is not None and provenance.kind in ("measured", "profiled") and provenance.source_sha256 is None:
            message = (
                f"cannot be checked for staleness: {provenance.kind} without source_sha256, and the contract of '{contract.entry}' has a "
                "source; add the hash of the source that it was taken from"
            )
            yield file, Fault(staleness_unknown, ("records", index, "provenance"), message, at_key=True, severity=Severity.WARNING)


@rule("REC-24", "shapes-unplanned", "A record's shapes are those of a call that the spec plans for.", on=STUDY)
def shapes_unplanned(study: Study) -> Iterator[Placed]:
    """A record of other shapes is not wrong, only unused."""
    groups = {group.name: group for group in study.spec.value.groups}
    for file, index, record in _records(study):
        if (group := groups.get(record.group)) is None or record.shapes.keys() - _shapes_of(group):
            continue
        first, later = (study.spec.value.call_shapes(group, later=later) for later in (False, True))
        if record.shapes not in (first, later):
            calls = _sizes(first) if first == later else f"{_sizes(first)} (first chunk), {_sizes(later)} (later chunk)"
            taken = f"a call of '{group.name}' with {_sizes(record.shapes)} is not planned"
            place: tuple[str | int, ...] = ("records", index, "shapes" if record.shapes else "group")
            message = f"{taken}, so this record is unused; its calls have {calls}"
            yield file, Fault(shapes_unplanned, place, message, severity=Severity.WARNING)


def _shapes_of(group: GroupSpec) -> set[str]:
    """The names of the shapes that records of *group* have."""
    return {*group.shapes, *(() if group.left_context_frames is None else ("frames",))}


def _sizes(shapes: Mapping[str, int]) -> str:
    return listed(f"{name} {size}" for name, size in sorted(shapes.items())) if shapes else "no shapes"


def _records(study: Study) -> Iterator[tuple[Document[Records], int, Record]]:
    yield from ((one.document, one.index, one.record) for one in records_of(study))


def _contracts(study: Study) -> Mapping[str, Contract]:
    """The contracts by entry; of two with one name the first, the second is a fault of its own."""
    return {contract.value.entry: contract.value for contract in reversed(study.all_contracts)}


def _uses(study: Study) -> Iterator[tuple[Document[Records], int, Record, Contract]]:
    """Each record with each contract that it names."""
    known = _contracts(study)
    for file, index, record in _records(study):
        for entry in dict.fromkeys(record.entries):
            if entry in known:
                yield file, index, record, known[entry]


def _devices(study: Study) -> Mapping[str, Device]:
    return {device.value.name: device.value for device in (study.device, *study.other_devices)}


def _budgets(study: Study, record: Record, contract: Contract) -> tuple[int, ...]:
    """The budgets that a record of *contract* may have; empty where the device is unknown."""
    if contract.backend == "megakernel":
        return contract.budgets
    device = _devices(study).get(record.device)
    return () if device is None else conventional_budgets(study.spec.value, device, contract.members)


def _has_time(record: Record) -> bool:
    return record.duration_ps is not None or bool(record.samples_ps)


def _worded(differing: Sequence[Difference]) -> str:
    """Return the first of the differences between a record and its contract, with both values, and how many more there are."""
    told = [f"{one.path}: {_said(one.has)} in the record, {_said(one.wanted)} in the contract" for one in differing[:MOST_DIFFERENCES]]
    further = len(differing) - len(told)
    return "; ".join([*told, *([f"and {further} more"] if further else [])])


def _said(value: Any) -> str:
    return "nothing" if value is ABSENT else shown(value)
