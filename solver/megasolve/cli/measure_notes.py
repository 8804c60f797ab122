"""What is to be known of a measurement beside its times: what was left out, and how plans come to use it."""

from __future__ import annotations

import glob
import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from .measure_options import AskedTimes

if TYPE_CHECKING:
    from megasolve.contracts import Study

    from .wanted_times import Lacking


def measure_notes(study: Study, asked: AskedTimes, lacking: Lacking, tried: int) -> list[str]:
    """Return what a reader has to know; *tried* is how many times were not held by the target."""
    return [*_left_out(asked, lacking, tried), *_use(study, asked)]


def _left_out(asked: AskedTimes, lacking: Lacking, tried: int) -> Iterator[str]:
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
