"""The rules for sizes at the values of their symbols: those that need no spec, and those of each planned batch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ....files.study import Study
from ....model.contract import Contract
from ....model.device import Device
from ....model.findings import Fault
from ....model.rules import check
from ....sizes.symbols import symbol_values
from ...registry import checks_on
from ...subjects import CONTRACT, DEVICE_SIZES, LAUNCH, SIZES, STUDY, Placed
from .known import Symbols


def device_sizes(contract: Contract, device: Device, group: str, symbols: Symbols) -> Iterator[Fault]:
    """Check on *device* the sizes of one program that have values under *symbols*."""
    for one in checks_on(DEVICE_SIZES):
        yield from one(contract, device, group, symbols)


@check(on=LAUNCH)
def device_sizes_alone(contract: Contract, device: Device) -> Iterator[Fault]:
    """Check on *device* the sizes that need no spec."""
    for group in contract.programs:
        yield from device_sizes(contract, device, group, {})


@check(on=CONTRACT)
def sizes_alone(contract: Contract) -> Iterator[Fault]:
    """Check the sizes that need no spec."""
    for group in contract.programs:
        for one in checks_on(SIZES):
            yield from one(contract, group, {})


@check(on=STUDY)
def sizes_planned(study: Study) -> Iterator[Placed]:
    """Check the sizes of every operator at each planned batch; the first batch that breaks a rule at a place reports it."""
    for contract in study.contracts:
        for fault in _planned(study, contract.value):
            yield contract, fault


def _planned(study: Study, contract: Contract) -> Iterator[Fault]:
    spec = study.spec.value
    alone = {(fault.rule, fault.path) for fault in (*sizes_alone(contract), *device_sizes_alone(contract, study.device.value))}
    for group in contract.programs:
        for batch in spec.batches:
            symbols = symbol_values(spec, group, batch)
            checked = (fault for one in checks_on(SIZES) for fault in one(contract, group, symbols))
            for fault in (*checked, *device_sizes(contract, study.device.value, group, symbols)):
                if (fault.rule, fault.path) not in alone:
                    alone.add((fault.rule, fault.path))
                    yield replace(fault, message=f"at batch {batch}: {fault.message}")
