"""The best designs as a function of the time of some records, without planning again for each value."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from megasolve.contracts.fields.named import NamedField
from megasolve.simulate.plan.candidate import candidates

from ..crossings.sounding import Sounding
from ..goals.constraint import Limit
from ..robust.designs import Designs, designs_of
from ..search.predicates import Judge
from ..select.result import BatchResult

Best = tuple[str, ...]
_RECORD_STEPS = 2


def asking_times(judge: Judge, plan: BatchResult, fields: Sequence[NamedField]) -> Callable[[int], Sounding[Best]] | None:
    """Return what asks for the best designs where all *fields* are so many picoseconds; None where a plan has to be made for that.

    A time changes nothing but the scores of the designs that rest on it, unless times are limited, others are derived from it, or the
    space is too large to know all designs.
    """
    if plan.searched or any(field.path[-1] != "duration_us" or field.path[0] != "records" for field in fields):
        return None
    designs = designs_of(judge, plan.ranking)
    if any(isinstance(one, Limit) for one in judge.constraints) or any(one.use.derived is not None for one in designs.times):
        return None
    places = {(field.document.file, field.path[:_RECORD_STEPS]) for field in fields}
    times = [number for number, one in enumerate(designs.times) if (one.use.document.file, one.use.path) in places]
    return _Asking(judge, designs, times).at


class _Asking:
    """Scores anew only the designs that rest on one of *times*."""

    def __init__(self, judge: Judge, designs: Designs, times: Sequence[int]) -> None:
        self.designs = designs
        self.times = times
        self._order = {str(one): place for place, one in enumerate(candidates(judge.question.spec, judge.graph))}

    def at(self, ps: int) -> Sounding[Best]:
        """Return the best designs where the times are *ps*, and their score."""
        least, places = self.designs.best(range(len(self.designs.designs)), dict.fromkeys(self.times, ps))
        best = dict.fromkeys(str(self.designs.designs[place].candidate) for place in places)
        return Sounding(tuple(sorted(best, key=lambda id_: self._order[id_])), least)
