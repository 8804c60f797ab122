"""The records behind a score as text: the kernels of each region, the longest first."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from megasolve.contracts.model.wording import counted

from ..text.numbers import percent, unit_of
from ..text.short_ids import short_id
from ..text.tables import indented, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from megasolve.solver import KernelShare, RegionShare

MOST_KERNELS = 20
NAMED = 3


def kernel_lines(regions: Sequence[RegionShare], *, show_all: bool) -> list[str]:
    """Return the kernels of every region with their records; of many the longest ones, unless *show_all*."""
    return [line for region in regions for line in _region_lines(region, show_all=show_all)]


def _region_lines(region: RegionShare, *, show_all: bool) -> list[str]:
    shown = region.kernels if show_all else region.kernels[:MOST_KERNELS]
    hidden = region.kernels[len(shown) :]
    lines = [line for kernel in shown for line in _kernel_lines(kernel, region)]
    if hidden:
        spent_ps = sum(kernel.spent_ps for kernel in hidden)
        lines.append(f"... {counted(len(hidden), 'shorter kernel')}, {_text(spent_ps)} in all, all of them with --entries")
    return [f"{short_id(region.region)}: {_text(region.spent_ps)}", *indented(lines)]


def _kernel_lines(kernel: KernelShare, region: RegionShare) -> list[str]:
    usage = kernel.usages[0]
    record, given = usage.use.record, usage.use.record.provenance
    moved = "an unknown number of HBM bytes" if record.hbm_bytes is None else counted(record.hbm_bytes, "HBM byte")
    accuracy = "accuracy not stated" if record.accuracy is None else f"accuracy ±{percent(Fraction(record.accuracy))}"
    more = f" and {len(kernel.usages) - 1:,} more" if len(kernel.usages) > 1 else ""
    name = f"{record.group} on {record.backend} {_entries(kernel)}, {counted(record.budget_ctas, 'CTA')}"
    return [
        f"{name}: {_time(kernel, region)}, {moved} a call",
        f"  {usage.use.place}{more}  {given.kind}, {accuracy}, {given.date or 'no date'}, source: {one_line(given.source)}",
    ]


def _entries(kernel: KernelShare) -> str:
    names = list(dict.fromkeys(usage.contract.entry for usage in kernel.usages))
    if len(names) == 1:
        return f"'{names[0]}'"
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return f"in {len(names):,} equal entries ({', '.join(names[:NAMED])}{more})"


def _time(kernel: KernelShare, region: RegionShare) -> str:
    """Return the calls of a kernel, what one takes, their sum where they are several, and its share where it is not alone."""
    times = [usage.use.record.time_ps for usage in kernel.usages]
    each = " to ".join(_text(time_ps) for time_ps in dict.fromkeys((min(times), max(times))))
    told = f"{counted(kernel.calls, 'call')} of {each}"
    if kernel.launches > kernel.calls:
        told += f" ({kernel.launches:,} launches)"
    if kernel.calls > 1:
        told += f" = {_text(kernel.spent_ps)}"
    return f"{told}, {percent(Fraction(kernel.spent_ps, region.spent_ps))}" if len(region.kernels) > 1 and region.spent_ps else told


def _text(time_ps: int) -> str:
    """Return a time in a unit of its own size: a region of milliseconds has kernels of microseconds."""
    return unit_of(time_ps).text(time_ps)
