"""What is to be known of a measurement beside its times: what was left out, and how plans come to use it."""

from __future__ import annotations

import glob
import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from .options import AskedTimes

if TYPE_CHECKING:
    from megasolve.contracts import Study
    from megasolve.solver import LackingTimes


def measure_notes(study: Study, asked: AskedTimes, lacking: LackingTimes, tried: int) -> list[str]:
    """Return what a reader has to know; *tried* is how many times were not held by the target."""
    return [*_left_out(asked, lacking, tried), *_use(study, asked)]


def runs_notes(asked: AskedTimes, *, dry_run: bool) -> list[str]:
    """Return what a reader of runs has to know."""
    return list(_of_runs(asked, dry_run=dry_run))


def _of_runs(asked: AskedTimes, *, dry_run: bool) -> Iterator[str]:
    if asked.on_cpu and not dry_run:
        yield "times are those of a virtual clock on a stand-in: they judge no prediction"
    if asked.on_cpu and not asked.batches:
        yield "on the CPU the smallest batch is run; --batch asks for others"
    yield "these runs are no evidence, and no plan reads them"


def _left_out(asked: AskedTimes, lacking: LackingTimes, tried: int) -> Iterator[str]:
    if not tried:
        asked_for = "is asked for and can be launched" if lacking.refused else "is asked for"
        yield f"nothing to measure: every time that {asked_for} has a record, in {asked.target} or in another file"
    yield from (f"cannot be launched, so not measured: {because}" for because in lacking.refused)
    if lacking.recorded:
        yield f"{lacking.recorded:,} times have records in other files, which plans go on using"
    if asked.on_cpu and not (asked.budgets and asked.batches):
        yield "on the CPU the smallest batch and the smallest budget of each entry are tried; --batch and --budget ask for others"


def _use(study: Study, asked: AskedTimes) -> Iterator[str]:
    """Yield how plans come to use the records, where they do not yet."""
    if asked.on_cpu:
        yield "records of the stand-in are no evidence: a spec that names their file is planned with --allow-simulated-hardware only"
    elif not _is_named(study, asked):
        name = os.path.relpath(asked.target, Path(asked.spec).parent)
        yield f"plans use these records once {asked.spec} names their file: records: [{shlex.quote(glob.escape(name))}]"


def _is_named(study: Study, asked: AskedTimes) -> bool:
    target = os.path.realpath(asked.target)
    return any(target == os.path.realpath(file) for file in study.record_files)
