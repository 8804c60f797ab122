"""The table on either page of Nsight Compute: rows in, the metrics of each kernel out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter

from ...model.wording import counted
from ..execution import Kernel
from ..text.csv_table import Header, TextLines
from .columns import QUANTITIES
from .kernel import Identity, NcuKernels
from .metrics import Metric, Metrics

_ID, _PROCESS, _KERNEL = "ID", "Process ID", "Kernel Name"
_FIELDS = {
    _ID: "number",
    _PROCESS: "process",
    _KERNEL: "name",
    "Context": "context",
    "Stream": "stream",
    "Device": "device",
    "CC": "compute_capability",
    "Grid Size": "grid",
    "Block Size": "block",
}
_METRIC = ("Metric Name", "Metric Unit", "Metric Value")


def is_ncu_header(header: Header) -> bool:
    """Return whether *header* begins a table of Nsight Compute."""
    return _ID in header.columns and _KERNEL in header.columns


def is_details(header: Header) -> bool:
    """Return whether *header* is of the details page, which has a row per metric."""
    return _METRIC[0] in header.columns


@dataclass(frozen=True, slots=True)
class _Found:
    cells: tuple[str, ...]
    identity: Identity
    metrics: Metrics
    line: int


class _Table:
    """The kernels of one table as its rows come in, in the order of their first rows."""

    def __init__(self, header: Header, lines: TextLines) -> None:
        self.header = header
        self.lines = lines
        self._columns = [column for column in _FIELDS if column in header.columns]
        indices = [header.columns.index(column) for column in self._columns]
        self._cells = itemgetter(*indices)
        self._id, self._process = indices[0], header.index(_PROCESS)
        self.least = max(indices) + 1
        self._found: dict[tuple[str, str], _Found] = {}

    def kernels(self, made: NcuKernels) -> tuple[Kernel, ...]:
        """Return the kernels that the rows told of; a table without any is refused."""
        if not self._found:
            raise self.lines.refused("the table has no rows, so no kernels", self.header.line)
        return tuple(made.kernel(found.identity, found.metrics, found.line) for found in self._found.values())

    def of(self, cells: list[str]) -> Metrics:
        """Return the metrics of the kernel that a row belongs to; refuse the row where it names another kernel than earlier ones."""
        key = (cells[self._id], "" if self._process is None else cells[self._process])
        named = self._cells(cells)
        found = self._found.get(key)
        if found is None:
            identity = Identity(**{_FIELDS[column]: cell for column, cell in zip(self._columns, named, strict=True)})
            self._check(identity)
            found = self._found[key] = _Found(named, identity, Metrics(self.lines), self.lines.number)
        elif found.cells != named:
            raise self.lines.refused(f"kernel {key[0]} is another one than on line {found.line}: two exports in one file")
        return found.metrics

    def _check(self, identity: Identity) -> None:
        if identity.number == _ID:
            raise self.lines.refused("a second header, so these are two exports in one file; import them one by one")
        if not (identity.number.isascii() and identity.number.isdigit()):
            # What stands there instead may be anything that the profiled program printed, so it is not repeated.
            raise self.lines.refused(f"{_ID} is no number, so this is no row of ncu's table")
        if not identity.name:
            raise self.lines.refused(f"{_KERNEL} is empty")


class DetailsTable(_Table):
    """A row per kernel and metric, whose unit stands beside the value; rows of rules have no metric."""

    def __init__(self, header: Header, lines: TextLines) -> None:
        super().__init__(header, lines)
        missing = [column for column in _METRIC if column not in header.columns]
        if missing:
            raise lines.refused(f"the header lacks {', '.join(missing)}", header.line)
        self._name, self._unit, self._value = indices = [header.columns.index(column) for column in _METRIC]
        self.least = max(self.least, *(index + 1 for index in indices))

    def take(self, cells: list[str]) -> None:
        """Add a row; it may end behind the value, as rows without a rule do."""
        if not self.least <= len(cells) <= len(self.header.columns):
            width = len(self.header.columns)
            needed = f"{width}" if self.least == width else f"{self.least} to {width}"
            raise self.lines.refused(f"has {counted(len(cells), 'column')}, by the header on line {self.header.line} it has {needed}")
        metrics = self.of(cells)
        quantity = QUANTITIES.get(cells[self._name])
        if quantity is not None:
            metrics.take(quantity, Metric(cells[self._name], cells[self._value].strip(), cells[self._unit], self.lines.number))

    def notes(self) -> Iterator[str]:
        """Yield nothing: every row says what it is in."""
        yield from ()


class RawTable(_Table):
    """A row per kernel and a column per metric; the row below the header has the units."""

    def __init__(self, header: Header, lines: TextLines) -> None:
        super().__init__(header, lines)
        self._metrics = [(at, name) for at, name in enumerate(header.columns) if name in QUANTITIES and name not in _FIELDS]
        self._units: list[str] | None = None
        self._begun = False

    def take(self, cells: list[str]) -> None:
        """Add a row, or take the first one as the units where it names no kernel."""
        if len(cells) != len(self.header.columns):
            width = len(self.header.columns)
            raise self.lines.refused(f"has {counted(len(cells), 'column')}, the header on line {self.header.line} has {width}")
        if not self._begun:
            self._begun = True
            if not cells[self.header.columns.index(_ID)]:
                self._units = cells
                return
        metrics = self.of(cells)
        for at, name in self._metrics:
            unit = "" if self._units is None else self._units[at]
            metrics.take(QUANTITIES[name], Metric(name, cells[at].strip(), unit, self.lines.number))

    def notes(self) -> Iterator[str]:
        """Yield whether units are missing."""
        if self._units is None:
            yield "there is no row of units below the header, so times and bytes are unknown"


def table_below(header: Header, lines: TextLines) -> DetailsTable | RawTable:
    """Return the table that *header* begins, still empty."""
    return DetailsTable(header, lines) if is_details(header) else RawTable(header, lines)
