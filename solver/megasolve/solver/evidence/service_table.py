"""The service table S[group, backend, W; κ]: every time that a spec's contracts can have, where it is from, and how low it could be."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from megasolve.contracts import PS_PER_SECOND, PS_PER_US, Contract, Document, Key, Study, asked_batches, asked_calls

from .derivation import Derivation
from .derived import Calibration
from .doubts import doubts_of
from .launch_causes import launch_causes
from .lookup import Evidence, NoEvidence, RecordUse

NEAR_BOUND = Fraction(1, 1000)

BoundKind = Literal["bandwidth", "critical path", "work"]


@dataclass(frozen=True, slots=True)
class Bound:
    """The largest known lower bound of a time, and what it counts."""

    time_ps: int
    kind: BoundKind


@dataclass(frozen=True, slots=True)
class ServiceRow:
    """One entry of the table: its key, and the record or derived time that serves it, or what is missing.

    *refused* says by which rules its launch is excluded. *bound* is None where no bytes are known. *calibrations* are those of
    the group's conventional runs that concern this row.
    """

    key: Key
    found: RecordUse | NoEvidence
    bound: Bound | None = None
    calibrations: tuple[Calibration, ...] = ()
    notes: tuple[str, ...] = ()
    refused: str = ""

    @property
    def missing(self) -> str | None:
        """Why there is no time: the rules that exclude the launch, else what evidence is missing; None where there is a time."""
        return None if self.use else self.refused or str(self.found)

    @property
    def use(self) -> RecordUse | None:
        """What serves the key; None where nothing does."""
        return self.found if isinstance(self.found, RecordUse) else None

    @property
    def time_ps(self) -> int | None:
        """The time; None where there is no evidence."""
        return self.use.record.time_ps if self.use else None

    @property
    def is_recorded(self) -> bool:
        """Whether a record serves the key, and not a run on a stand-in for the hardware."""
        return self.use is not None and self.use.derived is None and not self.use.record.provenance.fake

    @property
    def flag(self) -> Literal["below bound", "at bound"] | None:
        """Whether the time is below its lower bound, or within 0.1 % of it, which deserves a look."""
        if self.bound is None or self.time_ps is None:
            return None
        if self.time_ps < self.bound.time_ps:
            return "below bound"
        return "at bound" if self.time_ps <= self.bound.time_ps * (1 + NEAR_BOUND) else None


@dataclass(frozen=True, slots=True)
class ServiceTable:
    """All rows, by group, entry, budget (largest first), batch and shapes; *without* names the mechanisms that are off."""

    spec: str
    device: str
    rows: tuple[ServiceRow, ...]
    without: tuple[str, ...] = ()

    @property
    def valued(self) -> int:
        """How many rows have a time."""
        return sum(row.use is not None for row in self.rows)


def service_table(
    study: Study,
    *,
    batches: Sequence[int] | None = None,
    groups: Collection[str] | None = None,
    entries: Collection[str] | None = None,
    budgets_ctas: Collection[int] | None = None,
    derivation: Derivation | None = None,
) -> ServiceTable:
    """Return the service table of *study*.

    Parameters
    ----------
    batches, groups, entries, budgets_ctas
        Only these; by default all of the spec.
    derivation
        How times that nobody recorded are derived; by default with every mechanism on.
    """
    evidence = Evidence(study, derivation)
    spec = study.spec.value
    asked = [
        one
        for one in asked_calls(study, asked_batches(spec, batches))
        if (groups is None or one.key.group in groups)
        and (entries is None or one.key.entry in entries)
        and (budgets_ctas is None or one.key.budget_ctas in budgets_ctas)
    ]
    evidence.prepare((one.key, one.contract) for one in asked)
    rows = tuple(_row(evidence, one.contract, one.key) for one in asked)
    return ServiceTable(spec.name, study.device.value.name, rows, evidence.derivation.off)


def _row(evidence: Evidence, contract: Document[Contract], key: Key) -> ServiceRow:
    found = evidence.find(key, contract)
    refused = launch_causes(evidence.study.device.value, contract.value, key.budget_ctas)
    if isinstance(found, NoEvidence):
        return ServiceRow(key, found, refused=refused)
    calibrations = tuple(_calibrations(evidence, contract.value, key, found))
    notes = [f"cannot be launched: {refused}"] if refused else []
    notes += [*_standing_in(evidence, contract, key, found), *_notes(evidence, contract.value, found, calibrations)]
    return ServiceRow(key, found, _bound(evidence.study, found), calibrations, tuple(notes), refused)


def _standing_in(evidence: Evidence, contract: Document[Contract], key: Key, found: RecordUse) -> Iterator[str]:
    """Yield that a time which was simulated once, and recorded, hides what the program says now."""
    if found.derived or found.record.provenance.kind != "tile-simulated":
        return
    now = evidence.derived(key, contract)
    if isinstance(now, RecordUse):
        says = f"{now.record.time_ps / PS_PER_US:,.3f} us"
        yield f"this recorded simulation wins over the contract's own program, which gives {says}; remove the record to use the program"


def _calibrations(evidence: Evidence, contract: Contract, key: Key, found: RecordUse) -> Iterator[Calibration]:
    """Yield the calibrations that a derived time rests on, or the one that was made from this record."""
    program = contract.programs.get(key.group, ())
    own = {operator.name for block in program for operator in block.operators}
    for calibration in evidence.deriver.calibrations(key.group, key.batch, key.shapes) if program else ():
        if contract.entry == calibration.entry or (found.derived and own & {*calibration.operators}):
            yield calibration


def _bound(study: Study, found: RecordUse) -> Bound | None:
    if found.derived:
        bounds = found.derived.bounds
        known: tuple[tuple[int, BoundKind], ...] = (
            (bounds.bandwidth_ps, "bandwidth"),
            (bounds.path_ps, "critical path"),
            (bounds.work_ps, "work"),
        )
        return Bound(*max(known, key=lambda pair: pair[0]))
    moved = found.record.hbm_bytes
    return None if moved is None else Bound(-(-moved * PS_PER_SECOND // study.device.value.hbm_sustained_bytes_per_s), "bandwidth")


def _notes(evidence: Evidence, contract: Contract, found: RecordUse, calibrations: Sequence[Calibration]) -> Iterator[str]:
    if found.derived:
        if found.derived.never_staged:
            names = ", ".join(found.derived.never_staged)
            yield f"never staged, because their weights do not fit beside the largest tile: {names}; prefetch does nothing for them"
        yield from doubts_of(evidence.study, contract, evidence.derivation.mechanisms)
    for calibration in calibrations:
        if calibration.finding:
            yield f"calibration of '{calibration.entry}': {calibration.finding}"
