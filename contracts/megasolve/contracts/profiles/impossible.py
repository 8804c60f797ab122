"""What cannot have run: launches of no size, and times that no recording holds. Damaged files have both, and shifted columns make them."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from .._base import MOST_COUNT, MOST_US, PS_PER_US
from .errors import ProfileRefused
from .execution import Dim3, Execution, KernelShape
from .wording import shortened

_MOST_PS = MOST_US * PS_PER_US
_DAY_PS = 24 * 3600 * 10**12


def refuse_impossible(execution: Execution) -> None:
    """Raise ProfileRefused, with the row, where a kernel has a size below its least, or where times are longer than 11 days."""
    for reason in (*_sizes(execution), *_times(execution)):
        raise ProfileRefused(execution.file, f"{reason}; record or export it again")


def _sizes(execution: Execution) -> Iterator[str]:
    # Shapes are one object for equal ones, so there are few of them.
    launched = {id(one.shape): one for one in (*reversed(execution.kernels), *reversed(execution.summaries))}
    for one in launched.values():
        if sizes := ", ".join(_impossible_sizes(one.shape)):
            yield f"row {one.row}: kernel '{shortened(one.shape.name)}' cannot have run with {sizes}"


def _impossible_sizes(shape: KernelShape) -> Iterator[str]:
    for word, sides in (("grid", shape.grid), ("block", shape.block)):
        if sides is not None and not _is_launch(sides):
            yield f"a {word} of {'x'.join(map(str, sides))}"
    counts = {"registers": shape.registers, "CTAs in a cluster": shape.cluster_ctas}
    yield from (f"{count:,} {word}" for word, count in counts.items() if count is not None and not 0 < count <= MOST_COUNT)
    shared = (shape.static_shared_bytes, shape.dynamic_shared_bytes, shape.shared_bytes)
    yield from [f"{size:,} bytes of shared memory" for size in shared if size is not None and size < 0][:1]


def _is_launch(sides: Dim3) -> bool:
    return min(sides) > 0 and prod(sides) <= MOST_COUNT


def _times(execution: Execution) -> Iterator[str]:
    timed = [(one.row, one.duration_ps) for one in execution.kernels if one.duration_ps is not None and one.duration_ps > _MOST_PS]
    summed = [(one.row, one.total_ps) for one in execution.summaries if one.total_ps > _MOST_PS]
    yield from (f"row {row}: {time_ps // _DAY_PS:,} days cannot be measured" for row, time_ps in (*timed, *summed))
    if execution.is_timeline and execution.kernels:
        first, last = execution.kernels[0], execution.kernels[-1]
        apart_ps = (last.start_ps or 0) - (first.start_ps or 0)
        if apart_ps > _MOST_PS:
            yield f"row {last.row} starts {apart_ps // _DAY_PS:,} days after row {first.row}, as no recording lasts: two clocks are mixed"
