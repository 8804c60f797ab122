"""What profiles say about groups, as text: the time of each, what was left out, and what belongs to none."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from megasolve.contracts.model.wording import counted

from ..text.kernel_words import microseconds
from ..text.numbers import US
from ..text.outside import outside_lines
from ..text.paint import PLAIN, Paint
from ..text.tables import Column, aligned, indented, one_line
from .text import kernel_name, unfit_notes

if TYPE_CHECKING:
    from megasolve.contracts.observe import Observation, ObservedGroup
    from megasolve.contracts.scaffold import Unused

_MOST_ROWS = 10
_COLUMNS = (
    Column("time (µs)", is_number=True),
    Column("launches", is_number=True),
    Column("kernel"),
    Column("why"),
)
_GROUPS = (
    Column("group"),
    Column("per step", is_number=True),
    Column("occurrences", is_number=True),
    Column("kernels (µs)", is_number=True),
    Column("from", is_number=True),
    Column("to", is_number=True),
    Column("gaps (µs)", is_number=True),
    Column("launches", is_number=True),
)


def observation_lines(observation: Observation, said: Collection[str] = (), *, paint: Paint = PLAIN) -> list[str]:
    """Return the groups with their median times and spread, and all notes but those of *said*, which a reader knows already."""
    steps = f"{counted(observation.steps, 'steady step')}, median {microseconds(_median(observation.span_samples_ps))}"
    head = steps if observation.span_samples_ps else "no timeline: neither steps nor gaps are known"
    groups = aligned(_GROUPS, [_group(observation, group) for group in observation.groups], paint)
    remarks = [*outside_lines(observation.outside), *(f"left out: {one_line(sentence)}" for sentence in observation.left_out)]
    unfit = unfit_notes(reason for reason in observation.unfit if reason not in said)
    notes = [paint.yellow(f"NOTE: {one_line(note)}") for note in (*(one for one in observation.notes if one not in said), *unfit)]
    return [paint.bold(head), *indented([*groups, *remarks, *notes]), *unattributed_lines(observation, paint)]


def further_lines(observation: Observation, of: str, said: Collection[str] = (), *, paint: Paint = PLAIN) -> list[str]:
    """Return what a further profile has outside, what was left out of it, and all its notes but those of *said*, each behind *of*."""
    remarks = [*outside_lines(observation.outside), *(f"left out: {one_line(sentence)}" for sentence in observation.left_out)]
    notes = [paint.yellow(f"NOTE: {one_line(note)}") for note in observation.notes if note not in said]
    title, *rows = unattributed_lines(observation, paint) or [""]
    return [*(f"{of}{line}" for line in (*remarks, *notes, title) if line), *rows]


def unattributed_lines(observation: Observation, paint: Paint = PLAIN) -> list[str]:
    """Return the kernels of the steady steps that no group accounts for, the longest first."""
    lost = observation.unattributed
    rows = [[US.number(one.total_ps), f"{one.launches:,}", kernel_name(one.shape), one_line(one.because)] for one in lost]
    return list(_listed("not attributed", rows, sum(one.total_ps for one in lost), paint))


def unused_lines(unused: Sequence[Unused], paint: Paint = PLAIN) -> list[str]:
    """Return the kernels that give no time to any contract, the longest first."""
    medians = [_median(one.kernel.samples_ps) for one in unused]
    cases = zip(unused, medians, strict=True)
    rows = [[US.number(time), f"{one.kernel.launches:,}", kernel_name(one.kernel.shape), one_line(one.because)] for one, time in cases]
    return list(_listed("of no contract", rows, sum(medians), paint))


def _listed(title: str, rows: Sequence[Sequence[str]], total_ps: int, paint: Paint) -> Iterator[str]:
    if rows:
        yield f"{title}: {counted(len(rows), 'kernel')}, {microseconds(total_ps)}"
        yield from indented(aligned(_COLUMNS, rows[:_MOST_ROWS], paint))
    if len(rows) > _MOST_ROWS:
        yield f"  and {counted(len(rows) - _MOST_ROWS, 'more kernel')}"


def _group(observation: Observation, group: ObservedGroup) -> list[str]:
    samples, gaps = group.samples_ps, group.gap_samples_ps
    launches = sum(kernel.launches for kernel in observation.kernels if kernel.group == group.group)
    spread = [US.number(min(samples)), US.number(max(samples))] if samples else ["", ""]
    times = [US.number(_median(samples)), *spread, US.number(_median(gaps)) if gaps else "unknown"]
    per_step = f"{group.per_step:,}" if group.in_steps else "outside"
    return [one_line(group.group), per_step, f"{group.occurrences:,}", *times, f"{launches:,}"]


def _median(samples: Sequence[int]) -> int:
    return sorted(samples)[(len(samples) - 1) // 2] if samples else 0
