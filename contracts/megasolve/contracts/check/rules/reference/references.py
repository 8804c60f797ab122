"""Rules across the files of a study: what a spec, its contracts and its device say about each other."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from hashlib import file_digest
from itertools import groupby, pairwise
from pathlib import Path

from ....files.device_files import known_devices, nearest_device
from ....files.disk.existence import is_file
from ....files.documents import Document
from ....files.listed_sources import MANIFEST, is_listed, manifest_of
from ....files.study import Study
from ....limits.launch_figures import launch_figures
from ....model.closest import nearest
from ....model.contract import Contract
from ....model.findings import Fault, Severity
from ....model.rules import rule
from ...subjects import STUDY, Placed
from ..group.regions import is_chain
from ..walking import one_by_one, repeats
from ..wording import listed


@rule("REF-01", "member-unknown", "Members are groups of the spec.", on=STUDY)
def member_unknown(study: Study) -> Iterator[Placed]:
    """A member that the spec does not know is a misspelt group, or a contract of another model."""
    names = _group_names(study)
    for contract in study.contracts:
        for index, member in one_by_one(contract.value.members):
            if member not in names:
                message = f"'{member}' is no group of spec '{study.spec.value.name}'{nearest(member, names)}"
                yield contract, Fault(member_unknown, ("members", index), message)


@rule("REF-02", "members-gap", "Members are groups in the order of the spec and, in a chain, contiguous.", on=STUDY)
def members_gap(study: Study) -> Iterator[Placed]:
    """A region of a chain is contiguous, so an entry that leaves a group out in the middle can never be used."""
    names = _group_names(study)
    in_a_chain = is_chain(study.spec.value)
    for contract in study.contracts:
        members = contract.value.members
        if not set(members) <= set(names) or len(set(members)) < len(members):
            continue
        ranks = [names.index(member) for member in members]
        between = names[min(ranks) : max(ranks) + 1]
        missing = [name for name in between if name not in members]
        if missing and in_a_chain:
            message = f"{listed(members)} leave out {listed(missing)}; members are contiguous groups of the spec: {listed(between)}"
            yield contract, Fault(members_gap, ("members",), message)
        elif ranks != sorted(ranks):
            in_order = [name for name in between if name in members]
            message = f"{listed(members)} are not in the order of the spec; write {listed(in_order)}"
            yield contract, Fault(members_gap, ("members",), message)


@rule("REF-03", "entry-repeated", "Entry names are unique among the contracts of a spec.", on=STUDY)
def entry_repeated(study: Study) -> Iterator[Placed]:
    """Records name entries, so one name is one contract."""
    contracts = study.all_contracts
    for index, first in repeats(contracts, lambda contract: contract.value.entry):
        contract, other = contracts[index], contracts[first]
        message = f"entry '{contract.value.entry}' is declared at {other.place(('entry',))} already; entry names are unique: rename one"
        yield contract, Fault(entry_repeated, ("entry",), message)


@rule("REF-04", "loop-unsaid", "A megakernel that holds every producer says whether it loops on the device.", on=STUDY)
def loop_unsaid(study: Study) -> Iterator[Placed]:
    """Whether such an entry is launched once or once per step decides its launch costs."""
    for contract in study.contracts:
        if _holds_all_producers(study, contract.value) and contract.value.loops_over_steps is None:
            message = "holds every producer group; say loops_on_device: true if one launch runs all steps, false if each step is a launch"
            yield contract, Fault(loop_unsaid, ("members",), message)


@rule("REF-05", "loop-incomplete", "Only a megakernel that holds every producer can loop on the device.", on=STUDY)
def loop_incomplete(study: Study) -> Iterator[Placed]:
    """The loop leaves such an entry in each step, so it is launched again each time."""
    for contract in study.contracts:
        if contract.value.loops_over_steps and not _holds_all_producers(study, contract.value):
            producers = [group.name for group in study.spec.value.groups_of("producer")]
            outside = [name for name in producers if name not in contract.value.members]
            why = f"leaves out producer {listed(outside)}" if outside else "has no step to loop over: the spec has no producer"
            yield contract, _incomplete(contract.value, why)


def _incomplete(contract: Contract, why: str) -> Fault:
    if contract.loops_over is None:
        return Fault(loop_incomplete, ("loops_on_device",), f"loops on the device, but {why}; say false, or remove the key")
    return Fault(loop_incomplete, ("loops_over",), f"loops over the steps, but {why}; leave 'steps' out")


@rule("REF-08", "dispatch-cost-missing", "Each launch cost comes from the contract or from the device.", on=STUDY)
def dispatch_cost_missing(study: Study) -> Iterator[Placed]:
    """A launch without a cost would look free."""
    device = study.device.value
    for contract in study.contracts:
        kind = contract.value.dispatch.kind
        missing = launch_figures(contract.value, device).missing
        if missing:
            has_kind = getattr(device.launch, kind) is not None
            where = f"launch.{kind} of device '{device.name}' has none" if has_kind else f"device '{device.name}' has no launch.{kind}"
            message = f"no {' and no '.join(missing)} for a launch of kind '{kind}'; {where}: add it there, or the figures here"
            yield contract, Fault(dispatch_cost_missing, ("dispatch", "kind"), message)


@rule("REF-09", "source-changed", "A contract carries the hash of its source file as it is now.", on=STUDY)
def source_changed(study: Study) -> Iterator[Placed]:
    """A source that changed is another kernel. One that lies elsewhere, also outside the project, cannot be compared and is no fault."""
    project, hash_of = study.project, cache(_hash_of)
    for contract in study.contracts:
        source = contract.value.source
        if source is None or source.sha256 is None or project.why_not_at(file := Path(contract.file).parent / source.file):
            continue
        if (now := hash_of(file)) not in (None, source.sha256):
            says, where = (f"{MANIFEST} beside it", MANIFEST) if is_listed(contract) else ("the contract", "contract")
            message = (
                f"'{source.file}' has the hash {now[:12]}..., {says} says {source.sha256[:12]}...; "
                f"measure the kernel again, then update the hash in {where} and records"
            )
            yield contract, Fault(source_changed, ("source", "sha256"), message)


@rule("REF-14", "source-unlisted", "A source without a hash is listed in the manifest beside it.", on=STUDY)
def source_unlisted(study: Study) -> Iterator[Placed]:
    """Without a hash no record of the source is ever stale. One that lies elsewhere cannot be compared, and is no fault."""
    for contract in study.contracts:
        source = contract.value.source
        if source is None or source.sha256 is not None:
            continue
        file = Path(contract.file).parent / source.file
        if is_file(file) and not study.project.why_not_at(file):
            what = "does not list it once" if is_file(manifest_of(contract)) else "is not there"
            message = (
                f"'{source.file}' has no sha256, and {MANIFEST} beside it {what}; list it there with sha256sum, or write its hash here"
            )
            yield contract, Fault(source_unlisted, ("source",), message, severity=Severity.WARNING)


@rule("REF-10", "order-unclear", "The kernels of one implementation each have their own order.", on=STUDY)
def order_unclear(study: Study) -> Iterator[Placed]:
    """The kernels of a group run one after the other; each needs its own place."""
    for kernels in _implementations(study):
        for contract in kernels:
            if len(kernels) > 1 and contract.value.order is None:
                message = f"one of {len(kernels)} kernels of {_title(contract.value)} without an order; number them from 0"
                yield contract, Fault(order_unclear, ("members",), message)
        numbered = [contract for contract in kernels if contract.value.order is not None]
        for index, first in repeats(numbered, lambda contract: contract.value.order):
            contract, other = numbered[index], numbered[first]
            message = (
                f"order {contract.value.order} of {_title(contract.value)} is taken by '{other.value.entry}'; "
                "number the kernels one by one, or name another implementation for a variant"
            )
            yield contract, Fault(order_unclear, ("order",), message)


@rule("REF-11", "order-gap", "The orders of one implementation follow one another.", on=STUDY)
def order_gap(study: Study) -> Iterator[Placed]:
    """A gap is a kernel whose contract is missing, so the group's time would lack a part."""
    for kernels in _implementations(study):
        numbered = sorted((k for k in kernels if k.value.order is not None), key=lambda k: (k.value.order, k.file))
        for before, contract in pairwise(numbered):
            low, high = before.value.order or 0, contract.value.order or 0
            if high > low + 1:
                message = f"order {high} of {_title(contract.value)} follows order {low}; add the contract of order {low + 1}, or renumber"
                yield contract, Fault(order_gap, ("order",), message)


