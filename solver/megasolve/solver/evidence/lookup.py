"""Evidence: service records found by their exact key, else a time derived from the contract's program, else what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from megasolve.contracts import (
    Contract,
    Device,
    Document,
    Key,
    Place,
    Record,
    RecordAt,
    Recorded,
    Study,
    checked,
    differences,
    key_of,
    launch_figures,
)

from .asking import TooManyTimes
from .derivation import Derivation
from .launch_causes import launch_causes

if TYPE_CHECKING:
    from .derived import Derived
    from .deriver import Deriver

# A schedule takes some milliseconds at least.
MOST_DERIVED = 20_000


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
        self.study = checked(study)
        self.derivation = derivation or Derivation()
        self.recorded = Recorded(self.study)
        self._found: dict[tuple[Key, bool], RecordUse | NoEvidence] = {}

    @cached_property
    def deriver(self) -> Deriver:
        """What derives times, with all that it has derived."""
        # Only contracts with programs need the tile simulator, and loading it would slow down every other start.
        from .deriver import Deriver

        return Deriver(self.study, self.derivation, self._conventional_ps)

    def find(self, key: Key, contract: Document[Contract] | None = None) -> RecordUse | NoEvidence:
        """Return the record whose key equals *key*, or what *contract*, whose key it is, says instead, or why there is none."""
        asked = (key, contract is not None)
        if asked not in self._found:
            found = self.recorded.of(key)
            self._found[asked] = _use(found) if found else self.derived(key, contract)
        return self._found[asked]

    def prepare(self, asked: Iterable[tuple[Key, Document[Contract]]]) -> None:
        """Derive together what no record serves of *asked*, keys with the contracts that they are of, so that `find` has it at hand.

        Raises
        ------
        TooManyTimes
            There are more than `MOST_DERIVED` of them.
        """
        wanted: dict[Key, Contract] = {}
        for key, contract in asked:
            if self._is_derivable(key, contract.value):
                wanted[key] = contract.value
                if len(wanted) > MOST_DERIVED:
                    facts = f"more than {MOST_DERIVED:,} times have no record and would be derived, a tile schedule each"
                    raise TooManyTimes(f"{facts}; plan for fewer batches or contracts, or take larger steps in the ranges of budget_pairs")
        if wanted:
            self.deriver.prepare([(contract, key) for key, contract in wanted.items()])

    def _is_derivable(self, key: Key, contract: Contract) -> bool:
        is_open = key.group in contract.programs and (key, True) not in self._found and self.recorded.of(key) is None
        return is_open and not launch_causes(self.study.device.value, contract, key.budget_ctas)

    def derived(self, key: Key, contract: Document[Contract] | None) -> RecordUse | NoEvidence:
        """Return what the program of *contract*, whose key it is, says by itself, whatever the records say."""
        if contract is None or key.group not in contract.value.programs:
            return self._nearest(key)
        # A launch that never runs may be of any size, and simulating it would take any amount of memory.
        if refused := launch_causes(self.study.device.value, contract.value, key.budget_ctas):
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
        if not isinstance(found, RecordUse) or found.record.provenance.fake:
            return None
        return work_ps(contract, found.record, self.study.device.value)

    def _nearest(self, key: Key) -> NoEvidence:
        ranked = [(tuple(map(str, differences(has, key))), one) for has, one in self.recorded.near(key)]
        if not ranked:
            return NoEvidence(key, None, ())
        # Among equally near records the text decides, so that the order of records never does.
        differing, nearest = min(ranked, key=lambda pair: (len(pair[0]), pair[0], pair[1].document.file))
        return NoEvidence(key, _use(nearest), differing)


def _use(found: RecordAt) -> RecordUse:
    return RecordUse(found.record, found.document, ("records", found.index))


def left_ps(contract: Contract, record: Record, device: Device) -> int:
    """Return what the kernels of *contract* add to a call, from their ramps to their last CTAs, and the gaps between them left out."""
    return max(record.time_ps - apart_ps(contract, record, device), 0)


def apart_ps(contract: Contract, record: Record, device: Device) -> int:
    """Return how much of *record* is no time of the kernels of *contract* by themselves; below 0 where it lacks some of that.

    That is what they run beside those ahead of them, and the gaps that the time holds, which are added for every launch. Ramps are a
    part of it: a time without them gets them.
    """
    figures = launch_figures(contract, device)
    early_ps = -min(contract.dispatch.gap_ps or 0, 0)
    gap_ps = max(figures.gap_ps or 0, 0) if "gap" in record.holds else 0
    return contract.kernels * (early_ps + gap_ps - (0 if "ramp" in record.holds else figures.ramp_ps))


def work_ps(contract: Contract, record: Record, device: Device) -> int:
    """Return the bare work in *record*, as tiles are timed: without the ramps and gaps of the kernels of *contract* that it holds."""
    figures = launch_figures(contract, device)
    held_ps = {"ramp": figures.ramp_ps, "gap": max(figures.gap_ps or 0, 0)}
    return max(record.time_ps - contract.kernels * sum(held_ps[part] for part in record.holds), 1)
