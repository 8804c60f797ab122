"""Reads tables of the steps of MPK: how long each step took, and how many requests decoded in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ..model.base import PS_PER_US
from ..model.wording import counted
from ..profiles.errors import ProfileRefused
from ..profiles.text.csv_table import TextLines, amount_at, header_of, rows_below
from ..profiles.text.source import ProfileSource
from ..profiles.wording import listed

STEP_COLUMNS = ("iter", "n_prefill", "n_decode", "iter_us")
_LEAST_STEPS = 5
_MOST_SAMPLES = 200


@dataclass(frozen=True, slots=True)
class StepTable:
    """The steps that only decode, by how many requests they decode, each with its time."""

    file: str
    sha256: str
    steps: int
    decoded_ps: dict[int, tuple[int, ...]]

    def samples_ps(self, batch: int) -> tuple[int, ...]:
        """The times of the steps in which *batch* requests decode and nothing else happens; of very many the last ones."""
        return self.decoded_ps.get(batch, ())[-_MOST_SAMPLES:]

    def why_no_record(self, batch: int) -> str | None:
        """Return why the table times no step of *batch*, None where it does."""
        found = len(self.decoded_ps.get(batch, ()))
        if found >= _LEAST_STEPS:
            return None
        told = ", ".join(f"{len(times):,} of batch {size}" for size, times in sorted(self.decoded_ps.items())) or "none"
        wanted = f"decode {counted(batch, 'request')} and nothing else"
        return f"of {counted(self.steps, 'step')} only {found} {wanted} (those that only decode: {told})"


def is_step_table(columns: tuple[str, ...]) -> bool:
    """Whether a table with *columns* is one of these."""
    return set(STEP_COLUMNS) <= set(columns)


def read_step_table(source: ProfileSource) -> StepTable:
    """Return the steps in *source*.

    Raises
    ------
    ProfileRefused
        A row has not the cells of the header, or a cell is no number.
    """
    decoded: dict[int, list[int]] = {}
    kinds: Counter[bool] = Counter()
    with source.open() as stream:
        lines = TextLines(stream, source.file)
        header = header_of(next(iter(lines), ""), lines.number)
        places = [header.columns.index(name) for name in STEP_COLUMNS]
        for row in rows_below(header, lines):
            if not row:
                continue
            if len(row) != len(header.columns):
                raise lines.refused(f"has {len(row)} cells, the header has {len(header.columns)}")
            _, prefilling, decoding = (amount_at(lines, STEP_COLUMNS[at], row[places[at]].strip(), 1) for at in range(3))
            time_ps = amount_at(lines, "iter_us", row[places[3]].strip(), PS_PER_US)
            kinds[not prefilling] += 1
            if not prefilling and decoding and time_ps:
                decoded.setdefault(decoding, []).append(time_ps)
    if not kinds:
        raise ProfileRefused(source.file, "is a table of steps without a step")
    return StepTable(source.file, source.sha256, sum(kinds.values()), {size: tuple(times) for size, times in decoded.items()})


def table_of_batch(tables: Sequence[StepTable], batch: int) -> StepTable | None:
    """Return that of *tables* which times steps of *batch*, None where none does; the same file given twice counts once.

    Raises
    ------
    ProfileRefused
        Several do: they are of different runs, and a record is of one.
    """
    timing = list({one.sha256: one for one in tables if one.why_no_record(batch) is None}.values())
    if len(timing) > 1:
        files = listed(one.file for one in timing[:-1])
        raise ProfileRefused(timing[-1].file, f"times steps of batch {batch}, as {files} does: a record is of one run, so give one of them")
    return timing[0] if timing else None
