"""The pool of a case: the designs of one batch that were measured, each with all of its runs, under whatever name they were taken."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from megasolve.contracts.runs.timed_run import TimedRun

from .forecasts.forecast import Forecast

Times = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Contender:
    """A design that was measured: its times by *blocks*, and those of its *groups* where they were measured.

    *also* are further ids under which it was measured. *entries* are said where they are not those of the candidate's best variant.
    """

    id: str
    also: tuple[str, ...]
    entries: tuple[str, ...] | None
    blocks: Times
    groups: Mapping[str, Times] = field(default_factory=dict)

    @property
    def runs(self) -> int:
        """How many runs it has in all."""
        return sum(map(len, self.blocks.values()))

    @property
    def name(self) -> str:
        """Its id, with the entries that it was measured in where the id alone would mean others."""
        return self.id if self.entries is None else f"{self.id} [{', '.join(self.entries)}]"


def pool_of(runs: Iterable[TimedRun], forecast: Forecast) -> tuple[Contender, ...]:
    """Return the designs that *runs*, all of one batch, measure; *forecast* says which candidates are one design."""
    of: dict[tuple[str, tuple[str, ...] | None], list[TimedRun]] = defaultdict(list)
    for run in runs:
        entries = None if forecast.is_best_variant(run.candidate, run.entries) else run.entries
        of[forecast.design_of(run.candidate), entries].append(run)
    return tuple(_contender(same, entries) for (_, entries), same in of.items())


def _contender(runs: Sequence[TimedRun], entries: tuple[str, ...] | None) -> Contender:
    ids = tuple(dict.fromkeys(run.candidate for run in runs))
    groups = dict.fromkeys(run.group for run in runs if run.group is not None)
    return Contender(
        id=ids[0],
        also=ids[1:],
        entries=entries,
        blocks=_by_block(run for run in runs if run.group is None),
        groups={group: _by_block(run for run in runs if run.group == group) for group in groups},
    )


def _by_block(runs: Iterable[TimedRun]) -> Times:
    found: dict[str, list[int]] = defaultdict(list)
    for run in runs:
        found[run.block].append(run.time_ps)
    return {block: tuple(times) for block, times in found.items()}
