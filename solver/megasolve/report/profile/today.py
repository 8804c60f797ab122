"""The first lines of what a profile says: a step today, by what the device did; as a CUDA graph; and at its floor."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from megasolve.contracts.model.wording import counted

from ..text.kernel_words import microseconds
from ..text.numbers import percent

if TYPE_CHECKING:
    from megasolve.contracts.observe import StepTime
    from megasolve.contracts.scaffold import TodayTime


def today_lines(today: TodayTime) -> Iterator[str]:
    """Yield the three lines."""
    step = today.step
    busy = f"{counted(step.launches, 'kernel')} keep the device busy for {microseconds(step.kernels_ps)} ({_share(step.kernels_ps, step)})"
    copies = f", copies and fills for {microseconds(step.copies_ps)} ({_share(step.copies_ps, step)})" if step.copies_ps else ""
    what = "the whole profile, as one step," if today.is_whole else "one step"
    yield f"today: {what} takes {microseconds(step.total_ps)}: {busy}{copies}; {_idle(step)}"
    yield f"as a CUDA graph: {_as_graph(today)}"
    yield f"at the floor: {_at_the_floor(today)}"


def _idle(step: StepTime) -> str:
    causes = [("launches", step.launching_ps), ("waits for the host", step.host_ps), ("other waits", step.other_ps)]
    words = ", ".join(f"{microseconds(time_ps)} of {cause}" for cause, time_ps in causes if time_ps)
    return f"idle for {_share(step.idle_ps, step)}: {words}" if words else "never idle"


def _as_graph(today: TodayTime) -> str:
    if today.is_graph:
        return "most of its kernels are replayed by one already"
    gap = f"{microseconds(today.gap_ps)} between kernels, {'as the device states' if today.is_gap_stated else 'taken as usual'}"
    dependent = f"{microseconds(today.as_dependent_graph_ps)} with dependent launch ({microseconds(today.dependent_gap_ps)})"
    return f"{microseconds(today.as_graph_ps)} ({gap}), {dependent}"


def _at_the_floor(today: TodayTime) -> str:
    if today.floor_ps is None:
        return f"unknown, as {today.no_floor}"
    opaque = f"; {_opaque(today.opaque)}" if today.opaque else ""
    return f"{microseconds(today.floor_ps)}, its kernels one by one at the peaks of the device{opaque}"


def _opaque(launches: int) -> str:
    if launches == 1:
        return "of 1 launch nobody recorded what it computes: it counts as today"
    return f"of {launches:,} launches nobody recorded what they compute: they count as today"


def _share(time_ps: int, step: StepTime) -> str:
    return percent(Fraction(time_ps, step.total_ps))