@rule("REF-12", "device-repeated", "The devices of a spec have different names.", on=STUDY)
def device_repeated(study: Study) -> Iterator[Placed]:
    """Records name the device that they were taken on, so one name is one device."""
    devices = (study.device, *study.other_devices)
    for index, first in repeats(devices, lambda device: device.value.name):
        device, other = devices[index], devices[first]
        message = f"{device.file} and {other.file} are both named '{device.value.name}'; rename one, also in its records"
        yield study.spec, Fault(device_repeated, ("other_devices",), message)


@rule("REF-16", "entry-on-no-device", "An entry is built for devices of the spec, or shipped ones.", on=STUDY)
def entry_on_no_device(study: Study) -> Iterator[Placed]:
    """An entry that is built for a misspelt device would be left out everywhere, without a word."""
    named = [device.value.name for device in (study.device, *study.other_devices)]
    known = tuple(dict.fromkeys((*named, *known_devices(str(Path(study.spec.file).parent)))))
    for contract in study.all_contracts:
        for index, name in one_by_one(contract.value.devices or ()):
            if name not in known:
                message = f"'{name}' is no device of this spec and no shipped one; {nearest_device(name, known)}"
                yield contract, Fault(entry_on_no_device, ("devices", index), message)


def _group_names(study: Study) -> list[str]:
    return [group.name for group in study.spec.value.groups]


def _holds_all_producers(study: Study, contract: Contract) -> bool:
    producers = {group.name for group in study.spec.value.groups_of("producer")}
    return contract.backend == "megakernel" and bool(producers) and producers <= set(contract.members)


def _hash_of(file: Path) -> str | None:
    try:
        if not is_file(file):
            return None
        with file.open("rb") as stream:
            return file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None


def _implementations(study: Study) -> list[list[Document[Contract]]]:
    """The conventional contracts, by group and implementation, each list in the order of the files."""

    def key(contract: Document[Contract]) -> tuple[str, str]:
        return contract.value.members[0], contract.value.implementation or ""

    conventional = sorted((doc for doc in study.contracts if doc.value.backend == "conventional"), key=key)
    return [list(kernels) for _, kernels in groupby(conventional, key=key)]


def _title(contract: Contract) -> str:
    name = f" in implementation '{contract.implementation}'" if contract.implementation else ""
    return f"group '{contract.members[0]}'{name}"
