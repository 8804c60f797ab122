"""Columns of a timing table that are not of the batch that they name: fewer requests ran in those steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from .timing_table import TaskTiming, TimingTable

_SHARE = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class MixedBatch:
    """The columns of *batch* show that about *ran* requests ran; *kind* is the type of task that shows it most."""

    batch: int
    ran: int
    kind: int
    long: Fraction
    tasks: Fraction


def mixed_batches(table: TimingTable) -> tuple[MixedBatch, ...]:
    """Return the batches of *table* that its own counts contradict.

    Tasks that a graph has once for each request find no work where the request is not there, and are over in less than a microsecond.
    So of a type that has B times the tasks of batch 1 in the columns of batch B, less than half of which take longer although they all
    do at batch 1, most requests were not running.
    """
    return tuple(found for batch in table.batches if batch > 1 and (found := _mixed(table, batch)) is not None)


def _mixed(table: TimingTable, batch: int) -> MixedBatch | None:
    shares = {kind: timing.long / timing.tasks / at_one for kind, timing, at_one in _by_request(table, batch)}
    # Most of what runs once for each request must agree: one type alone may have become quick.
    if not shares or sorted(shares.values())[len(shares) // 2] >= _SHARE:
        return None
    kind = min(shares, key=lambda one: (shares[one], one))
    timing = table.timings[kind][batch]
    return MixedBatch(batch, max(1, round(shares[kind] * batch)), kind, timing.long, timing.tasks)


def _by_request(table: TimingTable, batch: int) -> Iterator[tuple[int, TaskTiming, Fraction]]:
    """Yield the types that have a task for each request, each with the share of long tasks at batch 1."""
    for kind, timings in table.timings.items():
        one, many = _at(timings, 1), _at(timings, batch)
        if one is not None and many is not None and one.tasks > 1 and one.long and many.tasks == batch * one.tasks:
            yield kind, many, one.long / one.tasks


def _at(timings: Mapping[int, TaskTiming], batch: int) -> TaskTiming | None:
    return timings.get(batch)
