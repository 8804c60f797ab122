"""The times that a spec lacks: what there is to measure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from megasolve.contracts import Study
from megasolve.simulate.plan.wanted import WantedTime

from .derivation import Derivation
from .service_table import ServiceRow, service_table


@dataclass(frozen=True, slots=True)
class LackingTimes:
    """The times that are *wanted* as no record gives them, how many have one, and by which rules others cannot be launched."""

    wanted: tuple[WantedTime, ...]
    recorded: int
    refused: tuple[str, ...]

    @property
    def is_hopeless(self) -> bool:
        """Whether something is asked for, and nothing of it can be launched."""
        return bool(self.refused) and not self.wanted and not self.recorded


def lacking_times(
    study: Study,
    *,
    batches: Sequence[int] | None = None,
    groups: Collection[str] | None = None,
    entries: Collection[str] | None = None,
    budgets_ctas: Collection[int] | None = None,
    derivation: Derivation | None = None,
) -> LackingTimes:
    """Return the times of *study* that no record gives; the parameters are those of `service_table`."""
    table = service_table(study, batches=batches, groups=groups, entries=entries, budgets_ctas=budgets_ctas, derivation=derivation)
    open_rows = [row for row in table.rows if not row.is_recorded]
    refused = tuple(dict.fromkeys(row.refused for row in open_rows if row.refused))
    return LackingTimes(tuple(_wanted(row) for row in open_rows if not row.refused), len(table.rows) - len(open_rows), refused)


def _wanted(row: ServiceRow) -> WantedTime:
    derived = row.use.derived if row.use else None
    return WantedTime(row.key, derived.duration_ps, derived.hbm_bytes, derived.tiles) if derived else WantedTime(row.key)
