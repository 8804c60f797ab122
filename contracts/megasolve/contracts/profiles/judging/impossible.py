"""What cannot have run: launches of no size, and times that no recording holds. Damaged files have both, and shifted columns make them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from math import prod

from ...model.base import MOST_COUNT, MOST_US, PS_PER_SECOND, PS_PER_US
from ..errors import ProfileRefused
from ..execution import Dim3, Execution, Kernel, KernelShape, Summary
from ..wording import shortened

_MOST_PS = MOST_US * PS_PER_US
_MOST_BYTES = 2**62
_DAY_PS = 24 * 3600 * PS_PER_SECOND
_MANY = 10**6


def refuse_impossible(execution: Execution) -> None:
    """Raise ProfileRefused, with the row, where a kernel has a size or traffic that no GPU has, or times are longer than 11 days."""
    for reason in chain(_sizes(execution), _times(execution), _traffic(execution)):
        raise ProfileRefused(execution.file, f"{reason}; record or export it again")


def _sizes(execution: Execution) -> Iterator[str]:
    # Shapes are one object for equal ones, so there are few of them.
    rows: tuple[Kernel | Summary, ...] = (*reversed(execution.kernels), *reversed(execution.summaries))
    launched = {id(one.shape): one for one in rows}
    for one in launched.values():
        if sizes := ", ".join(_impossible_sizes(one.shape)):
            yield f"row {one.row}: kernel '{shortened(one.shape.name)}' cannot have run with {sizes}"


def _impossible_sizes(shape: KernelShape) -> Iterator[str]:
    for word, sides in (("grid", shape.grid), ("block", shape.block)):
        if sides is not None and not _is_launch(sides):
            yield f"a {word} of {shortened('x'.join(map(str, sides)))}"
    counts = {
        "CTAs in a grid": shape.grid_ctas,
        "threads in a block": shape.block_threads,
        "registers": shape.registers,
        "CTAs in a cluster": shape.cluster_ctas,
    }
    yield from (f"{shortened(str(count))} {word}" for word, count in counts.items() if count is not None and not 0 < count <= MOST_COUNT)
    shared = (shape.static_shared_bytes, shape.dynamic_shared_bytes, shape.shared_bytes)
    yield from [f"{shortened(f'{size:,}')} bytes of shared memory" for size in shared if size is not None and not 0 <= size <= MOST_COUNT][
        :1
    ]


def _is_launch(sides: Dim3) -> bool:
    return min(sides) > 0 and prod(sides) <= MOST_COUNT


def _traffic(execution: Execution) -> Iterator[str]:
    for one in execution.kernels:
        if one.hbm_bytes is not None and one.hbm_bytes > _MOST_BYTES:
            yield f"row {one.row}: kernel '{shortened(one.shape.name)}' cannot have moved {one.hbm_bytes:,} bytes"


def _times(execution: Execution) -> Iterator[str]:
    timed = [(one.row, one.duration_ps) for one in execution.kernels if one.duration_ps is not None and one.duration_ps > _MOST_PS]
    summed = [(one.row, time_ps) for one in execution.summaries if (time_ps := _longest_ps(one)) > _MOST_PS]
    yield from (f"row {row}: {_days(time_ps)} cannot be measured" for row, time_ps in (*timed, *summed))
    yield from (f"row {one.row}: {one.instances:,} launches cannot have run" for one in execution.summaries if one.instances > MOST_COUNT)
    if execution.is_timeline and execution.kernels:
        first, last = execution.kernels[0], execution.kernels[-1]
        apart_ps = (last.start_ps or 0) - (first.start_ps or 0)
        if apart_ps > _MOST_PS:
            yield f"row {last.row} starts {_days(apart_ps)} after row {first.row}, as no recording lasts: two clocks are mixed"


def _longest_ps(summary: Summary) -> int:
    return max(summary.total_ps, (summary.median_ps or 0) * summary.instances)


def _days(time_ps: int) -> str:
    days = time_ps // _DAY_PS
    return f"{days:,} days" if days < _MANY else f"over {_MANY:,} days"
