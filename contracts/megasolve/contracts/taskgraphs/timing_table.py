"""Reads `pertask` tables of MPK: by type of task and batch how many tasks a step has, and how long they take."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..model.base import PS_PER_US
from ..profiles.errors import ProfileRefused
from ..profiles.text.csv_table import Header, TextLines, amount_at, header_of, rows_below
from ..profiles.text.source import ProfileSource
from ..profiles.wording import listed

_COUNT = re.compile(r"n_bs([1-9]\d{0,5})", re.ASCII)


@dataclass(frozen=True, slots=True)
class TaskTiming:
    """The *tasks* of one type in a step of one batch, the sum of their times, and how many took more than a microsecond (*long*)."""

    tasks: Fraction
    sum_ps: int
    mean_ps: int
    long: Fraction


@dataclass(frozen=True)
class TimingTable:
    """The timings of each type by batch, as *workers* workers ran them; *names* are what the table calls the types."""

    file: str
    sha256: str
    workers: int
    batches: tuple[int, ...]
    names: Mapping[int, str]
    timings: Mapping[int, Mapping[int, TaskTiming]]


def is_timing_table(columns: tuple[str, ...]) -> bool:
    """Whether a table with *columns* is one of these."""
    return {"task_type", "name"} <= set(columns) and any(map(_COUNT.fullmatch, columns))


def read_timing_table(source: ProfileSource) -> TimingTable:
    """Return the table in *source*.

    Raises
    ------
    ProfileRefused
        A column or a figure is missing, a type or a column stands there twice, or the figures are not of one number of workers.
    """
    with source.open() as stream:
        lines = TextLines(stream, source.file)
        header = header_of(next(iter(lines), ""), lines.number)
        rows = _Rows(lines, header, _columns(source, header))
        for row in rows_below(header, lines):
            if row:
                rows.take(row)
    return TimingTable(source.file, source.sha256, _workers(source, rows.shares), tuple(rows.columns), rows.names, rows.timings)


_Columns = Mapping[int, Mapping[str, int]]


def _columns(source: ProfileSource, header: Header) -> _Columns:
    batches = [int(match[1]) for match in map(_COUNT.fullmatch, header.columns) if match]
    wanted = {batch: {key: f"{key}_bs{batch}" for key in ("n", "us", "perwkr_us", "mean_us", "nlong")} for batch in batches}
    missing = [name for keys in wanted.values() for name in keys.values() if header.index(name) is None]
    if missing:
        raise ProfileRefused(source.file, f"line {header.line}: is a table of tasks without the columns {listed(missing)}: export it again")
    if doubled := [name for name in _read_columns(wanted) if header.columns.count(name) > 1]:
        raise ProfileRefused(source.file, f"line {header.line}: has the columns {listed(doubled)} twice: which of the two holds is open")
    return {batch: {key: header.columns.index(name) for key, name in keys.items()} for batch, keys in wanted.items()}


def _read_columns(wanted: Mapping[int, Mapping[str, str]]) -> Iterator[str]:
    yield from ("task_type", "name")
    yield from dict.fromkeys(name for keys in wanted.values() for name in keys.values())


@dataclass(frozen=True, slots=True)
class _Share:
    """The time of all tasks of one *kind*, and that over the workers, both as the *line* says."""

    line: int
    kind: int
    sum_ps: int
    share_ps: int

    def is_of(self, workers: int) -> bool:
        """Whether the second can be the first over so many *workers*: sums are rounded to 0.1 us, shares to 0.01."""
        return abs(self.sum_ps - workers * self.share_ps) <= PS_PER_US // 10 + workers * PS_PER_US // 100


class _Rows:
    """The rows below the header, as far as they were taken; *shares* are sums beside what they are divided by the workers."""

    def __init__(self, lines: TextLines, header: Header, columns: _Columns) -> None:
        self.columns = columns
        self.names: dict[int, str] = {}
        self.timings: dict[int, dict[int, TaskTiming]] = {}
        self.shares: dict[int, list[_Share]] = {batch: [] for batch in columns}
        self._lines, self._header = lines, header

    def take(self, row: list[str]) -> None:
        """Add the type of task that *row* is about."""
        lines, header = self._lines, self._header
        if len(row) != len(header.columns):
            raise lines.refused(f"has {len(row)} cells, the header has {len(header.columns)}")
        kind = amount_at(lines, "task_type", row[header.columns.index("task_type")], 1)
        if kind in self.names:
            raise lines.refused(f"type {kind} stands there twice")
        self.names[kind], self.timings[kind] = row[header.columns.index("name")].strip()[:64], {}
        for batch, places in self.columns.items():
            cells = {key: row[place].strip() for key, place in places.items()}
            if cells["n"]:
                timing = _timing(lines, batch, cells)
                _refuse_unsound(lines, kind, batch, timing)
                self.timings[kind][batch] = timing
                share_ps = amount_at(lines, f"perwkr_us_bs{batch}", cells["perwkr_us"], PS_PER_US)
                self.shares[batch].append(_Share(lines.number, kind, timing.sum_ps, share_ps))


def _timing(lines: TextLines, batch: int, cells: Mapping[str, str]) -> TaskTiming:
    tasks, long = (Fraction(amount_at(lines, f"{key}_bs{batch}", cells[key], 10**6), 10**6) for key in ("n", "nlong"))
    sum_ps, mean_ps = (amount_at(lines, f"{key}_bs{batch}", cells[key], PS_PER_US) for key in ("us", "mean_us"))
    if long > tasks:
        raise lines.refused(f"nlong_bs{batch} {cells['nlong']} is more than n_bs{batch} {cells['n']}")
    return TaskTiming(tasks, sum_ps, mean_ps, long)


def _refuse_unsound(lines: TextLines, kind: int, batch: int, timing: TaskTiming) -> None:
    # The mean is rounded to a hundredth of a microsecond, and the sum to a tenth.
    if abs(timing.sum_ps - timing.tasks * timing.mean_ps) > timing.tasks * PS_PER_US / 100 + PS_PER_US:
        raise lines.refused(f"type {kind} at batch {batch}: the sum is not what its tasks take at their mean")


def _workers(source: ProfileSource, shares: Mapping[int, Sequence[_Share]]) -> int:
    """Return how many workers the sums were divided by; that of every batch must be the same, and every row must say so."""
    found = {batch: _divisor(of_it) for batch, of_it in shares.items()}
    known = {workers for workers in found.values() if workers is not None}
    if not known:
        raise ProfileRefused(source.file, "no type of task takes long enough to tell by how many workers perwkr_us is divided")
    if len(known) > 1:
        told = listed(f"batch {batch}: {workers}" for batch, workers in found.items() if workers is not None)
        raise ProfileRefused(source.file, f"has columns of several numbers of workers ({told}): a plan is of one; give a table of one")
    (workers,) = known
    _refuse_other_workers(source, shares, workers)
    return workers


def _divisor(shares: Sequence[_Share]) -> int | None:
    longest = max(shares, key=lambda one: one.sum_ps, default=None)
    return round(Fraction(longest.sum_ps, longest.share_ps)) if longest is not None and longest.share_ps > PS_PER_US else None


def _refuse_other_workers(source: ProfileSource, shares: Mapping[int, Sequence[_Share]], workers: int) -> None:
    for batch, of_it in shares.items():
        for one in of_it:
            if not one.is_of(workers):
                told = f"perwkr_us_bs{batch} of type {one.kind} is not us_bs{batch} over the {workers} workers of the other rows"
                raise ProfileRefused(source.file, f"line {one.line}: {told}: a plan is of one number of workers")
