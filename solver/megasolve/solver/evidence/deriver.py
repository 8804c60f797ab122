"""The deriver: everything that one run derives, each value once, with the calibration that its operators have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

from pydantic import ValidationError

from megasolve.contracts import PS_PER_US, Contract, Document, Key, Provenance, Record, Study
from megasolve.simulate.tiles.engine import prepare

from .calibration import calibration_facts, calibration_from
from .derivation import Derivation
from .derived import Calibration, Derived, NotDerived
from .launch_causes import launch_causes
from .provenance import conditions_of, derived_provenance
from .shelf import Recipe, Shelf
from .tasks import CalibrationTask, TimeTask, calibration_of, tiles_of, time_of
from .tile_times import call_of, derived_facts, derived_from

Recorded = Callable[[Contract, str, int, Mapping[str, int]], int | None]
"""The recorded time of a group in a conventional contract, at a batch and with shapes; None where there is none."""

Shaped: TypeAlias = tuple[str, int, tuple[tuple[str, int], ...]]
"""A group at a batch and with shapes."""

_TIMES = Recipe("times", time_of, tiles_of, prepare, derived_facts, derived_from)
_CALIBRATIONS = Recipe("calibrations", calibration_of, tiles_of, prepare, calibration_facts, calibration_from)


class Deriver:
    """Derives service times of one study, each once."""

    def __init__(self, study: Study, derivation: Derivation, recorded: Recorded) -> None:
        self.study = study
        self.derivation = derivation
        self.mechanisms = derivation.mechanisms
        self._recorded = recorded
        self._times = Shelf(_TIMES, derivation)
        self._fits = Shelf(_CALIBRATIONS, derivation)
        self._calibrations: dict[Shaped, tuple[Calibration, ...]] = {}
        self._tasks: dict[Key, TimeTask] = {}

    def prepare(self, wanted: Sequence[tuple[Contract, Key]]) -> None:
        """Derive what is missing of *wanted*, keys with the contracts that they are of, so that each is at hand when it is asked for."""
        # Factors first: they are a part of what decides the times.
        shaped = dict.fromkeys(_shaped(key.group, key.batch, key.shapes) for _, key in wanted)
        self._fits.prepare([task for group, batch, shapes in shaped for task in self._fitting(group, batch, dict(shapes))])
        self._times.prepare([self.task(contract, key) for contract, key in wanted])

    def record(self, contract: Document[Contract], key: Key) -> tuple[Record, Derived] | NotDerived:
        """Return what *contract*, whose key it is, says of *key* by its program, as a record."""
        found = self._times.value(self.task(contract.value, key))
        if isinstance(found, NotDerived):
            return found
        calibrations = self.calibrations(key.group, key.batch, key.shapes)
        conditions = tuple(conditions_of(contract.value, self.study.device.value, self.derivation.off))
        provenance = derived_provenance(contract, key.group, found, conditions, calibrations)
        try:
            return _record(key, found, provenance), found
        except ValidationError as error:
            return NotDerived(_out_of_range(found, error))

    def calibrations(self, group: str, batch: int, shapes: Mapping[str, int]) -> tuple[Calibration, ...]:
        """Return the calibrations of *group*: one for each conventional contract with a program and a record, in order."""
        asked = _shaped(group, batch, shapes)
        if asked not in self._calibrations:
            self._calibrations[asked] = tuple(map(self._fits.value, self._fitting(group, batch, shapes)))
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

    def _fitting(self, group: str, batch: int, shapes: Mapping[str, int]) -> Iterator[CalibrationTask]:
        for contract in conventional_programs(self.study, group):
            budget_ctas = self.study.device.value.usable_sms
            record_ps = self._recorded(contract.value, group, batch, shapes)
            if record_ps is not None and not launch_causes(self.study.device.value, contract.value, budget_ctas):
                call = call_of(self.study, contract.value, group, budget_ctas=budget_ctas, batch=batch, shapes=shapes)
                yield CalibrationTask(call, self.mechanisms, record_ps)

    def task(self, contract: Contract, key: Key) -> TimeTask:
        """Return what is to be simulated for *key*, which is one of *contract*."""
        if key not in self._tasks:
            call = call_of(self.study, contract, key.group, budget_ctas=key.budget_ctas, batch=key.batch, shapes=key.shapes)
            self._tasks[key] = TimeTask(call, self.mechanisms, self._factors(contract, key.group, key.batch, key.shapes))
        return self._tasks[key]


def _shaped(group: str, batch: int, shapes: Mapping[str, int]) -> Shaped:
    return group, batch, tuple(sorted(shapes.items()))


def conventional_programs(study: Study, group: str) -> tuple[Document[Contract], ...]:
    """Return the conventional contracts that have a program of *group*, by implementation, order and entry."""
    kernels = [one for one in study.contracts if one.value.backend == "conventional" and group in one.value.programs]
    return tuple(sorted(kernels, key=lambda one: (one.value.implementation or "", one.value.order or 0, one.value.entry)))


def _out_of_range(found: Derived, error: ValidationError) -> str:
    """Return why *found* is no value of a record; any other error is raised again, as a fault of the program."""
    first = error.errors()[0]
    if not {*first["loc"]} & {"duration_us", "hbm_bytes"}:
        raise error
    return f"its schedule takes {found.duration_ps // PS_PER_US:,} us and moves {found.hbm_bytes:,} bytes: {first['msg']}"


def _record(key: Key, found: Derived, provenance: Provenance) -> Record:
    # As a file would have it, and so in microseconds.
    return Record.model_validate(
        {
            **key.record_fields,
            "duration_us": Decimal(found.duration_ps).scaleb(-6),
            "hbm_bytes": found.hbm_bytes,
            # Tiles are timed from load to store: launching the kernel that holds them is no part of that.
            "holds": (),
            "provenance": provenance,
        }
    )
