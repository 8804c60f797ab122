"""The metrics of one kernel in an Nsight Compute report: exact numbers out of values and units as they are printed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..text.csv_table import TextLines, amount_at, count_at, resolution
from ..text.decimals import BYTES_PER, PS_PER
from .columns import RANK, Quantity

_UNKNOWN = re.compile(r"(\(!\)\s*+)?(n/a|-?nan|no data)?\s*", re.IGNORECASE)
_BASE_BYTES = frozenset({"", "byte", "B"})


@dataclass(frozen=True, slots=True)
class Metric:
    """The value of a metric as it is printed, with its unit and the line that it stands on."""

    name: str
    value: str
    unit: str
    line: int


@dataclass(slots=True)
class Metrics:
    """The metrics of one kernel as they come in; of several names for one quantity the most exact stays."""

    lines: TextLines
    found: dict[Quantity, Metric] = field(default_factory=dict)

    def take(self, quantity: Quantity, metric: Metric) -> None:
        """Add *metric*, unless it has no value or a better one is there."""
        known = self.found.get(quantity)
        if not is_unknown(metric.value) and (known is None or RANK[metric.name] < RANK[known.name]):
            self.found[quantity] = metric

    def time_ps(self, quantity: Quantity) -> int | None:
        """Return a time in picoseconds, or None where it is unknown."""
        return self._scaled(quantity, PS_PER)

    def bytes(self, quantity: Quantity) -> int | None:
        """Return a size in bytes, or None where it is unknown."""
        return self._scaled(quantity, BYTES_PER)

    def count(self, quantity: Quantity) -> int | None:
        """Return a plain number, or None where it is unknown."""
        metric = self.found.get(quantity)
        return None if metric is None else count_at(self.lines, metric.name, metric.value, metric.line)

    def text(self, quantity: Quantity) -> str | None:
        """Return a name, or None where it is unknown."""
        metric = self.found.get(quantity)
        return None if metric is None else metric.value

    def step_bytes(self, quantity: Quantity) -> int:
        """Return what one step of the last printed digit is worth in bytes, 0 where whole bytes are printed or nothing is."""
        metric = self.found.get(quantity)
        unit = "" if metric is None else _plain_unit(metric)
        return 0 if metric is None or unit in _BASE_BYTES else resolution(metric.value, BYTES_PER[unit])

    def _scaled(self, quantity: Quantity, known: Mapping[str, int]) -> int | None:
        metric = self.found.get(quantity)
        if metric is None:
            return None
        unit = known.get(_plain_unit(metric))
        if unit is None and metric.unit:
            raise self.lines.refused(f"{metric.name} has the unknown unit {metric.unit!r}", metric.line)
        return None if unit is None else amount_at(self.lines, metric.name, metric.value, unit, metric.line)


def is_unknown(value: str) -> bool:
    """Return whether a cell says that the tool has no value: empty, n/a or nan, marked or not."""
    return _UNKNOWN.fullmatch(value) is not None


def _plain_unit(metric: Metric) -> str:
    """Return the unit without what it is counted for: Kbyte of "Kbyte/block"."""
    return metric.unit.partition("/")[0]
