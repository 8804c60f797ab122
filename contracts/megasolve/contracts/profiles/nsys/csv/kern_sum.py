"""The rows of ``cuda_gpu_kern_sum``, and of the reports of that kind that also tell grids and blocks apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...execution import Dim3, KernelShape, Summary
from ...text.csv_table import TextLines, amount_at, count_at
from .columns import ReportColumn, ReportHeader

_THREE = re.compile(r"\s*(\d{1,10})[\s,x]+(\d{1,10})[\s,x]+(\d{1,10})\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Sums:
    """What the rows of one report say; *share_permille* is what they add up to of the time of all kernels, None where it is not said."""

    summaries: tuple[Summary, ...]
    share_permille: int | None

    def notes(self) -> Iterator[str]:
        """Yield whether rows are missing: shares are rounded to a tenth of a percent, so they may miss half of that each."""
        share = self.share_permille
        if share is not None and share < 1000 - (len(self.summaries) + 1) // 2:
            yield f"the rows add up to {share / 10:.1f} % of the time of all kernels, so some are missing"


def read_kern_sum(found: ReportHeader, lines: TextLines, rows: Iterator[list[str]]) -> Sums:
    """Return one summary a row; a row that is no summary, or a table without rows, is refused with its line."""
    share = found.columns.get("time")
    permille = None
    summaries = []
    for cells in rows:
        summaries.append(_summary(found, lines, cells))
        if share is not None and cells[share.index].strip():
            permille = (permille or 0) + amount_at(lines, share.title, cells[share.index], 10)
    if not summaries:
        raise lines.refused(f"the {found.report} report has no rows, so no kernels", found.header.line)
    return Sums(tuple(summaries), permille)


def _summary(found: ReportHeader, lines: TextLines, cells: list[str]) -> Summary:
    total, instances, name = found.columns["totaltime"], found.columns["instances"], found.columns["name"]
    count = count_at(lines, instances.title, cells[instances.index])
    total_ps = _time_ps(total, total, lines, cells)
    if not count or total_ps is None or not cells[name.index].strip():
        raise lines.refused(f"a kernel needs {name.title}, {instances.title} and {total.title}")
    mean, median, minimum, maximum = (_time_ps(column, total, lines, cells) for column in found.of("avg", "med", "min", "max"))
    grid, block = (three_sizes(column, lines, cells) for column in found.of("gridxyz", "blockxyz"))
    return Summary(
        KernelShape(cells[name.index], grid, block),
        count,
        total_ps,
        lines.number,
        mean_ps=mean,
        median_ps=median,
        minimum_ps=minimum,
        maximum_ps=maximum,
    )


def _time_ps(column: ReportColumn | None, total: ReportColumn, lines: TextLines, cells: list[str]) -> int | None:
    """Return a time of the row; the reports of 2020 name a unit only for the total."""
    if column is None or not cells[column.index].strip():
        return None
    unit_ps = (total if column.unit is None else column).unit_ps(lines)
    return amount_at(lines, column.title, cells[column.index], unit_ps)


def three_sizes(column: ReportColumn | None, lines: TextLines, cells: list[str]) -> Dim3 | None:
    """Return the grid or block in one cell ("132 2 1"), None where the table or the row has none."""
    if column is None or not cells[column.index].strip():
        return None
    match = _THREE.fullmatch(cells[column.index])
    if match is None:
        raise lines.refused(f"{column.title} is no three numbers ({cells[column.index]!r})")
    x, y, z = map(int, match.groups())
    return x, y, z
