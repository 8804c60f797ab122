"""The time of a profile that is in no plan, as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from megasolve.contracts.model.wording import counted

from .kernel_words import microseconds, shortened_name
from .tables import one_line

if TYPE_CHECKING:
    from megasolve.contracts import OutsideTime
    from megasolve.contracts.observe import Outside

_MOST_WAITS = 4


def outside_lines(outside: Sequence[Outside]) -> list[str]:
    """Return the waits that are in no gap, those of most time first, and how many kinds more there are."""
    lines = [f"outside: {_waits(one)} that no launch costs: {one.because}" for one in outside[:_MOST_WAITS]]
    rest = outside[_MOST_WAITS:]
    more = f"outside: {counted(len(rest), 'more kind')} of waits, {microseconds(sum(one.total_ps for one in rest))}"
    return [*lines, more] if rest else lines


def _waits(one: Outside) -> str:
    where = f"before '{shortened_name(one.before)}'"
    if len(one.times_ps) == 1:
        return f"{microseconds(one.total_ps)}, a wait {where}"
    return f"{microseconds(one.total_ps)}, {counted(len(one.times_ps), 'wait')} {where} ({microseconds(one.usual_ps)} in the lower median)"


def beyond_plan_lines(outside: Sequence[OutsideTime]) -> list[str]:
    """Return the time of a profile that no candidate of a plan has, as its spec says it."""
    return [f"outside: {microseconds(one.time_ps)}, {one_line(one.what)}: {one_line(one.because)}" for one in outside]
