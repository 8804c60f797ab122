"""A sanity check on annotations: times recorded under the iteration before or after their own, which no total reveals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from statistics import median_low

from ...model.wording import counted
from ...profiles.wording import microseconds
from ..timelines.timeline import Timeline
from .group_occurrences import GroupOccurrences

# An occurrence this many times as long as the usual one is not one of them.
_STANDS_OUT = 3


def shifted_notes(ran: Timeline, groups: Sequence[GroupOccurrences]) -> Iterator[str]:
    """Yield a note for each group that looks like a step of another one, which in turn has as many occurrences that stand out.

    A once-per-request admission costs more than a step. Where it costs as little, and one of the steps costs far more than the
    others, their times were probably recorded one iteration off.
    """
    times = {group.group: [occurrence.duration_ps(ran) for occurrence in group.every] for group in groups if group.marks}
    for rare, often in permutations(times, 2):
        usual_ps, rare_ps = median_low(times[often]), median_low(times[rare])
        standing_out = [time_ps for time_ps in times[often] if time_ps >= _STANDS_OUT * usual_ps]
        is_small = rare_ps * 2 <= usual_ps * 3
        if len(times[rare]) < len(times[often]) and is_small and 0 < len(standing_out) <= len(times[rare]):
            yield (
                f"group {rare} takes {microseconds(rare_ps)}, no more than group {often} ({microseconds(usual_ps)}), of which "
                f"{counted(len(standing_out), 'occurrence')} of {len(times[often])} took up to {microseconds(max(standing_out))}: "
                "the annotations may be shifted by an iteration"
            )
