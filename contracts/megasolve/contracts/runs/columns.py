"""Columns: what a table of runs calls the candidate, the batch, the block, the run and the time, and in which unit the time is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from ..model.closest import nearest
from ..model.errors import MegasolveError

REQUIRED = ("candidate", "batch", "time_us")
COLUMNS = ("candidate", "batch", "block", "run", "time_us", "group", "entries", "device", "precision")
TIME = "time_us"
FILE_NAME = "@file"
PS_PER_UNIT = {"ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}
_UNIT_AT_THE_END = re.compile(r"(?:[_ .(\[]|^)(?P<unit>ns|us|µs|ms|s|sec|seconds)[)\]]?$")
_SPELLINGS = {"µs": "us", "sec": "s", "seconds": "s"}


class UnusableColumn(MegasolveError):
    """Words that name no column; the message says which there are."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The *names* of the columns in a table, by ours; *constants* are what it does not say; times are in *unit*."""

    names: Mapping[str, str] = field(default_factory=lambda: {name: name for name in COLUMNS})
    constants: Mapping[str, str] = field(default_factory=dict)
    unit: str = "us"

    def name(self, ours: str) -> str:
        """Return what the table calls the column *ours*."""
        return self.names[ours]


def columns_of(words: Iterable[str]) -> Columns:
    """Return the columns that *words* rename, each like `time_us=ttft_ms:ms`, `block=@file` or `batch==32`.

    Raises
    ------
    UnusableColumn
        A word renames no column of ours, names a unit that is none, or one that the name contradicts.
    """
    columns, seen = Columns(), set[str]()
    for word in words:
        ours, is_renamed, theirs = word.partition("=")
        if not is_renamed or not theirs.strip("="):
            raise UnusableColumn(f"{word!r} is not OURS=THEIRS, for example time_us=ttft_ms:ms, block=@file or batch==32")
        if ours not in COLUMNS:
            raise UnusableColumn(f"{word!r}: no column {ours!r}{nearest(ours, COLUMNS)}")
        if ours in seen:
            raise UnusableColumn(f"{word!r}: {ours} is renamed twice; say one of them")
        seen.add(ours)
        columns = _renamed(columns, ours, theirs, word)
    return columns


def _renamed(columns: Columns, ours: str, theirs: str, word: str) -> Columns:
    if theirs.startswith("="):
        return replace(columns, constants={**columns.constants, ours: theirs[1:]})
    if ours != TIME:
        return replace(columns, names={**columns.names, ours: theirs})
    name, _, unit = theirs.rpartition(":")
    if name and unit not in PS_PER_UNIT:
        raise UnusableColumn(f"{word!r}: no unit {unit!r}{nearest(unit, PS_PER_UNIT)}")
    name, unit = (name, unit) if name else (theirs, "us")
    named = unit_named_by(name)
    if named not in (None, unit):
        raise UnusableColumn(f"{word!r}: {name} is read as {unit}, and its name says {named}; say {TIME}={name}:{named}")
    return replace(columns, names={**columns.names, TIME: name}, unit=unit)


def unit_named_by(name: str) -> str | None:
    """Return the unit that the *name* of a column ends with, None where it names none."""
    match = _UNIT_AT_THE_END.search(name.lower())
    return _SPELLINGS.get(match["unit"], match["unit"]) if match else None
