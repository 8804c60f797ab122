"""The deriver: everything that one run derives, each value once, with the calibration that its operators have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeVar

from pydantic import ValidationError

from megasolve.contracts import Contract, Document, Key, Provenance, Record, Study

from .cache import digest
from .calibration import TOLERANCE, calibrate, calibration_facts, calibration_from
from .derivation import Derivation
from .derived import Calibration, Derived, NotDerived
from .provenance import derived_provenance
from .refusal import launch_refusal
from .tile_times import TiledCall, call_of, derive, derived_facts, derived_from

METHOD_VERSION = 1
"""Part of every digest in the cache: raised whenever expansion, scheduling or calibration may give another value than before."""

Recorded = Callable[[Contract, str, int, Mapping[str, int]], int | None]
"""The recorded time of a group in a conventional contract, at a batch and with shapes; None where there is none."""

Found = TypeVar("Found")


class Deriver:
    """Derives service times of one study, each once."""

    def __init__(self, study: Study, derivation: Derivation, recorded: Recorded) -> None:
        self.study = study
        self.derivation = derivation
        self.mechanisms = derivation.mechanisms
        self._cache = derivation.cache
        self._recorded = recorded
        self._derived: dict[str, Derived | NotDerived] = {}
        self._calibrations: dict[tuple[Any, ...], tuple[Calibration, ...]] = {}

    def record(self, contract: Document[Contract], key: Key) -> tuple[Record, Derived] | NotDerived:
        """Return what *contract*, whose key it is, says of *key* by its program, as a record."""
        found = self.derived(contract.value, key.group, budget_ctas=key.budget_ctas, batch=key.batch, shapes=key.shapes)
        if isinstance(found, NotDerived):
            return found
        calibrations = self.calibrations(key.group, key.batch, key.shapes)
        provenance = derived_provenance(contract, key.group, found, self.derivation.off, calibrations)
        try:
            return _record(key, found, provenance), found
        except ValidationError as error:
            return NotDerived(_out_of_range(found, error))

    def derived(self, contract: Contract, group: str, *, budget_ctas: int, batch: int, shapes: Mapping[str, int]) -> Derived | NotDerived:
        """Return what one call of *group* takes by the program of *contract*, or why that cannot be said."""
        call = call_of(self.study, contract, group, budget_ctas=budget_ctas, batch=batch, shapes=shapes)
        factors = self._factors(contract, group, batch, shapes)
        key = self._key(call, "service", {operator: str(factor) for operator, factor in factors.items()})
        if key not in self._derived:
            self._derived[key] = self._kept(key, derived_from) or self._keep(key, derive(call, self.mechanisms, factors))
        return self._derived[key]

    def calibrations(self, group: str, batch: int, shapes: Mapping[str, int]) -> tuple[Calibration, ...]:
        """Return the calibrations of *group*: one for each conventional contract with a program and a record, in order."""
        asked = (group, batch, tuple(sorted(shapes.items())))
        if asked not in self._calibrations:
            self._calibrations[asked] = tuple(self._calibrated(group, batch, shapes))
        return self._calibrations[asked]

    def calibrations_of(self, record: Record, found: Derived) -> tuple[Calibration, ...]:
        """Return the calibrations that gave *found*, the derived time in *record*, its factors, each once."""
        known = self.calibrations(record.group, record.batch, record.shapes)
        behind = [next(one for one in known if operator in one.operators) for operator, _ in found.factors]
        return tuple(dict.fromkeys(behind))

    def _factors(self, contract: Contract, group: str, batch: int, shapes: Mapping[str, int]) -> dict[str, Fraction]:
        """Return the factor of each operator of *contract* that has one; of several implementations the first calibrates."""
        own = {operator.name for block in contract.programs[group] for operator in block.operators}
        found: dict[str, Fraction] = {}
        for calibration in self.calibrations(group, batch, shapes):
            for operator in own.intersection(calibration.operators):
                found.setdefault(operator, calibration.factor)
        return {operator: factor for operator, factor in sorted(found.items()) if factor != 1}

    def _calibrated(self, group: str, batch: int, shapes: Mapping[str, int]) -> Iterator[Calibration]:
        for contract in conventional_programs(self.study, group):
            budget_ctas = self.study.device.value.usable_sms
            record_ps = self._recorded(contract.value, group, batch, shapes)
            if record_ps is not None and not launch_refusal(self.study.device.value, contract.value, budget_ctas):
                call = call_of(self.study, contract.value, group, budget_ctas=budget_ctas, batch=batch, shapes=shapes)
                yield self._calibration(call, record_ps)

    def _calibration(self, call: TiledCall, record_ps: int) -> Calibration:
        key = self._key(call, "calibration", {"entry": call.contract.entry, "record_ps": record_ps, "tolerance": str(TOLERANCE)})
        kept = self._kept(key, calibration_from)
        if kept is None:
            kept = calibrate(call, record_ps, self.mechanisms)
            if self._cache:
                self._cache.keep(key, calibration_facts(kept))
        return kept

    def _key(self, call: TiledCall, what: str, further: Mapping[str, Any]) -> str:
        mechanisms = asdict(self.mechanisms)
        return digest({"method": METHOD_VERSION, "what": what, "call": call.facts, "mechanisms": mechanisms, what: further})

    def _kept(self, key: str, read: Callable[[Mapping[str, Any]], Found]) -> Found | None:
        value = self._cache.recall(key) if self._cache else None
        try:
            return None if value is None else read(value)
        except (AttributeError, KeyError, TypeError, ValueError, ZeroDivisionError):
            # Well-formed, yet not what this version writes: it is derived and written anew.
            return None

    def _keep(self, key: str, found: Derived | NotDerived) -> Derived | NotDerived:
        if self._cache:
            self._cache.keep(key, derived_facts(found))
        return found


def conventional_programs(study: Study, group: str) -> tuple[Document[Contract], ...]:
    """Return the conventional contracts that have a program of *group*, by implementation, order and entry."""
    kernels = [one for one in study.contracts if one.value.backend == "conventional" and group in one.value.programs]
    return tuple(sorted(kernels, key=lambda one: (one.value.implementation or "", one.value.order or 0, one.value.entry)))


def _out_of_range(found: Derived, error: ValidationError) -> str:
    """Return why *found* is no value of a record; any other error is raised again, as a fault of the program."""
    first = error.errors()[0]
    if not {*first["loc"]} & {"duration_us", "hbm_bytes"}:
        raise error
    return f"its schedule takes {found.duration_ps // 10**6:,} us and moves {found.hbm_bytes:,} bytes: {first['msg']}"


def _record(key: Key, found: Derived, provenance: Provenance) -> Record:
    # As a file would have it, and so in microseconds.
    return Record.model_validate(
        {
            **key.record_fields,
            "duration_us": Decimal(found.duration_ps).scaleb(-6),
            "hbm_bytes": found.hbm_bytes,
            "provenance": provenance,
        }
    )
