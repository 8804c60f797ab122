"""Evidence: service records found by their exact key, else a time derived from the contract's program, else what is missing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from megasolve.contracts import Backend, Contract, Document, Place, Record, Study

from .derivation import Derivation
from .refusal import launch_refusal

if TYPE_CHECKING:
    from .derived import Derived
    from .deriver import Deriver

ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Key:
    """The full key of a service record (paper: S[g, β, W; κ] with shapes and precision)."""

    group: str
    backend: Backend
    entry: str
    budget_ctas: int
    batch: int
    precision: str
    device: str
    shapes: Mapping[str, int]
    context: Mapping[str, Any]

    def __str__(self) -> str:
        shapes = "".join(f", {name} {size}" for name, size in sorted(self.shapes.items()))
        entry = f"{self.group} on {self.backend} entry '{self.entry}'"
        return f"{entry} with {self.budget_ctas} CTAs, batch {self.batch}{shapes}, {self.precision}, {self.device}"


@dataclass(frozen=True, slots=True)
class RecordUse:
    """A record together with where it stands: in a records file, or as a program in a contract that it was *derived* from."""

    record: Record
    document: Document[Any]
    path: tuple[str | int, ...]
    derived: Derived | None = None

    @property
    def place(self) -> Place:
        """Where the record, or the program, stands."""
        return self.document.place(self.path)


@dataclass(frozen=True, slots=True)
class NoEvidence:
    """No record matches *key*; *nearest* differs in the fewest fields, *differences* says in which.

    *not_derived* says why the contract's program gives no time either, *refused* by which rules the launch is excluded, so that
    its program was not tried; both are empty where the contract has none.
    """

    key: Key
    nearest: RecordUse | None
    differences: tuple[str, ...]
    not_derived: str = ""
    refused: str = ""

    def __str__(self) -> str:
        program = f"; its program gives none: {self.not_derived}" if self.not_derived else ""
        if self.refused:
            program = f"; its program was not tried: {self.refused}"
        if self.nearest is None:
            return f"no record of {self.key}; no record of {self.key.group} on {self.key.backend} at all{program}"
        return f"no record of {self.key}; the nearest ({self.nearest.document.file}) differs in {', '.join(self.differences)}{program}"


class Evidence:
    """All records of a study, indexed by the scalar part of their key, and what can be derived where none matches."""

    def __init__(self, study: Study, derivation: Derivation | None = None) -> None:
        self.study = study
        self.derivation = derivation or Derivation()
        self._exact: dict[tuple[Any, ...], list[RecordUse]] = {}
        self._by_group: dict[tuple[str, str], list[RecordUse]] = {}
        self._found: dict[tuple[Any, ...], RecordUse | NoEvidence] = {}
        for use in _uses(study):
            record = use.record
            self._by_group.setdefault((record.group, record.backend), []).append(use)
            for entry in record.entries:
                self._exact.setdefault(_scalars(record, entry), []).append(use)

    @cached_property
    def deriver(self) -> Deriver:
        """What derives times, with all that it has derived."""
        # Only contracts with programs need the tile simulator, and loading it would slow down every other start.
        from .deriver import Deriver

        return Deriver(self.study, self.derivation, self._conventional_ps)

    def find(self, key: Key, contract: Document[Contract] | None = None) -> RecordUse | NoEvidence:
        """Return the record whose key equals *key*, or what *contract*, whose key it is, says instead, or why there is none."""
        scalars = (key.group, key.backend, key.entry, key.budget_ctas, key.batch, key.precision, key.device, _frozen(key.shapes))
        asked = (scalars, contract is not None)
        if asked not in self._found:
            exact = [use for use in self._exact.get(scalars, ()) if use.record.context == key.context]
            self._found[asked] = exact[0] if exact else self.derived(key, contract)
        return self._found[asked]

    def derived(self, key: Key, contract: Document[Contract] | None) -> RecordUse | NoEvidence:
        """Return what the program of *contract*, whose key it is, says by itself, whatever the records say."""
        if contract is None or key.group not in contract.value.programs:
            return self._nearest(key)
        # A launch that never runs may be of any size, and simulating it would take any amount of memory.
        if refused := launch_refusal(self.study.device.value, contract.value, key.budget_ctas):
            return replace(self._nearest(key), refused=refused)
        found = self.deriver.record(contract, key)
        if not isinstance(found, tuple):
            return replace(self._nearest(key), not_derived=found.reason)
        record, derived = found
        return RecordUse(record, contract, ("programs", key.group), derived)

    def _conventional_ps(self, contract: Contract, group: str, batch: int, shapes: Mapping[str, int]) -> int | None:
        budget_ctas = self.study.device.value.usable_sms
        found = self.find(key_of(self.study, contract, group, budget_ctas=budget_ctas, batch=batch, shapes=shapes))
        # A run on a stand-in for the hardware may be planned with on demand; other times never rest on it.
        return found.record.time_ps if isinstance(found, RecordUse) and not found.record.provenance.fake else None

    def _nearest(self, key: Key) -> NoEvidence:
        ranked = [(_differences(key, use.record), use) for use in self._by_group.get((key.group, key.backend), ())]
        if not ranked:
            return NoEvidence(key, None, ())
        # Among equally near records the text decides, so that the order of records never does.
        differences, nearest = min(ranked, key=lambda pair: (len(pair[0]), pair[0], pair[1].document.file))
        return NoEvidence(key, nearest, differences)


def key_of(study: Study, contract: Contract, group: str, *, budget_ctas: int, batch: int, shapes: Mapping[str, int]) -> Key:
    """Return the key that a record must have to time one call of *group* in *contract*."""
    spec, device = study.spec.value, study.device.value
    return Key(group, contract.backend, contract.entry, budget_ctas, batch, spec.precision, device.name, shapes, contract.context)


def _uses(study: Study) -> Iterator[RecordUse]:
    for document in study.records:
        for index, record in enumerate(document.value.records):
            yield RecordUse(record, document, ("records", index))


def _frozen(shapes: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(shapes.items()))


def _scalars(record: Record, entry: str) -> tuple[Any, ...]:
    return (record.group, record.backend, entry, record.budget_ctas, record.batch, record.precision, record.device, _frozen(record.shapes))


def _differences(key: Key, record: Record) -> tuple[str, ...]:
    scalars: list[tuple[str, Any, Any]] = [
        ("budget_ctas", record.budget_ctas, key.budget_ctas),
        ("batch", record.batch, key.batch),
        ("precision", record.precision, key.precision),
        ("device", record.device, key.device),
    ]
    found = [f"{name}: {has} against {wanted}" for name, has, wanted in scalars if has != wanted]
    if key.entry not in record.entries:
        found.append(f"entries: {', '.join(record.entries)} against {key.entry}")
    found += _tree_differences("shapes", record.shapes, key.shapes)
    return (*found, *_tree_differences("context", record.context, key.context))


def _tree_differences(path: str, has: Any, wanted: Any) -> list[str]:
    if has == wanted:
        return []
    if isinstance(has, Mapping) and isinstance(wanted, Mapping):
        names = sorted({*has, *wanted})
        return [text for name in names for text in _tree_differences(f"{path}.{name}", has.get(name, ABSENT), wanted.get(name, ABSENT))]
    return [f"{path}: {_shown(has)} against {_shown(wanted)}"]


def _shown(value: Any) -> str:
    """Return a value as text that does not depend on the order of its keys."""
    return str(value) if isinstance(value, str) else json.dumps(value, sort_keys=True, default=dict)
