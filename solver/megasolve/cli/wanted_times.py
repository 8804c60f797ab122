"""The times that a spec lacks, from the solver's table to the plain keys that measuring takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .ending.refusals import Refusal
from .measure_options import AskedTimes

if TYPE_CHECKING:
    from megasolve.contracts import Study
    from megasolve.solver import Derivation, ServiceRow


@dataclass(frozen=True, slots=True)
class Lacking:
    """The *keys* of the times that no record gives, how many have one, and by which rules others cannot be launched."""

    keys: tuple[dict[str, Any], ...]
    recorded: int
    refused: tuple[str, ...]


def lacking_times(study: Study, asked: AskedTimes, derivation: Derivation) -> Lacking:
    """Return the times of *study* that are asked for and that no record gives; refuse to go on where none of them can be launched."""
    from megasolve.solver import service_table

    table = service_table(
        study,
        batches=_batches(study, asked),
        groups=asked.groups or None,
        entries=asked.entries or None,
        budgets_ctas=asked.budgets or None,
        derivation=derivation,
    )
    open_rows = [row for row in table.rows if not row.is_recorded]
    keys = tuple(_wanted(row) for row in open_rows if not row.refused)
    refused = tuple(dict.fromkeys(row.refused for row in open_rows if row.refused))
    if refused and not keys and len(table.rows) == len(open_rows):
        raise Refusal(f"nothing that is asked for can be launched: {'; '.join(refused)}")
    return Lacking(keys, len(table.rows) - len(open_rows), refused)


def _batches(study: Study, asked: AskedTimes) -> tuple[int, ...] | None:
    """Return the batches whose times are looked up: on the CPU the smallest is enough, unless others are asked for."""
    return asked.batches or ((min(study.spec.value.batches),) if asked.on_cpu else None)


def _wanted(row: ServiceRow) -> dict[str, Any]:
    """Return the fields of the GPU package's `WantedTime`."""
    derived = row.use.derived if row.use else None
    known = {"derived_ps": derived.duration_ps, "hbm_bytes": derived.hbm_bytes, "tiles": derived.tiles} if derived else {}
    return {"key": row.key, **known}
