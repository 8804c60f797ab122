"""Reading measured files, whatever their format: it is recognized by what they hold."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..check.checking import check_paths
from ..files.documents import Document, read_document
from ..files.text import read_text
from ..model.base import Place
from ..model.errors import CheckFailed
from ..model.findings import Severity
from ..model.measured import Measured
from .columns import Columns
from .csv_table import csv_table
from .documents import runs_in
from .json_table import json_table
from .printed_table import is_printed, printed_table
from .rows import Table, runs_of
from .slips import slips
from .timed_run import TimedRuns
from .unusable import RunFault

_OURS = re.compile(r"""\A(?:\s|#[^\n]*+\n)*+\{?\s*+["']?megasolve["']?\s*+:\s*+["']?(?P<kind>[A-Za-z_]{1,40}+/v[0-9]{1,9}+)""")


def read_runs(
    files: Sequence[str],
    columns: Columns | None = None,
    *,
    candidates: Mapping[str, str] | None = None,
    allow_simulated_hardware: bool = False,
) -> TimedRuns:
    """Return the timed runs in *files*: measured files, CSV, JSON, or what serving benchmarks print.

    *columns* are those of tables of other tools, and *candidates* says by file whose runs it holds, where it does not say so itself.
    Rows that are unusable, stand twice, or are in another unit than the others are faults of what is returned.

    Raises
    ------
    UnreadableFile
        A file holds no text.
    CheckFailed
        A measured file has findings.
    """
    faults: list[RunFault] = []
    found = [
        _read(
            file,
            _of_candidate(columns or Columns(), (candidates or {}).get(file)),
            faults,
            allow_simulated_hardware=allow_simulated_hardware,
        )
        for file in dict.fromkeys(files)
    ]
    runs = tuple(run for one in found for run in one.runs)
    faults += slips(runs)
    return TimedRuns(
        runs,
        tuple(run for one in found for run in one.unqualified),
        tuple(note for one in found for note in one.notes),
        frozenset().union(*(one.objectives for one in found)),
        tuple(sorted(faults)),
    )


def _of_candidate(columns: Columns, candidate: str | None) -> Columns:
    return columns if candidate is None else replace(columns, constants={**columns.constants, "candidate": candidate})


def _read(file: str, columns: Columns, faults: list[RunFault], *, allow_simulated_hardware: bool) -> TimedRuns:
    text = read_text(file)
    if ours := _OURS.match(text):
        return _ours(file, ours["kind"], faults, allow_simulated_hardware=allow_simulated_hardware)
    return TimedRuns(runs_of(_table(file, text, faults), columns, faults))


def _table(file: str, text: str, faults: list[RunFault]) -> Table:
    if text.lstrip()[:1] in ("{", "["):
        return json_table(file, text, faults)
    return printed_table(file, text) if is_printed(text) else csv_table(file, text, faults)


def _ours(file: str, kind: str, faults: list[RunFault], *, allow_simulated_hardware: bool) -> TimedRuns:
    if not kind.startswith("measured/"):
        hint = "; a frozen plan is named with --plan" if kind.startswith("result/") else ""
        faults.append(RunFault(Place(file), f"this is a {kind} file, and holds no measured runs{hint}"))
        return TimedRuns()
    errors = [finding for finding in check_paths([file]).findings if finding.severity is Severity.ERROR]
    if errors:
        raise CheckFailed(errors)
    document, _ = read_document(file)
    if document is None or not isinstance(document.value, Measured):
        raise CheckFailed(())
    measured: Document[Measured] = document
    return runs_in(measured, allow_simulated_hardware=allow_simulated_hardware)
