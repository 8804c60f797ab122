"""Which times of a study nobody recorded, so that plans derive them from the programs in its contracts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from .contract import Contract
from .documents import Document
from .limits import launch_violations
from .spec import Spec
from .study import Study

_Key: TypeAlias = tuple[str, str, int, int, str, str]


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """How many times of *spec* on *device* are derived, by group in the order of the spec, of how many that have programs."""

    spec: Document[Spec]
    device: str
    groups: tuple[tuple[str, int], ...]
    programmed: int

    @property
    def derived(self) -> int:
        """How many times are derived in all."""
        return sum(count for _, count in self.groups)


def unmeasured(study: Study) -> Unmeasured | None:
    """Return which times of *study* are derived; None where none is.

    A time is one of a group in an entry with a program of it, at a budget that can be launched and a batch of the spec.
    """
    recorded = _recorded(study)
    counts: dict[str, int] = {}
    programmed = 0
    for group in study.spec.value.groups:
        for contract in (document.value for document in study.contracts):
            if group.name in contract.programs:
                context = contract.context
                for key in _keys(study, contract, group.name):
                    programmed += 1
                    counts[group.name] = counts.get(group.name, 0) + (context not in recorded.get(key, ()))
    derived = tuple((name, count) for name, count in counts.items() if count)
    return Unmeasured(study.spec, study.device.value.name, derived, programmed) if derived else None


def _recorded(study: Study) -> Mapping[_Key, list[Mapping[str, Any]]]:
    """Return the contexts of all records by the rest of their keys."""
    found: dict[_Key, list[Mapping[str, Any]]] = {}
    for record in (record for document in study.records for record in document.value.records):
        for entry in record.entries:
            key = (record.group, entry, record.budget_ctas, record.batch, record.precision, record.device)
            found.setdefault(key, []).append(record.context)
    return found


def _keys(study: Study, contract: Contract, group: str) -> Iterator[_Key]:
    spec, device = study.spec.value, study.device.value
    is_megakernel = contract.backend == "megakernel"
    for budget_ctas in contract.budgets if is_megakernel else (device.usable_sms,):
        if not launch_violations(device, contract, budget_ctas if is_megakernel else None):
            yield from ((group, contract.entry, budget_ctas, batch, spec.precision, device.name) for batch in spec.batches)
